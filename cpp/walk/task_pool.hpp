// Work sharing: an idle thread waits here until another one splits its work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dugraph {

// An admitted subgraph g + edge, still to be extended.
template <class Mark>
struct Child {
    std::int32_t edge;
    Mark mark{};  // the judge's
};

// Some children of a subgraph, explored in order; child k has all later ones as extensions. Tasks share the
// list and have their own ranges.
template <class Mark>
struct Task {
    using Children = std::vector<Child<Mark>>;
    std::vector<std::int32_t> path;  // ids of the subgraph's edges; empty at the root of the search
    std::shared_ptr<const Children> children;
    std::size_t begin = 0, end = 0;
    bool marked = true;  // false: the marks have not been computed yet
};

template <class Task>
class TaskPool {
  public:
    explicit TaskPool(int n_threads) : n_threads_(n_threads) {}

    void add(Task task) {
        {
            const std::lock_guard lock(lock_);
            tasks_.push_back(std::move(task));
            count();
        }
        changed_.notify_one();
    }

    // The next task; false if no thread has any work left, or after stop().
    bool take(Task& task) {
        std::unique_lock lock(lock_);
        ++waiting_;
        count();
        if (waiting_ == n_threads_ && tasks_.empty()) {
            finished_ = true;
            changed_.notify_all();
        }
        changed_.wait(lock, [&] { return finished_ || !tasks_.empty(); });
        if (finished_) return false;
        task = std::move(tasks_.back());
        tasks_.pop_back();
        --waiting_;
        count();
        return true;
    }

    // Whether there are more waiting threads than tasks.
    bool hungry() const { return wanted_.load(std::memory_order_relaxed) > 0; }

    void stop() {
        const std::lock_guard lock(lock_);
        finished_ = true;
        changed_.notify_all();
    }

    std::vector<Task>& left_over() { return tasks_; }  // call only when all threads have finished

  private:
    void count() { wanted_.store(waiting_ - static_cast<int>(tasks_.size()), std::memory_order_relaxed); }

    const int n_threads_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<Task> tasks_;
    int waiting_ = 0;
    std::atomic<int> wanted_{0};
    bool finished_ = false;
};

}  // namespace dugraph
