// What the measures of a score's distribution have in common where the score is a table.
#pragma once

#include <vector>

#include "search/class_objective.hpp"
#include "search/goal.hpp"
#include "search/programs.hpp"

namespace dugraph {

class ScoreObjective : public ClassObjective {
  public:
    using Scratch = Programs;

    Scratch make_scratch() const { return Programs(view_, score_.n_levels); }
    // The score at the expected supports, as if the graphs were certain.
    double promise(const ClassMass& mass) const;

  protected:
    ScoreObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                   const std::atomic<bool>& stop, bool coarse_tables_are_cheap = true)
        : ClassObjective(rows, score.positive, limits, stop, coarse_tables_are_cheap),
          score_(score, view_.n_pos(), view_.n_neg()) {}

    // Bounds per cell of the grid, for graphs that are uncertain; and the score as it is when they are not.
    virtual std::vector<double> uncertain_bounds(const MassGrid& grid, std::int32_t level,
                                                 const Workforce& workforce) const = 0;
    virtual std::vector<double> ordinary_scores() const;
    std::vector<double> cell_bounds(const MassGrid& grid, double level,
                                    const Workforce& workforce) const override;

    const ScoreGrid score_;
};

}  // namespace dugraph
