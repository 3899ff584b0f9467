// Collects statistics: the maximum of each relabeling and size class, or a list of all that reach a
// threshold. Shared by all threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "maxima/relabelings.hpp"

namespace dugraph {

// A statistic in canonical double precision, so that the result does not depend on the order in which threads
// find it.
struct Found {
    std::size_t size_class, contrast, relabeling;
    double value;
    const std::vector<std::int32_t>& edges;  // canonical, ascending
};

// Running maxima. They only rise; an outdated copy costs time, not correctness.
class RunningMaxima {
  public:
    explicit RunningMaxima(const Relabelings& test)
        : n_relabelings_(test.n_relabelings),
          most_(test.n_classes * test.n_relabelings),
          n_admitted_(test.n_classes) {}

    // Adds n admitted subgraphs of a size class.
    void count(std::size_t size_class, std::size_t n) {
        n_admitted_[size_class].fetch_add(static_cast<std::int64_t>(n), std::memory_order_relaxed);
    }
    std::vector<std::int64_t> n_admitted() const { return {n_admitted_.begin(), n_admitted_.end()}; }

    // The value that a subgraph of this class must exceed in this relabeling.
    double floor(std::size_t size_class, std::size_t relabeling) const {
        return most_[size_class * n_relabelings_ + relabeling].load(std::memory_order_relaxed);
    }
    void offer(const Found& found) {
        raise(most_[found.size_class * n_relabelings_ + found.relabeling], found.value);
    }

  private:
    static void raise(std::atomic<double>& most, double value) {
        double now = most.load(std::memory_order_relaxed);
        while (value > now && !most.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
        }
    }

    const std::size_t n_relabelings_;
    std::vector<std::atomic<double>> most_;  // (n_classes, n_relabelings)
    std::vector<std::atomic<std::int64_t>> n_admitted_;
};

// All subgraphs that reach the threshold of their class; with several contrasts, the one with the largest
// statistic, or the first in a tie.
class ReachedList {
  public:
    struct Entry {
        std::vector<std::int32_t> edges;
        double value;
        std::size_t contrast;
    };

    explicit ReachedList(const double* thresholds) : thresholds_(thresholds) {}

    double floor(std::size_t size_class, std::size_t) const { return thresholds_[size_class]; }
    static void count(std::size_t, std::size_t) {}
    void offer(const Found& found) {
        if (!(found.value >= thresholds_[found.size_class])) return;
        const std::lock_guard lock(lock_);
        entries_.push_back({found.edges, found.value, found.contrast});
    }

    // Sorted by size, then by edges; call only when all threads have finished.
    std::vector<Entry> entries() {
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            if (a.edges.size() != b.edges.size()) return a.edges.size() < b.edges.size();
            if (a.edges != b.edges) return a.edges < b.edges;
            return a.value != b.value ? a.value > b.value : a.contrast < b.contrast;
        });
        const auto last = std::unique(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.edges == b.edges; });
        entries_.erase(last, entries_.end());
        return std::move(entries_);
    }

  private:
    const double* thresholds_;
    std::mutex lock_;
    std::vector<Entry> entries_;
};

}  // namespace dugraph
