#include "search/average_objectives.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The least slope such that no pair of supports (a, b) with b > slope a has this level; infinite if there is
// one with a = 0.
double steepest(const ScoreGrid& score, std::int32_t level) {
    double slope = 0;
    for (std::size_t a = 0; a < score.rows; ++a) {
        const std::int32_t* row = score.level_of + a * score.columns;
        for (std::size_t b = score.columns - 1; b > slope * static_cast<double>(a); --b) {
            if (row[b] >= level) slope = a > 0 ? static_cast<double>(b) / static_cast<double>(a) : infinity;
        }
    }
    return slope;
}

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
      gain_worldwise_(has_closer_bound() ? table_of_(score_.worldwise()) : std::vector<double>{}),
      kept_(score_, rows.surely_not, table_of_, top) {}

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
    const auto most = [&](double average) {
        return std::min(average * (1 + screen_margin) + 2 * tail * top_, top_) + shift_;
    };
    Verdict verdict{want_value && !threshold.excludes(most(programs.average(gain_)), g.size), infinity, 1};
    if (!want_bound) return verdict;
    if (bound_ == Bound::mass) {
        const KeptMass::Averages kept = kept_.most(programs, g.statistic);
        verdict.subtree_bound = most(kept.rising + kept.falling);
        if (threshold.excludes(verdict.subtree_bound, g.size + 1)) return verdict;
    }
    verdict.subtree_bound = std::min(verdict.subtree_bound, most(programs.average(gain_worldwise_)));
    return verdict;
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
      first_level_(goal.first_level),
      slope_(bound_ == Bound::mass ? steepest(score_, first_level_) : infinity) {}

// Pr[slope a - b >= 0] by the theorem of Berry and Esseen, with Shevtsova's constant.
bool PhiObjective::rules_out(const Screened<ClassMass>& g, const Threshold& threshold) const {
    if (slope_ == infinity || threshold.value < 0.5) return false;
    const ClassMass squares = view_.squares(g.x);
    const double spread_pos = std::max(0.0, g.statistic.pos - squares.pos) * slope_ * slope_,
                 spread_neg = std::max(0.0, g.statistic.neg - squares.neg);
    const double variance = spread_pos + spread_neg, deviation = std::sqrt(variance);
    if (variance < 1) return false;
    const double mean = slope_ * g.statistic.pos - g.statistic.neg;
    const double error = 0.56 * (slope_ * spread_pos + spread_neg) / (variance * deviation);
    const double below = 0.5 * std::erfc(mean / deviation * std::sqrt(0.5)) - error;
    return threshold.excludes(1 - (below - probability_margin - screen_margin), g.size);
}

Verdict PhiObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                              bool want_bound, Programs& programs) const {
    if (threshold.value > 0.5 && bound_ == Bound::mass)
        return examine_complement(g, threshold, want_value, want_bound, programs);
    const double tail = threshold.value > 0 ? std::clamp(threshold.value * 1e-4, 1e-300, 1e-10) : 1e-300;
    return examine_program(g, threshold, want_value, want_bound, tail, programs);
}

// What a program leaves out only makes the complement smaller, and the bounds larger.
Verdict PhiObjective::examine_complement(const Screened<ClassMass>& g, const Threshold& threshold,
                                         bool want_value, bool want_bound, Programs& programs) const {
    const double tail = std::clamp((1 - threshold.value) * 1e-3, 1e-15, 1e-10);
    programs.run(g.x, tail);
    const auto most = [&](double below) {
        return 1 - std::max(0.0, below * (1 - screen_margin) - probability_margin);
    };
    Verdict verdict{false, infinity, 1};
    if (want_value)
        verdict.may_enter =
            !threshold.excludes(most(programs.probability_below(score_.level_of, first_level_)), g.size);
    if (want_bound) {
        // Of two sides together one may take what the other one leaves.
        const KeptMass::Averages reached = kept_.most(programs, g.statistic),
                                 missing = kept_.least_missing(programs, g.statistic);
        verdict.subtree_bound =
            most(std::max(missing.rising - reached.falling, missing.falling - reached.rising) - tail);
        if (!threshold.excludes(verdict.subtree_bound, g.size + 1)) {
            const double below = programs.probability_below(score_.worldwise().data(), first_level_);
            verdict.subtree_bound = std::min(verdict.subtree_bound, most(below));
        }
    }
    return verdict;
}

double PhiObjective::value(const double* x, Programs& programs) const {
    programs.run(x, 0);
    // Above one half from the complement: what differs from 1 by less than a rounding is 1.
    const double from = programs.probability_from(score_.level_of, first_level_);
    return from > 0.5 ? 1 - programs.probability_below(score_.level_of, first_level_) : from;
}

}  // namespace dugraph
