// The mode of a score of |a - b| alone, for classes of equal size, such as HSIC: bounds in O(1). See
// docs/searching.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/rows.hpp"
#include "measures/score_grid.hpp"

namespace dugraph {

class FoldedMode {
  public:
    // The score of |a - b| = d must rise with d: scores[d] bounds it.
    explicit FoldedMode(std::vector<double> scores = {}) : scores_(std::move(scores)) {}
    // The scores by d if a table depends on |a - b| only. O(cells).
    explicit FoldedMode(const ScoreGrid& score) {
        if (score.rows != score.columns || score.rows > most_graphs) return;
        for (std::size_t a = 0; a < score.rows; ++a) {
            for (std::size_t b = 0; b < score.columns; ++b) {
                if (score.level_of[a * score.columns + b] != score.level_of[a < b ? b - a : a - b]) return;
            }
            if (a > 0 && score.level_of[a] <= score.level_of[a - 1]) return;
        }
        for (std::size_t d = 0; d < score.columns; ++d) scores_.push_back(score.levels[score.level_of[d]]);
    }
    // Beyond, two levels might tie within the tolerance of rule 3.
    static constexpr std::size_t most_graphs = 300'000;

    explicit operator bool() const { return !scores_.empty(); }

    double own_bound(const ClassMass& mass) const { return at(std::fabs(mass.pos - mass.neg)); }
    // The lost mass comes from one class.
    double subtree_bound(const ClassMass& mass, double limit) const {
        const auto lead = [&](double more) { return more - std::max(0.0, limit - more); };
        return at(std::max(lead(mass.pos), lead(mass.neg)));
    }

  private:
    double at(double lead) const {
        const double most = std::max(1.0, std::ceil(lead * (1 + screen_margin) + screen_margin));
        return scores_[std::min(static_cast<std::size_t>(most), scores_.size() - 1)];
    }
    std::vector<double> scores_;
};

}  // namespace dugraph
