// Which two edges can be in an admitted subgraph together, as bits.
//
// A subgraph that holds an infrequent pair is infrequent itself, so an edge that is infrequent together with
// ANY edge of g cannot extend g. The bits of a row are grouped by node: bit k of node v's words stands for
// the k-th edge at v. So the extensions through a new node v are one AND of a few words per edge of g.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "search/cohort.hpp"

namespace dugraph {

class PairTable {
  public:
    PairTable(const Cohort& cohort, int n_threads, const std::atomic<bool>& stop);

    const std::uint64_t* row(std::int32_t id) const {
        return bits_.data() + static_cast<std::size_t>(id) * words_;
    }
    // The row of an edge, with no bits but those of later edges: what a search from this first edge may use.
    void row_of_later(const Cohort& cohort, std::int32_t first, std::vector<std::uint64_t>& to) const;
    // Whether the edge of this row and another may be together.
    bool together(const std::uint64_t* row_of_edge, std::int32_t other) const {
        const std::uint32_t slot = slot_[static_cast<std::size_t>(other)];
        return row_of_edge[slot / 64] >> (slot % 64) & 1;
    }
    std::size_t first_word(std::int32_t node) const { return first_word_[static_cast<std::size_t>(node)]; }
    std::size_t end_word(std::int32_t node) const { return first_word_[static_cast<std::size_t>(node) + 1]; }

  private:
    void fill_row(const Cohort& cohort, std::int32_t id);

    std::size_t words_ = 0;
    std::vector<std::size_t> first_word_;  // node -> its first word in a row
    std::vector<std::uint32_t> slot_;      // id -> its bit among those of its first node
    std::vector<std::uint64_t> bits_;
};

}  // namespace dugraph
