// The two questions of a test of significance, each answered by one walk over all admitted subgraphs. Both
// are pure functions of their arguments: relabelings do not see each other (unless only those above a
// critical value matter), so that a range of them gives the same bytes wherever and beside whichever others
// it is computed; and so do threads, bounds and the order of work.
#pragma once

#include <set>
#include <vector>

#include "graph/prepared.hpp"
#include "maxima/relabelings.hpp"
#include "walk/problem.hpp"

namespace dugraph {

using EdgeSet = std::vector<std::int32_t>;  // canonical indices, ascending

struct NullMaxima {
    // (n_relabelings, n_classes); 0 where there is no subgraph. Those below a critical value that was asked
    // for are given as that value.
    std::vector<double> maxima;
    std::vector<std::int64_t> n_admitted;  // subgraphs per size class
    Status status = Status::optimal;       // anything else: the maxima mean nothing
    Counters counters;
    double seconds = 0;
};

// The largest statistic of each relabeling in each size class, over all admitted subgraphs but those
// excluded.
NullMaxima null_maxima(const Prepared& prepared, const Relabelings& test, const std::set<EdgeSet>& excluded,
                       const Limits& limits, const Poll& poll);

struct Reached {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> edge_index;  // canonical; subgraphs by size, then by edges
    std::vector<double> values;
    std::vector<std::int64_t> contrasts;
    Status status = Status::optimal;
    Counters counters;
    double seconds = 0;
};

// All admitted subgraphs whose statistic is at least the threshold of their size class in the one relabeling
// given.
Reached reached(const Prepared& prepared, const Relabelings& test, const double* thresholds,
                const Limits& limits, const Poll& poll);

}  // namespace dugraph
