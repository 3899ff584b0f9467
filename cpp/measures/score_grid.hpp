// A score on the grid of supports, as levels, and the monotone tables that bound it. See docs/searching.md.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "rank/goal.hpp"

namespace dugraph {

// f+ rises in a and falls in b, f- the other way; f <= max(f+, f-).
struct MonotoneTables {
    std::vector<std::int32_t> rising, falling;
};

// Tables contain level numbers, which have the same order as the scores, and are computed on first use:
// O(rows columns).
class ScoreGrid {
  public:
    ScoreGrid(const ClassScore& score, std::size_t n_pos, std::size_t n_neg);

    // f^: the largest score of any a' <= a, b' <= b (the paper's bound).
    const std::vector<std::int32_t>& worldwise() const;
    const MonotoneTables& monotone() const;
    // The score itself as such a table; and the table of the values that levels have.
    std::vector<std::int32_t> table() const { return {level_of, level_of + rows * columns}; }
    static std::vector<double> values(const std::vector<std::int32_t>& table,
                                      const std::vector<double>& value_of_level);

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

}  // namespace dugraph
