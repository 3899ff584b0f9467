// Label-free data of uncertain graphs for searches. One Prepared serves all labels, weights and objectives,
// in consecutive or concurrent searches.
#pragma once

#include "graph/rows.hpp"

namespace dugraph {

struct Prepared {
    // `poll` is called periodically and may throw to cancel. O(n_edges n_graphs).
    Prepared(const Graphs& graphs, const std::function<void()>& poll) : rows(graphs, poll) {}
    Prepared(const Prepared&) = delete;  // large; searches keep references to it

    Rows rows;
};

}  // namespace dugraph
