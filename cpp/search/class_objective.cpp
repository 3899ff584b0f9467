#include "search/class_objective.hpp"

#include <algorithm>
#include <stdexcept>

namespace dugraph {

namespace {

ClassView checked_view(const Rows& rows, const std::uint8_t* positive) {
    ClassView view(positive, rows.n_graphs, rows.width);
    if (view.n_pos() == 0 || view.n_neg() == 0) throw std::invalid_argument("both classes need a graph");
    return view;
}

// The largest expected supports of an edge.
ClassMass largest_mass(const Rows& rows, const ClassView& view) {
    const AlignedVector<double> ones(rows.width, 1.0);
    ClassMass top;
    for (std::size_t id = 0; id < rows.n_edges(); ++id) {
        const ClassMass mass = view.masses(ones.data(), rows.row(static_cast<std::int32_t>(id)));
        top = {std::max(top.pos, mass.pos), std::max(top.neg, mass.neg)};
    }
    return top;
}

}  // namespace

ClassObjective::ClassObjective(const Rows& rows, const std::uint8_t* positive, const Limits& limits,
                               const std::atomic<bool>& stop, bool coarse_tables_are_cheap, bool uses_tables)
    : rows_(rows),
      view_(checked_view(rows, positive)),
      bound_(limits.bound),
      top_mass_(largest_mass(rows, view_)),
      mass_(
          top_mass_, view_.n_pos(), view_.n_neg(), rows.surely_not,
          uses_tables && limits.bound == Bound::mass, coarse_tables_are_cheap, {limits.n_threads, stop},
          [this](const MassGrid& grid, double level, const Workforce& workforce) {
              return cell_bounds(grid, level, workforce);
          },
          limits.past) {}

}  // namespace dugraph
