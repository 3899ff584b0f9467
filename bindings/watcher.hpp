// A long computation as Python sees it: without its lock, but answering Ctrl-C and showing progress.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "search/problem.hpp"

namespace dugraph::bindings {

namespace nb = nanobind;

// Asks Python, with its lock, whether Ctrl-C was pressed, and shows it the progress. An exception of the
// callback ends the search and is raised after it.
class Watcher {
  public:
    explicit Watcher(nb::object progress) : progress_(std::move(progress)) {}

    bool operator()(const Progress& now) {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            const nb::python_error error;  // takes the error out of Python
            interrupted_ = error.matches(PyExc_KeyboardInterrupt);
            if (!interrupted_) failure_ = std::make_unique<nb::python_error>(error);
            return true;
        }
        if (progress_.is_none() || failure_) return false;
        try {
            progress_(now);
        } catch (nb::python_error& error) {
            // Ctrl-C may hit while the callback runs; it ends the search as it does elsewhere.
            interrupted_ = error.matches(PyExc_KeyboardInterrupt);
            if (interrupted_) return true;
            failure_ = std::make_unique<nb::python_error>(std::move(error));
            return true;
        }
        return false;
    }

    void raise_failure() const {
        if (failure_) throw nb::python_error(*failure_);
    }
    bool interrupted() const { return interrupted_; }

  private:
    nb::object progress_;
    bool interrupted_ = false;
    std::unique_ptr<nb::python_error> failure_;
};

// What work(poll) returns, a struct with a status.
template <class Work>
auto watched_by_python(nb::object progress, const Work& work) {
    Watcher watcher(std::move(progress));
    const auto result = [&] {
        // Safe without the interpreter: the caller's arguments keep everything alive, and only the watcher
        // touches Python, after taking its lock.
        const nb::gil_scoped_release released;
        return work([&](const Progress& now) { return watcher(now); });
    }();
    watcher.raise_failure();
    // Pressed when the work had come to its end: Ctrl-C is not answered by that, and is handed on.
    if (watcher.interrupted() && result.status != Status::interrupted) PyErr_SetInterrupt();
    return result;
}

}  // namespace dugraph::bindings
