// Memory that runs out at any allocation of the core is an exception, never the end of the process, and
// leaves no thread behind.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <thread>

#include "maxima/null_maxima.hpp"
#include "problems.hpp"

namespace {

// How many allocations are still granted, of all threads together; negative: all. Then one is refused, or, as
// when memory has run out, all that follow.
std::atomic<long> granted{-1};
std::atomic<bool> for_good{false}, was_refused{false};

bool refused() {
    long left = granted.load(std::memory_order_relaxed);
    if (left < 0) return false;
    while (left > 0 && !granted.compare_exchange_weak(left, left - 1)) {
    }
    if (left > 0) return false;
    if (was_refused.exchange(true) && !for_good) return false;
    return true;
}

std::size_t n_threads() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
}

// Lets the work run with each of its first allocations refused, then with every so many; counts these runs.
template <class Work>
int refusals(const Work& work, long first, long step) {
    int n_refusals = 0;
    for (long k = 0;; k += k < first ? 1 : step) {
        granted = k;
        was_refused = false;
        bool failed = false;
        try {
            work();
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        granted = -1;
        // A thread that was joined is still counted for an instant.
        for (int k = 0; k < 10000 && n_threads() > 1; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        CHECK(n_threads() == 1);
        CHECK(was_refused || !failed);
        if (!was_refused) return n_refusals;
        ++n_refusals;
    }
}

}  // namespace

void* operator new(std::size_t size) {
    if (refused()) throw std::bad_alloc();
    if (void* place = std::malloc(size ? size : 1)) return place;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t line) {
    if (refused()) throw std::bad_alloc();
    const auto a = static_cast<std::size_t>(line);
    if (void* place = std::aligned_alloc(a, (size + a - 1) / a * a)) return place;
    throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }

// Both are small: what counts is how many places there are, not how often one is met.
TEST(a_search_without_memory_throws) {
    check::Random random(91);
    int n_refusals = 0;
    const bool soak = std::getenv("DUGRAPH_SOAK");
    for (int round = 0; round < (soak ? 14 : 7); ++round) {
        problems::Problem problem = problems::make_problem(random, 8, 16, 12);
        problem.kind = static_cast<problems::Kind>(round % static_cast<int>(problems::n_kinds));
        problems::relabel(random, problem);
        problem.min_expected_frequency = 0.05;
        problem.limits.n_subgraphs = 50;
        problem.limits.n_threads = 1 + round % 3;
        for (const bool all : {false, true}) {
            for_good = all;
            n_refusals += refusals([&] { problem.search(); }, soak ? 5000 : 30, soak ? 97 : 297);
        }
    }
    CHECK_WITH(n_refusals > 300, std::to_string(n_refusals));
    std::printf("%d searches without memory\n", n_refusals);
}

TEST(a_test_without_memory_throws) {
    check::Random random(92);
    int n_refusals = 0;
    const bool soak = std::getenv("DUGRAPH_SOAK");
    for (int n_threads = 1; n_threads <= 3; ++n_threads) {
        problems::Problem problem = problems::make_problem(random, 8, 16, 12);
        problem.min_expected_frequency = 0.05;
        problem.limits.n_threads = n_threads;
        const std::size_t n = problem.n_graphs, n_relabelings = 9;
        std::vector<double> weights, scale(1, 1.0);
        for (std::size_t k = 0; k < n * n_relabelings; ++k) weights.push_back(random.uniform() - 0.5);
        const std::vector<std::int64_t> cells(n, 0);
        const dugraph::Relabelings test{n,
                                        n_relabelings,
                                        1,
                                        weights.data(),
                                        dugraph::Statistic::difference,
                                        1,
                                        cells.data(),
                                        scale.data(),
                                        1,
                                        0,
                                        nullptr,
                                        3};
        for (const bool all : {false, true}) {
            for_good = all;
            n_refusals += refusals(
                [&] { dugraph::null_maxima(problem.prepared(), test, {}, problem.limits, problems::go_on); },
                soak ? 5000 : 30, soak ? 97 : 297);
        }
    }
    CHECK_WITH(n_refusals > 100, std::to_string(n_refusals));
    std::printf("%d tests without memory\n", n_refusals);
}
