// The dynamic programs of one thread: support distributions of a subgraph in both classes, and sums over
// their product.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/class_view.hpp"
#include "support/support_distribution.hpp"

namespace dugraph {

// Where a measure jumps, probabilities this close count as equal (rules 3 and 8).
inline constexpr double jump_tolerance = 1e-12;

class Programs {
  public:
    Programs(const ClassView& view, std::size_t n_levels);

    // Runs both programs on the containment probabilities x; each omits at most `tail`.
    void run(const double* x, double tail);

    // Results of the last run: the probabilities of supports within the windows.
    const double* pos() const { return pos_.data(); }
    const double* neg() const { return neg_.data(); }
    Window window_pos() const { return window_pos_; }
    Window window_neg() const { return window_neg_; }

    // E g(n_pos_g, n_neg_g) for a table g of n_pos + 1 rows and n_neg + 1 columns.
    double average(const std::vector<double>& table) const;
    // Probability of the cells whose level is at least (below) `level`.
    double probability_from(const std::int32_t* level_of, std::int32_t level) const;
    double probability_below(const std::int32_t* level_of, std::int32_t level) const;
    // Probability of the most likely cell.
    double most_likely_cell() const;

    // Smallest level whose cumulative probability reaches `quantile` minus the tolerance of rule 8.
    std::int32_t quantile_level(const std::int32_t* level_of, double quantile) const;
    // Highest level whose probability is within `tie` of the largest.
    std::int32_t mode_level(const std::int32_t* level_of, double tie);

  private:
    void fill_bins(const std::int32_t* level_of);
    void clear_bins(const std::int32_t* level_of);

    const ClassView* view_;
    std::size_t n_pos_, n_neg_, n_levels_;
    std::vector<double> x_pos_, x_neg_;
    AlignedVector<double> pos_, neg_;
    Window window_pos_{0, 0}, window_neg_{0, 0};
    std::vector<double> bins_;  // all zero between calls
};

}  // namespace dugraph
