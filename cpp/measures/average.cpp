#include "measures/average.hpp"

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

std::vector<double> above_lowest(const ClassScore& score) {
    std::vector<double> values(score.levels, score.levels + score.n_levels);
    for (double& value : values) value -= score.levels[0];
    return values;
}

std::vector<double> indicator(const PhiProbability& goal) {
    std::vector<double> values(goal.n_levels, 0.0);
    std::fill(values.begin() + std::min<std::ptrdiff_t>(goal.first_level, std::ssize(values)), values.end(),
              1.0);
    return values;
}

}  // namespace

AverageObjective::AverageObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                                   const std::atomic<bool>& stop, Average average)
    : ScoreObjective(rows, score, limits, stop),
      average_(std::move(average)),
      top_(average_.value_of_level.back()),
      gain_(ScoreGrid::values(score_.table(), average_.value_of_level)),
      gain_worldwise_(has_closer_bound() ? ScoreGrid::values(score_.worldwise(), average_.value_of_level)
                                         : std::vector<double>{}),
      kept_(score_, rows.surely_not, average_.value_of_level) {}

MassBound::CellBounds AverageObjective::cell_bounds() const {
    return [this](const MassGrid& grid, const Workforce& workforce) {
        std::vector<double> bounds;
        if (rows_.certain) {  // summed in the order of value()
            bounds = certain_values(grid, gain_);
            for (double& bound : bounds) bound += average_.shift;
            return bounds;
        }
        const MonotoneTables& monotone = score_.monotone();
        bounds = envelope_expectation(grid, ScoreGrid::values(monotone.rising, average_.value_of_level),
                                      ScoreGrid::values(monotone.falling, average_.value_of_level),
                                      average_.cut, workforce);
        for (double& bound : bounds) bound = std::min(bound * (1 + screen_margin), top_) + average_.shift;
        return bounds;
    };
}

Verdict AverageObjective::examine_program(const Screened<ClassMass>& g, const Threshold& threshold,
                                          bool want_value, bool want_bound, double tail,
                                          Programs& programs) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    programs.run(g.x, tail);
    const auto most = [&](double average) {
        return std::min(average * (1 + screen_margin) + 2 * tail * top_, top_) + average_.shift;
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
    : AverageObjective(rows, goal, limits, stop, {above_lowest(goal), goal.levels[0], 1e-20}) {}

double ExpectationObjective::value(const double* x, Programs& programs) const {
    programs.run(x, 0);
    return std::min(programs.average(gain_), top_) + average_.shift;
}

PhiObjective::PhiObjective(const Rows& rows, const PhiProbability& goal, const Limits& limits,
                           const std::atomic<bool>& stop)
    // Phi-probabilities may be tiny and must keep their order of magnitude.
    : AverageObjective(rows, goal, limits, stop, {indicator(goal), 0, 1e-300}),
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

// The mass that a program omits makes the complement smaller and the bounds larger.
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
        // The two sides share one unit of probability.
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
    // Above one half from the complement, so that values within rounding of 1 are exactly 1.
    const double from = programs.probability_from(score_.level_of, first_level_);
    return from > 0.5 ? 1 - programs.probability_below(score_.level_of, first_level_) : from;
}

}  // namespace dugraph
