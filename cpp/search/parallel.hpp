// Threads that are always joined, and a loop over independent items on some of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

namespace dugraph {

// Makes the system allocate what this thread needs to throw its first exception.
inline void prepare_to_throw() {
    volatile int n_thrown = std::uncaught_exceptions();
    static_cast<void>(n_thrown);
}

// Joins its threads at the end of its life, whatever happens before (std::jthread is missing from libc++
// before version 20).
class JoinedThreads {
  public:
    JoinedThreads() = default;
    JoinedThreads(const JoinedThreads&) = delete;
    ~JoinedThreads() {
        for (std::thread& thread : threads_) thread.join();
    }
    // Returns when the thread has what it needs to throw: if the system allocated that only when memory has
    // run out, it would end the process instead.
    template <class Work, class... Args>
    void start(Work work, Args... args) {
        std::binary_semaphore ready(0);
        threads_.emplace_back([work, args..., &ready]() mutable {
            prepare_to_throw();
            ready.release();
            work(args...);
        });
        ready.acquire();
    }

  private:
    std::vector<std::thread> threads_;
};

// The first exception of several threads, for the one that waits for them.
class FirstFailure {
  public:
    void note() {
        const std::lock_guard lock(lock_);
        if (!failure_) failure_ = std::current_exception();
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    std::exception_ptr failure_;
    std::mutex lock_;
};

// After a stop the rest of the items is left out.
template <class Body>
void parallel_for(std::size_t count, int n_threads, const std::atomic<bool>& stop, Body&& body) {
    std::atomic<std::size_t> next{0};
    FirstFailure failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count && !stop; i = next++) body(i);
        } catch (...) {
            failure.note();
        }
    };
    {
        JoinedThreads others;
        for (int k = 1; k < n_threads; ++k) others.start(work);
        work();
    }
    failure.rethrow();
}

}  // namespace dugraph
