// What the measures of a score of two classes have in common, however the score is given: the classes and the
// mass bound over them. Statistic of a subgraph: its expected supports (A, B). O(n) per node.
#pragma once

#include <atomic>
#include <vector>

#include "search/class_view.hpp"
#include "search/mass_bound.hpp"
#include "search/objective.hpp"
#include "search/problem.hpp"
#include "search/rows.hpp"

namespace dugraph {

class ClassObjective {
  public:
    using Statistic = ClassMass;

    ClassObjective(const ClassObjective&) = delete;
    ClassMass weigh(const double* x, Row p) const { return view_.masses(x, p); }
    double own_bound(const ClassMass& mass) const { return mass_.own(mass); }
    double subtree_bound(const ClassMass& mass) const { return mass_.subtree(mass); }

  protected:
    ClassObjective(const Rows& rows, const std::uint8_t* positive, const Limits& limits,
                   const std::atomic<bool>& stop, bool coarse_tables_are_cheap = true,
                   bool uses_tables = true);
    virtual ~ClassObjective() = default;

    // Bounds per cell of a grid; those of quantile and mode are steps against a level.
    virtual std::vector<double> cell_bounds(const MassGrid& grid, double level,
                                            const Workforce& workforce) const = 0;

    const Rows& rows_;
    const ClassView view_;
    const Bound bound_;
    const ClassMass top_mass_;  // no subgraph has larger expected supports
    MassBound mass_;
};

}  // namespace dugraph
