// The subgraph that a worker is at: its edges in the order they were added, the nodes they touch, and the
// edges that may extend it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "search/pair_rows.hpp"

namespace dugraph {

class Path {
  public:
    Path(const Rows& rows, const PairRows& pairs) : rows_(rows), pairs_(pairs), touched_(rows.n_nodes) {}

    const std::vector<std::int32_t>& edges() const { return edges_; }

    void clear() {
        edges_.clear();
        std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
    }

    // Adds an edge without asking what extends it.
    void add(std::int32_t edge) {
        edges_.push_back(edge);
        touched_[rows_.node_a[edge]] = touched_[rows_.node_b[edge]] = 1;
    }

    // Which nodes an edge has brought in.
    struct Entered {
        bool a, b;
    };

    // Adds an edge, and finds what may extend the subgraph then: those of `siblings` that may join it, and
    // edges at the nodes that it brings in. O(degree (size + n_siblings)).
    template <class Child>
    Entered add(std::int32_t edge, const Child* siblings, std::size_t n_siblings,
                std::vector<std::int32_t>& extensions) {
        edges_.push_back(edge);
        extensions.clear();
        for (std::size_t k = 0; k < n_siblings; ++k) {
            if (may_join(edge, siblings[k].edge)) extensions.push_back(siblings[k].edge);
        }
        const bool a = enter(rows_.node_a[edge], extensions), b = enter(rows_.node_b[edge], extensions);
        return {a, b};
    }

    // Takes the last edge away.
    void remove_last(Entered entered) {
        const std::int32_t edge = edges_.back();
        if (entered.a) touched_[rows_.node_a[edge]] = 0;
        if (entered.b) touched_[rows_.node_b[edge]] = 0;
        edges_.pop_back();
    }

  private:
    // Whether a sibling may extend the subgraph that `edge` has just joined, as far as the bits at the node
    // by which the sibling touches it tell.
    bool may_join(std::int32_t edge, std::int32_t sibling) const {
        const std::int32_t a = rows_.node_a[sibling];
        const std::int32_t node = touched_[a] ? a : rows_.node_b[sibling];
        const std::uint64_t* words = pairs_.at(edge, node);
        if (!words) return true;
        const std::size_t slot = pairs_.slot(sibling, node);
        return words[slot / 64] >> (slot % 64) & 1;
    }

    // If the node is new, adds the edges from it to nodes outside of the subgraph which are frequent with
    // each of its edges, and later than its first one.
    bool enter(std::int32_t node, std::vector<std::int32_t>& extensions) {
        if (touched_[node]) return false;
        touched_[node] = 1;
        const auto& incident = rows_.incident[static_cast<std::size_t>(node)];
        const auto later =
            std::upper_bound(incident.begin(), incident.end(), edges_[0],
                             [](std::int32_t first, const auto& edge) { return first < edge.id; });
        const auto from = static_cast<std::size_t>(later - incident.begin());
        if (from == incident.size()) return true;
        segments_.clear();
        for (const std::int32_t edge : edges_) {
            if (const std::uint64_t* words = pairs_.at(edge, node)) segments_.push_back(words);
        }
        const std::size_t n_words = (incident.size() + 63) / 64;
        for (std::size_t word = from / 64; word < n_words; ++word) {
            std::uint64_t bits = ~std::uint64_t{0};
            if (word == from / 64) bits <<= from % 64;
            if (word == n_words - 1 && incident.size() % 64)
                bits &= ~(~std::uint64_t{0} << incident.size() % 64);
            for (const std::uint64_t* words : segments_) bits &= words[word];
            for (; bits != 0; bits &= bits - 1) {
                const auto& edge = incident[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
                if (!touched_[edge.other]) extensions.push_back(edge.id);
            }
        }
        return true;
    }

    const Rows& rows_;
    const PairRows& pairs_;
    std::vector<std::int32_t> edges_;
    std::vector<std::uint8_t> touched_;           // node -> whether an edge of the subgraph touches it
    std::vector<const std::uint64_t*> segments_;  // of the node being entered
};

}  // namespace dugraph
