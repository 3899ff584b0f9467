// The distribution of a score: the probability of each of its levels (the paper's Eq. 3.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dugraph {

// The supports of many subgraphs in both classes, row by row, and the level of each pair of supports.
struct ScoredSupports {
    std::size_t count, n_pos, n_neg, n_levels;
    const double* n_pos_g;         // (count, n_pos + 1)
    const double* n_neg_g;         // (count, n_neg + 1)
    const std::int32_t* level_of;  // (n_pos + 1, n_neg + 1), each below n_levels
};

// The levels of positive probability of one subgraph after the other, ascending; those of subgraph i end at
// end[i].
struct LevelMasses {
    std::vector<std::int64_t> level, end;
    std::vector<double> mass;
};

// tail: the mass that may be omitted at either end of each support; 0 omits nothing.
LevelMasses level_masses(const ScoredSupports& supports, double tail);

}  // namespace dugraph
