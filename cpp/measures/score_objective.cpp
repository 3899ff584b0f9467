#include "measures/score_objective.hpp"

#include <algorithm>
#include <cmath>
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

ScoreObjective::ScoreObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                               const std::atomic<bool>& stop, MassBound::Grids grids)
    : rows_(rows),
      view_(checked_view(rows, score.positive)),
      bound_(limits.bound),
      score_(score, view_.n_pos(), view_.n_neg()),
      top_mass_(largest_mass(rows, view_)),
      mass_({top_mass_, view_.n_pos(), view_.n_neg(), rows.surely_not},
            bound_ == Bound::mass ? grids : MassBound::Grids::none, {limits.n_threads, stop}) {}

double ScoreObjective::promise(const ClassMass& mass) const {
    const auto a = static_cast<std::size_t>(std::lround(mass.pos)),
               b = static_cast<std::size_t>(std::lround(mass.neg));
    return score_.levels[score_.level_of[std::min(a, score_.rows - 1) * score_.columns +
                                         std::min(b, score_.columns - 1)]];
}

}  // namespace dugraph
