// Stop flag, limits and counters of a running search, and the polling loop of the calling thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "walk/problem.hpp"

namespace dugraph {

class Control {
  public:
    explicit Control(const Limits& limits);

    const std::atomic<bool>& stop_flag() const { return stop_; }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void stop(Status reason);  // the first reason counts
    Status status() const { return status_.load(); }
    double seconds() const;

    // Adds and resets a thread's counters; stops the search at the node limit.
    void count(Counters& counters);
    void show_threshold(double value) { threshold_.store(value, std::memory_order_relaxed); }
    void show_open_bound(int thread, double value) {
        open_bounds_[static_cast<std::size_t>(thread)].store(value);
    }
    Counters counters() const;

    // Waits until finish() is called; meanwhile calls `poll` and checks the time limit.
    void watch(const Poll& poll);
    void finish();

    const std::uint64_t node_limit;

  private:
    using Clock = std::chrono::steady_clock;

    Progress progress() const;

    const Clock::time_point start_ = Clock::now();
    const double time_limit_;
    std::atomic<bool> stop_{false};
    std::atomic<Status> status_{Status::optimal};
    std::atomic<std::uint64_t> visited_{0}, candidates_{0}, evaluated_{0}, pruned_by_frequency_{0},
        pruned_by_bound_{0};
    std::atomic<double> threshold_;
    std::vector<std::atomic<double>> open_bounds_;
    std::mutex lock_;
    std::condition_variable finished_;
    bool is_finished_ = false;
};

}  // namespace dugraph
