// A loop over independent items on some threads. After a stop the rest of the items is left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dugraph {

template <class Body>
void parallel_for(std::size_t count, int n_threads, const std::atomic<bool>& stop, Body&& body) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count && !stop; i = next++) body(i);
        } catch (...) {
            const std::lock_guard lock(failure_lock);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;  // joined at the end of the block, whatever happens in it
        for (int k = 1; k < n_threads; ++k) others.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dugraph
