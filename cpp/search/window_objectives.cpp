#include "search/window_objectives.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "search/window_bounds.hpp"

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// What a program may leave out of either class: when it screens, and when it finds a level to list, which
// does not change with what lies so far below the tolerance at jumps.
constexpr double average_tail = 1e-10, quantile_tail = 1e-7, listed_tail = 1e-16;
// Cells of windows that may be left out: too unlikely to change an average by a rounding.
constexpr double screening_cut = 1e-18, listed_cut = 1e-36, least_average = 1e-15;

double above(double score) { return std::nextafter(score, infinity); }

}  // namespace

WindowObjective::WindowObjective(const Rows& rows, const NamedClassScore& score, const Limits& limits,
                                 const std::atomic<bool>& stop, bool uses_tables)
    : ClassObjective(rows, score.positive, limits, stop, true, uses_tables),
      score_(score.name, view_.n_pos(), view_.n_neg(), score.cap) {}

double WindowObjective::promise(const ClassMass& mass) const {
    const auto a = static_cast<std::size_t>(std::lround(mass.pos)),
               b = static_cast<std::size_t>(std::lround(mass.neg));
    return score_(std::min(a, view_.n_pos()), std::min(b, view_.n_neg()));
}

namespace {

bool is_square(const NamedExpectation& goal) { return goal.name == ScoreName::hsic && !goal.cap; }

}  // namespace

// The closed form of a square is as sharp as its table.
WindowExpectationObjective::WindowExpectationObjective(const Rows& rows, const NamedExpectation& goal,
                                                       const Limits& limits, const std::atomic<bool>& stop)
    : WindowAverageObjective(rows, goal, limits, stop, !is_square(goal)),
      square_{score_.square_scale(), static_cast<double>(view_.n_pos()), static_cast<double>(view_.n_neg())},
      ones_(rows.width, 1.0) {}

double WindowExpectationObjective::own_bound(const ClassMass& mass) const {
    const double by_table = mass_.own(mass);
    if (!square_ || bound_ != Bound::mass) return by_table;
    return std::min(by_table, square_.own_bound(mass.pos, mass.neg));
}

double WindowExpectationObjective::subtree_bound(const ClassMass& mass) const {
    const double by_table = mass_.subtree(mass);
    if (!square_ || bound_ != Bound::mass) return by_table;
    return std::min(by_table, square_.subtree_bound(mass, rows_.surely_not));
}

std::vector<double> WindowExpectationObjective::cell_bounds(const MassGrid& grid, double,
                                                            const Workforce& workforce) const {
    std::vector<double> bounds = rows_.certain ? window_certain(grid, score_)
                                 : square_     ? square_expectation(grid, square_.scale)
                                               : window_expectation(grid, score_, workforce);
    for (double& bound : bounds) bound = std::min(bound * (1 + screen_margin), score_.top());
    return bounds;
}

Verdict WindowExpectationObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold,
                                            bool want_value, bool want_bound, WindowScratch& scratch) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    if (square_) {
        const ClassMass squares = view_.squares(g.x);
        want_value = want_value && !threshold.excludes(square_.most(g.statistic, squares), g.size);
        // No program where the bound that it gives could not close the subtree.
        if (bound_ == Bound::mass)
            want_bound =
                want_bound && threshold.excludes(square_.least_worldwise(g.statistic, squares), g.size + 1);
        if (!want_bound) return {want_value, infinity, 0};
    }
    scratch.programs.run(g.x, average_tail);
    const double n_cells = static_cast<double>((view_.n_pos() + 1) * (view_.n_neg() + 1));
    const auto most = [&](double average) {
        const double left_out = 2 * average_tail + screening_cut * n_cells;
        return std::min(average * (1 + screen_margin) + left_out * score_.top(), score_.top());
    };
    return {want_value &&
                !threshold.excludes(most(scratch.sums.average(scratch.programs, screening_cut)), g.size),
            want_bound ? most(scratch.sums.worldwise_average(scratch.programs)) : infinity, 1};
}

double WindowExpectationObjective::least_value(const double* x) const {
    return square_.least(view_.masses(x, ones_.data()), view_.squares(x));
}

double WindowExpectationObjective::value(const double* x, WindowScratch& scratch) const {
    scratch.programs.run(x, 0);
    double average = scratch.sums.average(scratch.programs, listed_cut);
    if (average < least_average) average = scratch.sums.average(scratch.programs, 0);
    return std::min(average, score_.top());
}

WindowPhiObjective::WindowPhiObjective(const Rows& rows, const NamedPhiProbability& goal,
                                       const Limits& limits, const std::atomic<bool>& stop)
    : WindowAverageObjective(rows, goal, limits, stop), from_(score_.level_start(goal.least)) {}

std::vector<double> WindowPhiObjective::cell_bounds(const MassGrid& grid, double,
                                                    const Workforce& workforce) const {
    // Phi-probabilities may be tiny and must keep their order of magnitude.
    std::vector<double> bounds =
        rows_.certain ? window_certain(grid, score_) : window_tails(grid, score_, from_, 1e-300, workforce);
    for (double& bound : bounds)
        bound =
            rows_.certain ? static_cast<double>(bound >= from_) : std::min(bound * (1 + screen_margin), 1.0);
    return bounds;
}

Verdict WindowPhiObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                                    bool want_bound, WindowScratch& scratch) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    const double tail = threshold.value > 0 ? std::clamp(threshold.value * 1e-4, 1e-300, 1e-10) : 1e-300;
    scratch.programs.run(g.x, tail);
    const auto most = [&](double probability) {
        return std::min(probability * (1 + screen_margin) + 2 * tail, 1.0);
    };
    // What the paper's bound leaves below 1 is rounded to multiples of 1e-16, so it has a margin of its own.
    return {
        want_value && !threshold.excludes(most(scratch.sums.screened_from(scratch.programs, from_)), g.size),
        want_bound ? most(scratch.sums.worldwise_from(scratch.programs, from_) + probability_margin)
                   : infinity,
        1};
}

double WindowPhiObjective::value(const double* x, WindowScratch& scratch) const {
    scratch.programs.run(x, 0);
    // Above one half from the complement: what differs from 1 by less than a rounding is 1.
    const double from = scratch.sums.probability_from(scratch.programs, from_);
    return from > 0.5 ? 1 - scratch.sums.probability_below(scratch.programs, from_) : from;
}

double WindowLevelObjective::level_start(double level, WindowScratch& scratch) const {
    if (scratch.level != level) {
        scratch.level_start = score_.level_start(level);
        scratch.level = level;
    }
    return scratch.level_start;
}

double WindowLevelObjective::score_to_enter(const Threshold& threshold, std::size_t size,
                                            WindowScratch& scratch) const {
    return size > threshold.size ? above(threshold.value) : level_start(threshold.value, scratch);
}

void WindowLevelObjective::raise(const Threshold& threshold, const Effort& effort) {
    if (threshold.value > -infinity) mass_.sharpen(threshold.value, effort);
}

// Steps against the level: minus infinity for below, plus infinity for above.
std::vector<double> WindowLevelObjective::cell_bounds(const MassGrid& grid, double level,
                                                      const Workforce& workforce) const {
    std::vector<double> bounds(grid.cells * grid.cells, -infinity);
    const std::vector<double> certain = rows_.certain ? window_certain(grid, score_) : std::vector<double>{};
    const std::vector<double> least = needed(grid);
    for (const bool higher : {false, true}) {
        const double from = higher ? above(level) : score_.level_start(level);
        const std::vector<double> tails =
            rows_.certain ? certain : window_tails(grid, score_, from, 1e-16, workforce);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const bool reached = rows_.certain
                                     ? certain[i] >= from
                                     : tails[i] * (1 + screen_margin) + probability_margin >= least[i];
            if (reached) bounds[i] = higher ? infinity : level;
        }
    }
    return bounds;
}

double WindowLevelObjective::open_bound(const std::vector<ClassMass>& open) {
    if (open.empty()) return -infinity;
    // The highest score that an open subgraph's supergraphs can reach, by bisection, as far as there is time:
    // an interrupt is to be answered at once, and what has been excluded so far gives a bound too.
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(20);
    double reached = 0, most = score_.top();
    for (int round = 0; round < 30 && Clock::now() < deadline; ++round) {
        const double middle = score_.level_value(reached + (most - reached) / 2);
        if (!(middle > reached && middle < most)) break;
        (mass_.largest(open, middle) > middle ? reached : most) = middle;
    }
    return most;
}

Verdict WindowQuantileObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold,
                                         bool want_value, bool want_bound, WindowScratch& scratch) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    scratch.programs.run(g.x, quantile_tail);
    constexpr double margin = probability_margin + 2 * quantile_tail;
    const auto reaches = [&](double probability) { return probability + margin >= 1 - quantile_; };
    Verdict verdict{false, infinity, 1};
    if (want_value) {
        const double from = score_to_enter(threshold, g.size, scratch);
        verdict.may_enter =
            from <= score_.top() && reaches(scratch.sums.screened_from(scratch.programs, from));
    }
    if (want_bound) {
        const auto worldwise = [&](double from) {
            return from <= score_.top() && reaches(scratch.sums.worldwise_from(scratch.programs, from));
        };
        if (!worldwise(above(threshold.value)))
            verdict.subtree_bound =
                worldwise(level_start(threshold.value, scratch)) ? threshold.value : -infinity;
    }
    return verdict;
}

double WindowQuantileObjective::value(const double* x, WindowScratch& scratch) const {
    scratch.programs.run(x, listed_tail);
    return scratch.sums.quantile(scratch.programs, quantile_);
}

namespace {

// The value of a level is the largest score in it, a hair above any of them.
std::vector<double> scores_by_lead(const NamedScore& score) {
    std::vector<double> scores;
    for (std::size_t d = 0; d <= score.n_pos(); ++d) scores.push_back(score(d, 0) * (1 + screen_margin));
    return scores;
}

}  // namespace

WindowModeObjective::WindowModeObjective(const Rows& rows, const NamedMode& goal, const Limits& limits,
                                         const std::atomic<bool>& stop)
    : WindowLevelObjective(rows, goal, limits, stop),
      folded_(score_.square_scale() > 0 && !goal.cap && view_.n_pos() == view_.n_neg() && !rows.certain &&
                      view_.n_pos() < FoldedMode::most_graphs && limits.bound == Bound::mass
                  ? scores_by_lead(score_)
                  : std::vector<double>{}) {}

std::vector<double> WindowModeObjective::needed(const MassGrid& grid) const {
    std::vector<double> least = least_modal_probability(grid);
    for (double& probability : least) probability -= jump_tolerance;
    return least;
}

Verdict WindowModeObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold,
                                     bool want_value, bool, WindowScratch& scratch) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    scratch.programs.run(g.x, listed_tail);
    const double from = score_to_enter(threshold, g.size, scratch);
    // The mode is at least as likely as the most likely cell.
    const double least = scratch.programs.most_likely_cell() - probability_margin;
    return {scratch.sums.screened_from(scratch.programs, from) >= least &&
                scratch.sums.mode_may_reach(scratch.programs, from, least),
            infinity, 1};
}

double WindowModeObjective::value(const double* x, WindowScratch& scratch) const {
    scratch.programs.run(x, listed_tail);
    return scratch.sums.mode(scratch.programs, jump_tolerance);
}

}  // namespace dugraph
