// The current subgraph of a worker: its edges in the order they were added, its nodes, and the edges that may
// extend it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/rows.hpp"

namespace dugraph {

class Path {
  public:
    explicit Path(const Rows& rows) : rows_(rows), touched_(rows.n_nodes) {}

    const std::vector<std::int32_t>& edges() const { return edges_; }

    void clear() {
        edges_.clear();
        std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
    }

    // Adds an edge without finding its extensions.
    void add(std::int32_t edge) {
        edges_.push_back(edge);
        touched_[rows_.node_a[edge]] = touched_[rows_.node_b[edge]] = 1;
    }

    // The nodes that an edge has added.
    struct Entered {
        bool a, b;
    };

    // Adds an edge and finds the extensions of the new subgraph: its `siblings`, and the edges at the nodes
    // that it adds. O(degree + n_siblings).
    template <class Child>
    Entered add(std::int32_t edge, const Child* siblings, std::size_t n_siblings,
                std::vector<std::int32_t>& extensions) {
        edges_.push_back(edge);
        extensions.clear();
        for (std::size_t k = 0; k < n_siblings; ++k) extensions.push_back(siblings[k].edge);
        const bool a = enter(rows_.node_a[edge], extensions), b = enter(rows_.node_b[edge], extensions);
        return {a, b};
    }

    // Removes the last edge.
    void remove_last(Entered entered) {
        const std::int32_t edge = edges_.back();
        if (entered.a) touched_[rows_.node_a[edge]] = 0;
        if (entered.b) touched_[rows_.node_b[edge]] = 0;
        edges_.pop_back();
    }

  private:
    // If the node is new, adds its edges to nodes outside the subgraph that come after the first edge.
    bool enter(std::int32_t node, std::vector<std::int32_t>& extensions) {
        if (touched_[node]) return false;
        touched_[node] = 1;
        const auto& incident = rows_.incident[static_cast<std::size_t>(node)];
        const auto later =
            std::upper_bound(incident.begin(), incident.end(), edges_[0],
                             [](std::int32_t first, const auto& edge) { return first < edge.id; });
        for (auto edge = later; edge != incident.end(); ++edge) {
            if (!touched_[edge->other]) extensions.push_back(edge->id);
        }
        return true;
    }

    const Rows& rows_;
    std::vector<std::int32_t> edges_;
    std::vector<std::uint8_t> touched_;  // node -> whether an edge of the subgraph touches it
};

}  // namespace dugraph
