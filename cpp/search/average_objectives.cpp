#include "search/average_objectives.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

AverageObjective::AverageObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                                   const std::atomic<bool>& stop, double shift, double top, double cut,
                                   TableOf table_of)
    : ScoreObjective(rows, score, limits, stop),
      shift_(shift),
      top_(top),
      cut_(cut),
      table_of_(std::move(table_of)),
      gain_(table_of_({score_.level_of, score_.level_of + score_.rows * score_.columns})),
      gain_worldwise_(has_closer_bound() ? table_of_(score_.worldwise()) : std::vector<double>{}) {}

std::vector<double> AverageObjective::uncertain_bounds(const MassGrid& grid, std::int32_t,
                                                       const Workforce& workforce) const {
    const MonotoneTables& monotone = score_.monotone();
    std::vector<double> bounds =
        envelope_expectation(grid, table_of_(monotone.rising), table_of_(monotone.falling), cut_, workforce);
    for (double& bound : bounds) bound = std::min(bound * (1 + screen_margin), top_) + shift_;
    return bounds;
}

// Added up as value() does.
std::vector<double> AverageObjective::ordinary_scores() const {
    std::vector<double> scores = gain_;
    for (double& score : scores) score += shift_;
    return scores;
}

Verdict AverageObjective::examine_program(const Screened<ClassMass>& g, const Threshold& threshold,
                                          bool want_value, bool want_bound, double tail,
                                          Programs& programs) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    programs.run(g.x, tail);
    const auto most = [&](const std::vector<double>& table) {
        return std::min(programs.average(table) * (1 + screen_margin) + 2 * tail * top_, top_) + shift_;
    };
    return {want_value && !threshold.excludes(most(gain_), g.size),
            want_bound ? most(gain_worldwise_) : infinity, 1};
}

ExpectationObjective::ExpectationObjective(const Rows& rows, const Expectation& goal, const Limits& limits,
                                           const std::atomic<bool>& stop)
    : AverageObjective(rows, goal, limits, stop, goal.levels[0],
                       goal.levels[goal.n_levels - 1] - goal.levels[0], 1e-20,
                       [goal](const std::vector<std::int32_t>& level_of) {
                           return level_values(level_of, goal.levels, goal.levels[0]);
                       }),
      square_{goal.square_scale, static_cast<double>(view_.n_pos()), static_cast<double>(view_.n_neg())} {}

double ExpectationObjective::own_bound(const ClassMass& mass) const {
    const double by_table = mass_.own(mass);
    if (!square_ || bound_ != Bound::mass) return by_table;
    return std::min(by_table, square_.own_bound(mass.pos, mass.neg));
}

double ExpectationObjective::subtree_bound(const ClassMass& mass) const {
    const double by_table = mass_.subtree(mass);
    if (!square_ || bound_ != Bound::mass) return by_table;
    return std::min(by_table, square_.subtree_bound(mass, rows_.surely_not));
}

std::vector<double> ExpectationObjective::uncertain_bounds(const MassGrid& grid, std::int32_t level,
                                                           const Workforce& workforce) const {
    std::vector<double> bounds = AverageObjective::uncertain_bounds(grid, level, workforce);
    if (square_) {
        const std::vector<double> closed = square_expectation(grid, square_.scale);
        for (std::size_t i = 0; i < bounds.size(); ++i)
            bounds[i] = std::min(bounds[i], closed[i] * (1 + screen_margin));
    }
    return bounds;
}

Verdict ExpectationObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold,
                                      bool want_value, bool want_bound, Programs& programs) const {
    if (!square_ || want_bound) return examine_program(g, threshold, want_value, want_bound, 1e-10, programs);
    return {!threshold.excludes(square_.most(g.statistic, view_.squares(g.x)), g.size), infinity, 0};
}

double ExpectationObjective::value(const double* x, Programs& programs) const {
    programs.run(x, 0);
    return std::min(programs.average(gain_), top_) + shift_;
}

PhiObjective::PhiObjective(const Rows& rows, const PhiProbability& goal, const Limits& limits,
                           const std::atomic<bool>& stop)
    // Phi-probabilities may be tiny and must keep their order of magnitude.
    : AverageObjective(rows, goal, limits, stop, 0, 1, 1e-300,
                       [first = goal.first_level](const std::vector<std::int32_t>& level_of) {
                           return level_indicator(level_of, first);
                       }),
      first_level_(goal.first_level) {}

Verdict PhiObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                              bool want_bound, Programs& programs) const {
    const double tail = threshold.value > 0 ? std::clamp(threshold.value * 1e-4, 1e-300, 1e-10) : 1e-300;
    return examine_program(g, threshold, want_value, want_bound, tail, programs);
}

double PhiObjective::value(const double* x, Programs& programs) const {
    programs.run(x, 0);
    // Above one half from the complement: what differs from 1 by less than a rounding is 1.
    const double from = programs.probability_from(score_.level_of, first_level_);
    return from > 0.5 ? 1 - programs.probability_below(score_.level_of, first_level_) : from;
}

}  // namespace dugraph
