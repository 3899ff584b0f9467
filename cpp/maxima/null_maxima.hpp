// The two computations of a significance test, each one traversal of all admitted subgraphs. Both are pure
// functions of their arguments: relabelings are independent of each other (unless only those above a critical
// value matter), so a range of them gives bit-identical results wherever it is computed, for any number of
// threads and order of work.
#pragma once

#include <set>
#include <vector>

#include "graph/prepared.hpp"
#include "maxima/relabelings.hpp"
#include "walk/problem.hpp"

namespace dugraph {

using EdgeSet = std::vector<std::int32_t>;  // canonical indices, ascending

struct NullMaxima {
    // (n_relabelings, n_classes); 0 where there is no subgraph. Values below a requested critical value are
    // replaced by it.
    std::vector<double> maxima;
    std::vector<std::int64_t> n_admitted;  // subgraphs per size class
    Status status = Status::optimal;       // otherwise the maxima are invalid
    Counters counters;
    double seconds = 0;
};

// The largest statistic of each relabeling in each size class, over all admitted subgraphs except those
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
