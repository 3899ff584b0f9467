// Runs a long computation without Python's lock, answering Ctrl-C and reporting progress.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "walk/problem.hpp"

namespace dugraph::bindings {

namespace nb = nanobind;

// Polls Python's signal handlers and calls the progress function, with the lock. The first exception that one
// of them raises is kept and stops the computation.
class Watcher {
  public:
    explicit Watcher(nb::object progress) : progress_(std::move(progress)) {}

    bool operator()(const Progress& now) {
        const nb::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!progress_.is_none() && !raised_) progress_(now);
        } catch (nb::python_error& error) {
            if (!raised_) raised_.emplace(std::move(error));
        }
        return raised_.has_value();
    }

    // True after Ctrl-C; any other exception of a signal handler or of the progress function is raised.
    bool interrupted() {
        if (!raised_) return false;
        if (!raised_->matches(PyExc_KeyboardInterrupt)) throw std::move(*raised_);
        return true;
    }

  private:
    nb::object progress_;
    std::optional<nb::python_error> raised_;
};

// Returns the result of work(poll), a struct with a status. After Ctrl-C the status is `interrupted`, even if
// the work was complete by then: each press must end a call, or a loop of calls would go on.
template <class Work>
auto watched_by_python(nb::object progress, const Work& work) {
    Watcher watcher(std::move(progress));
    auto result = [&] {
        // Safe without the lock: the caller's arguments keep everything alive, and only the watcher uses
        // Python, after taking the lock.
        const nb::gil_scoped_release released;
        return work([&](const Progress& now) { return watcher(now); });
    }();
    if (watcher.interrupted()) result.status = Status::interrupted;
    return result;
}

}  // namespace dugraph::bindings
