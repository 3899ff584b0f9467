// What the measures of a score's distribution have in common: the two classes, the score's table, the mass
// bound over both. Statistic of a subgraph: its expected supports (A, B). O(n) per node.
#pragma once

#include <atomic>
#include <vector>

#include "search/class_view.hpp"
#include "search/goal.hpp"
#include "search/mass_bound.hpp"
#include "search/objective.hpp"
#include "search/programs.hpp"
#include "search/rows.hpp"

namespace dugraph {

class ScoreObjective {
  public:
    using Scratch = Programs;
    using Statistic = ClassMass;

    ScoreObjective(const ScoreObjective&) = delete;
    Scratch make_scratch() const { return Programs(view_, score_.n_levels); }
    ClassMass weigh(const double* x, const double* p) const { return view_.masses(x, p); }
    // The score at the expected supports, as if the graphs were certain.
    double promise(const ClassMass& mass) const;
    double own_bound(const ClassMass& mass) const { return mass_.own(mass); }
    double subtree_bound(const ClassMass& mass) const { return mass_.subtree(mass); }

  protected:
    ScoreObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                   const std::atomic<bool>& stop, bool coarse_tables_are_cheap = true);
    virtual ~ScoreObjective() = default;

    // Bounds per cell of the grid, for graphs that are uncertain; and the score as it is when they are not.
    virtual std::vector<double> uncertain_bounds(const MassGrid& grid, std::int32_t level,
                                                 const Workforce& workforce) const = 0;
    virtual std::vector<double> ordinary_scores() const;

    const Rows& rows_;
    const ClassView view_;
    const Bound bound_;
    const ScoreGrid score_;
    const ClassMass top_mass_;  // no subgraph has larger expected supports
    MassBound mass_;
};

}  // namespace dugraph
