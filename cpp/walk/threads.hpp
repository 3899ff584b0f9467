// Threads that are always joined, and a loop over independent items on some of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dugraph {

// Allocates this thread's exception state now. If memory has run out when the first exception is thrown, the
// C library could not allocate it and would terminate the process.
inline void prepare_to_throw() {
    volatile int n_thrown = std::uncaught_exceptions();
    static_cast<void>(n_thrown);
}

// Threads that start together and are always joined in the destructor (libc++ has no std::jthread before
// version 20).
class JoinedThreads {
  public:
    JoinedThreads() = default;
    JoinedThreads(const JoinedThreads&) = delete;
    ~JoinedThreads() {
        open(Gate::leave);
        for (std::thread& thread : threads_) thread.join();
    }
    // The thread waits for `go`, so that no work has begun if a later thread cannot be started.
    template <class Work, class... Args>
    void start(Work work, Args... args) {
        threads_.emplace_back([this, work, args...]() mutable {
            prepare_to_throw();
            std::unique_lock lock(lock_);
            opened_.wait(lock, [this] { return gate_ != Gate::closed; });
            lock.unlock();
            if (gate_ == Gate::go) work(args...);
        });
    }
    void go() { open(Gate::go); }

  private:
    enum class Gate { closed, go, leave };
    void open(Gate way) {
        const std::lock_guard lock(lock_);
        if (gate_ == Gate::closed) gate_ = way;
        opened_.notify_all();
    }
    // Not std::atomic::wait, which may miss its notification where the C++ library has no futex (MinGW).
    std::mutex lock_;
    std::condition_variable opened_;
    Gate gate_ = Gate::closed;
    std::vector<std::thread> threads_;
};

// The first exception of several threads, to be rethrown in the waiting thread.
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

// After a stop, the remaining items are skipped.
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
        others.go();
        work();
    }
    failure.rethrow();
}

}  // namespace dugraph
