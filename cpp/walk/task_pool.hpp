// Work stealing: a thread without work waits here for one that splits its own.
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

// Some children of a subgraph, to be explored in their order: child k with all later ones as its extensions.
// The list is shared, only its range is a task's own.
template <class Mark>
struct Task {
    using Children = std::vector<Child<Mark>>;
    std::vector<std::int32_t> path;  // ids of the subgraph's edges; empty at the root of the search
    std::shared_ptr<const Children> children;
    std::size_t begin = 0, end = 0;
    bool marked = true;  // false: marks are still to be computed
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

    // The next task; false when all threads are out of work, or after stop().
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

    // Whether a thread waits for which there is no task.
    bool hungry() const { return wanted_.load(std::memory_order_relaxed) > 0; }

    void stop() {
        const std::lock_guard lock(lock_);
        finished_ = true;
        changed_.notify_all();
    }

    std::vector<Task>& left_over() { return tasks_; }  // only when no thread works any more

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
