// The t best subgraphs so far, shared by all threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "rank/threshold.hpp"

namespace dugraph {

struct Entry {
    double value;
    std::vector<std::int32_t> edges;  // canonical indices, ascending

    // The total order of the ranking: larger value, fewer edges, smaller edges.
    bool operator<(const Entry& other) const {
        if (value != other.value) return value > other.value;
        if (edges.size() != other.edges.size()) return edges.size() < other.edges.size();
        return edges < other.edges;
    }
};

class TopList {
  public:
    // Entries must exceed `start`, the threshold that other searches have reached.
    TopList(std::size_t capacity, const Threshold& start) : capacity_(capacity), start_(start) {}

    // Enters a subgraph if it is among the best; has no effect if it is already listed.
    void offer(Entry entry) {
        const std::lock_guard lock(lock_);
        if (start_.excludes(entry.value, entry.edges.size())) return;
        if (entries_.size() == capacity_ && !(entry < *entries_.rbegin())) return;
        if (!entries_.insert(std::move(entry)).second) return;
        if (entries_.size() > capacity_) entries_.erase(std::prev(entries_.end()));
        if (entries_.size() == capacity_) version_.fetch_add(1, std::memory_order_release);
    }

    // Updates a thread's copy of the threshold; true if it changed.
    bool refresh(Threshold& copy, std::uint64_t& version) const {
        const std::uint64_t now = version_.load(std::memory_order_acquire);
        if (now == version) return false;
        version = now;
        copy = threshold();
        return true;
    }

    Threshold threshold() const {
        const std::lock_guard lock(lock_);
        if (entries_.size() < capacity_) return start_;
        return {entries_.rbegin()->value, entries_.rbegin()->edges.size()};
    }

    const std::set<Entry>& entries() const { return entries_; }  // call only when all threads have finished

  private:
    const std::size_t capacity_;
    const Threshold start_;
    mutable std::mutex lock_;
    std::atomic<std::uint64_t> version_{1};  // greater than that of a thread that has not updated yet
    std::set<Entry> entries_;
};

}  // namespace dugraph
