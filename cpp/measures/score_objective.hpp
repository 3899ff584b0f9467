// What all measures of a score of two classes share: the classes, the score as a table, and the mass bound.
// Statistic of a subgraph: its expected supports (A, B). O(n) per node.
#pragma once

#include <atomic>
#include <vector>

#include "bounds/mass_bound.hpp"
#include "graph/class_view.hpp"
#include "graph/rows.hpp"
#include "measures/programs.hpp"
#include "measures/score_grid.hpp"
#include "rank/goal.hpp"
#include "rank/objective.hpp"
#include "walk/problem.hpp"

namespace dugraph {

class ScoreObjective {
  public:
    using Statistic = ClassMass;
    using Scratch = Programs;

    ScoreObjective(const ScoreObjective&) = delete;
    Scratch make_scratch() const { return Programs(view_, score_.n_levels); }
    ClassMass weigh(const double* x, Row p) const { return view_.masses(x, p); }
    // The score at the expected supports, as if the graphs were certain.
    double promise(const ClassMass& mass) const;
    double own_bound(const ClassMass& mass) const { return mass_.own(mass); }
    double subtree_bound(const ClassMass& mass) const { return mass_.subtree(mass); }

  protected:
    ScoreObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                   const std::atomic<bool>& stop, MassBound::Grids grids = MassBound::Grids::coarse_first);
    ~ScoreObjective() = default;

    // Whether examine() has a sharper subtree bound. Between certain graphs the table of the mass bound is
    // exact.
    bool program_bounds_subtree() const {
        return bound_ == Bound::worldwise || (bound_ == Bound::mass && !rows_.certain);
    }

    const Rows& rows_;
    const ClassView view_;
    const Bound bound_;
    const ScoreGrid score_;
    const ClassMass top_mass_;  // no subgraph has larger expected supports
    MassBound mass_;
};

}  // namespace dugraph
