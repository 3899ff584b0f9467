// What a search knows of uncertain graphs before it starts. No labels: one Prepared serves every labelling,
// every weight vector and every objective, one search after the other or several at once.
#pragma once

#include "graph/rows.hpp"

namespace dugraph {

struct Prepared {
    // `poll` is called periodically and may throw to cancel. O(n_edges n_graphs).
    Prepared(const Graphs& graphs, const std::function<void()>& poll) : rows(graphs, poll) {}
    Prepared(const Prepared&) = delete;  // large, and referred to by searches

    Rows rows;
};

}  // namespace dugraph
