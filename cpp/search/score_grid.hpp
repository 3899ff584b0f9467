// A score on the grid of supports, as levels, and the monotone tables that bound it. See docs/search.md.
#pragma once

#include <cstdint>
#include <vector>

#include "search/input.hpp"

namespace dugraph {

// Everything is kept in level numbers, which order as the scores do.
struct ScoreGrid {
    explicit ScoreGrid(const Input& input);

    std::size_t rows, columns;  // n_pos + 1, n_neg + 1
    const double* levels;
    std::size_t n_levels;
    const std::int32_t* level_of;         // the score f(a, b)
    std::vector<std::int32_t> worldwise;  // f^: the largest score of any a' <= a, b' <= b (the paper's bound)
    std::vector<std::int32_t> rising,
        falling;  // f+ rises in a and falls in b, f- the other way; f <= max(f+, f-)

    double top() const { return levels[n_levels - 1]; }
};

// table[cell] = levels[level_of[cell]] - shift, or 1 where the level is at least `from` and 0 elsewhere.
std::vector<double> level_values(const std::vector<std::int32_t>& level_of, const double* levels,
                                 double shift);
std::vector<double> level_indicator(const std::vector<std::int32_t>& level_of, std::int32_t from);

}  // namespace dugraph
