// Runs a long computation without the GIL, with support for Ctrl-C and progress reports.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "walk/problem.hpp"

namespace dugraph::bindings {

namespace nb = nanobind;

// Polls Python's signal handlers and calls the progress function, holding the GIL. The first exception raised
// by one of them stops the computation and is rethrown later.
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

// Returns the result of work(poll), a struct with a status. After Ctrl-C the status is `interrupted` even if
// the work was already complete: otherwise a loop of short calls could not be interrupted.
template <class Work>
auto watched_by_python(nb::object progress, const Work& work) {
    Watcher watcher(std::move(progress));
    auto result = [&] {
        // Safe without the GIL: the caller's arguments keep everything alive, and only the watcher uses
        // Python, after acquiring the GIL.
        const nb::gil_scoped_release released;
        return work([&](const Progress& now) { return watcher(now); });
    }();
    if (watcher.interrupted()) result.status = Status::interrupted;
    return result;
}

}  // namespace dugraph::bindings
