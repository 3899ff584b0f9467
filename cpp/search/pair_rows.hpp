// Which two edges can be in an admitted subgraph together, as bits, found out when first asked.
//
// A subgraph that holds an infrequent pair is infrequent itself, so an edge that is infrequent together with
// ANY edge of g cannot extend g. The bits are grouped by node: bit k of (edge, node v) stands for the k-th
// edge at v. So the extensions through a new node v are one AND of a few words per edge of g. Bits only save
// work: where they are not to be had, the search goes on without them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/rows.hpp"

namespace dugraph {

class PairRows {
  public:
    // All bits together may take `memory` bytes.
    PairRows(const Rows& rows, std::size_t memory);
    ~PairRows();
    PairRows(const PairRows&) = delete;

    // The words of the edges at `node` that may be together with edge `id`; null where memory is used up, or
    // another thread is about to make them. O(1) once made; O(n degree) the first time.
    const std::uint64_t* at(std::int32_t id, std::int32_t node) const {
        const Row* row = rows_of_pairs_[static_cast<std::size_t>(id)].load(std::memory_order_acquire);
        if (row && row->state[node].load(std::memory_order_acquire) == State::made)
            return row->words.get() + first_word_[static_cast<std::size_t>(node)];
        return made(id, node);
    }
    // The place of an edge among those at one of its nodes.
    std::size_t slot(std::int32_t id, std::int32_t node) const {
        const auto k = static_cast<std::size_t>(id);
        return rows_.node_a[k] == node ? slot_a_[k] : slot_b_[k];
    }
    std::size_t memory_used() const { return used_.load(); }

  private:
    enum class State : std::uint8_t { none, being_made, made };
    struct Row {
        std::unique_ptr<std::uint64_t[]> words;
        std::unique_ptr<std::atomic<State>[]> state;  // by node
    };

    const std::uint64_t* made(std::int32_t id, std::int32_t node) const;
    Row* make_row(std::int32_t id) const;
    void fill(std::int32_t id, std::int32_t node, std::uint64_t* words) const;

    const Rows& rows_;
    const std::size_t memory_;
    std::vector<std::size_t> first_word_;         // node -> its first word in a row
    std::vector<std::uint32_t> slot_a_, slot_b_;  // id -> its place at either node
    mutable std::vector<std::atomic<Row*>> rows_of_pairs_;
    mutable std::atomic<std::size_t> used_{0};
};

}  // namespace dugraph
