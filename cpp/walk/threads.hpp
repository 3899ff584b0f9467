// Threads that are always joined, and a loop over independent items on some of them.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
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

// Memory that is kept from everyone else until it is given up.
class Reserve {
  public:
    Reserve() : place_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (place_ == MAP_FAILED) throw std::bad_alloc();
    }
    Reserve(const Reserve&) = delete;
    ~Reserve() { give_up(); }
    void give_up() {
        if (place_ != nullptr) munmap(place_, size);
        place_ = nullptr;
    }

  private:
    // Far more than a thread's exception state takes: others may ask for memory at the same instant.
    static constexpr std::size_t size = std::size_t{4} << 20;
    void* place_;
};

// Threads that begin together, and are always joined at the end of its life, whatever happens before
// (std::jthread is missing from libc++ before version 20).
class JoinedThreads {
  public:
    JoinedThreads() = default;
    JoinedThreads(const JoinedThreads&) = delete;
    ~JoinedThreads() {
        open(Gate::leave);
        for (std::thread& thread : threads_) thread.join();
    }
    // Returns when the thread has what it needs to throw, which waits for `go`. If the system allocated that
    // only when memory has run out, it would end the process; so memory for it is kept back, and nobody works
    // before all threads have theirs.
    template <class Work, class... Args>
    void start(Work work, Args... args) {
        std::binary_semaphore born(0), ready(0);
        Reserve reserve;
        threads_.emplace_back([this, work, args..., &born, &ready]() mutable {
            born.acquire();
            prepare_to_throw();
            ready.release();
            gate_.wait(Gate::closed);
            if (gate_ == Gate::go) work(args...);
        });
        reserve.give_up();
        born.release();
        ready.acquire();
    }
    void go() { open(Gate::go); }

  private:
    enum class Gate { closed, go, leave };
    void open(Gate way) {
        Gate closed = Gate::closed;
        gate_.compare_exchange_strong(closed, way);
        gate_.notify_all();
    }
    std::atomic<Gate> gate_{Gate::closed};
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
        others.go();
        work();
    }
    failure.rethrow();
}

}  // namespace dugraph
