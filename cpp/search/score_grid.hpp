// A score on the grid of supports, as levels, and the monotone tables that bound it. See docs/search.md.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "search/goal.hpp"

namespace dugraph {

// f+ rises in a and falls in b, f- the other way; f <= max(f+, f-).
struct MonotoneTables {
    std::vector<std::int32_t> rising, falling;
};

// Everything is kept in level numbers, which order as the scores do. Tables are made when first asked for:
// O(rows columns).
class ScoreGrid {
  public:
    ScoreGrid(const ClassScore& score, std::size_t n_pos, std::size_t n_neg);

    // f^: the largest score of any a' <= a, b' <= b (the paper's bound).
    const std::vector<std::int32_t>& worldwise() const;
    const MonotoneTables& monotone() const;

    const std::size_t rows, columns;  // n_pos + 1, n_neg + 1
    const double* const levels;
    const std::size_t n_levels;
    const std::int32_t* const level_of;  // the score f(a, b)

  private:
    MonotoneTables make_monotone() const;

    mutable std::once_flag worldwise_made_, monotone_made_;
    mutable std::vector<std::int32_t> worldwise_;
    mutable MonotoneTables monotone_;
};

// table[cell] = levels[level_of[cell]] - shift, or 1 where the level is at least `from` and 0 elsewhere.
std::vector<double> level_values(const std::vector<std::int32_t>& level_of, const double* levels,
                                 double shift);
std::vector<double> level_indicator(const std::vector<std::int32_t>& level_of, std::int32_t from);

}  // namespace dugraph
