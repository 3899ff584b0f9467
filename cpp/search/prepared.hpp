// What a search knows of uncertain graphs before it starts. No labels: one Prepared serves every labelling,
// every weight vector and every objective, one search after the other or several at once.
#pragma once

#include "search/pair_rows.hpp"
#include "search/rows.hpp"

namespace dugraph {

struct Prepared {
    // pair_memory: bytes that the rows of pairs may take. `breathe` is called now and then and may throw to
    // give up. O(n_edges n_graphs).
    Prepared(const Graphs& graphs, std::size_t pair_memory, const std::function<void()>& breathe)
        : rows(graphs, breathe), pairs(rows, pair_memory) {}
    Prepared(const Prepared&) = delete;  // the rows of pairs refer to the rows

    Rows rows;
    PairRows pairs;
};

}  // namespace dugraph
