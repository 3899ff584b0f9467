// The search as a pure function: takes a part of the work, returns the best subgraphs of that part and the
// remaining work.
#pragma once

#include <vector>

#include "graph/prepared.hpp"
#include "rank/goal.hpp"
#include "rank/threshold.hpp"
#include "rank/top_list.hpp"
#include "walk/frontier.hpp"

namespace dugraph {

struct Result {
    std::vector<std::int64_t> indptr{0};   // subgraph k is edge_index[indptr[k] .. indptr[k + 1]), best first
    std::vector<std::int32_t> edge_index;  // canonical edge indices, ascending within a subgraph
    std::vector<double> values;
    Status status = Status::optimal;
    double threshold = -std::numeric_limits<double>::infinity();  // worst value of a full list
    double best_open_bound = -std::numeric_limits<double>::infinity();
    Frontier frontier;  // remaining work
    Counters counters;
    double seconds = 0;
    double setup_seconds = 0;
};

// The best connected subgraphs of the open work in `frontier`, as far as they may beat `start`: exactly,
// unless a limit ends the search first. Merging the lists of searches over parts of the work, each started
// with any threshold reached so far, gives exactly the list of one search over all of it. The list does not
// depend on the bound, the number of threads or the machine. Throws std::invalid_argument on inconsistent
// input. `known` are subgraphs that other searches have found, with their values: they are listed as if they
// had been visited here, so that the threshold rises with every better one.
Result search(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
              const Limits& limits, const Poll& poll, const std::vector<Entry>& known = {});

}  // namespace dugraph
