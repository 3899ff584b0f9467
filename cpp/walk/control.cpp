#include "walk/control.hpp"

#include <algorithm>

namespace dugraph {

namespace {

// Ctrl-C must take effect within a tenth of a second.
constexpr double poll_seconds = 0.02;

}  // namespace

Control::Control(const Limits& limits)
    : node_limit(limits.node_limit),
      time_limit_(limits.time_limit),
      threshold_(-std::numeric_limits<double>::infinity()),
      open_bounds_(static_cast<std::size_t>(limits.n_threads)) {
    for (auto& bound : open_bounds_) bound = std::numeric_limits<double>::infinity();
}

void Control::stop(Status reason) {
    Status none = Status::optimal;
    status_.compare_exchange_strong(none, reason);
    stop_ = true;
}

double Control::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Control::count(Counters& counters) {
    const auto add = [](std::atomic<std::uint64_t>& total, std::uint64_t own) {
        return total.fetch_add(own, std::memory_order_relaxed) + own;
    };
    const std::uint64_t visited = add(visited_, counters.visited);
    add(candidates_, counters.candidates);
    add(evaluated_, counters.evaluated);
    add(pruned_by_frequency_, counters.pruned_by_frequency);
    add(pruned_by_bound_, counters.pruned_by_bound);
    counters = {};
    if (visited > node_limit) stop(Status::node_limit);
}

Counters Control::counters() const {
    return {visited_.load(), candidates_.load(), evaluated_.load(), pruned_by_frequency_.load(),
            pruned_by_bound_.load()};
}

Progress Control::progress() const {
    double open = -std::numeric_limits<double>::infinity();
    for (const auto& bound : open_bounds_) open = std::max(open, bound.load());
    return {counters(), threshold_.load(), open, seconds()};
}

void Control::watch(const Poll& poll) {
    std::unique_lock lock(lock_);
    do {  // at least once, so that an interrupt stops this computation even if it is short, not the next one
        const double wait = std::clamp(time_limit_ - seconds(), 0.001, poll_seconds);
        finished_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return is_finished_; });
        lock.unlock();
        if (poll(progress())) stop(Status::interrupted);
        if (seconds() >= time_limit_) stop(Status::time_limit);
        lock.lock();
    } while (!is_finished_);
}

void Control::finish() {
    const std::lock_guard lock(lock_);
    is_finished_ = true;
    finished_.notify_all();
}

}  // namespace dugraph
