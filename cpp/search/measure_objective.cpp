#include "search/measure_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The largest expected supports of an edge: no subgraph has larger ones.
Mass largest_mass(const Cohort& cohort) {
    Mass top;
    for (const Mass& mass : cohort.mass) top = {std::max(top.pos, mass.pos), std::max(top.neg, mass.neg)};
    return top;
}

}  // namespace

MeasureObjective::MeasureObjective(const Input& input, const Cohort& cohort, const std::atomic<bool>& stop)
    : cohort_(&cohort),
      n_pos_(input.n_pos),
      n_neg_(input.n_neg),
      measure_(input.measure),
      bound_(input.bound),
      quantile_(input.quantile),
      square_scale_(input.measure == Measure::expectation ? input.square_scale : 0),
      first_level_(input.first_level),
      workforce_{input.n_threads, stop},
      score_(input),
      grid_(largest_mass(cohort), input.n_pos, input.n_neg, cohort.surely_not) {
    if (is_average()) {
        const std::vector<std::int32_t> own(score_.level_of, score_.level_of + score_.rows * score_.columns);
        if (measure_ == Measure::expectation) {
            shift_ = score_.levels[0];
            top_ = score_.top() - shift_;
            gain_ = level_values(own, score_.levels, shift_);
            gain_worldwise_ = level_values(score_.worldwise, score_.levels, shift_);
        } else {
            top_ = 1;
            gain_ = level_indicator(own, first_level_);
            gain_worldwise_ = level_indicator(score_.worldwise, first_level_);
        }
    }
    if (measure_ == Measure::mode && bound_ == Bound::mass && !has_one_table()) {
        mode_bound_ = std::make_unique<ModeBound>(grid_, score_);
    }
    // Tables of quantiles and modes wait for the first threshold.
    if (bound_ == Bound::mass && has_one_table()) {
        tables_.push_back(make_table(0, workforce_));
        table_ = tables_.back().get();
    }
}

// The bounds of expectation and phi-probability, from the envelope laws.
std::vector<double> MeasureObjective::average_bounds(const Workforce& workforce) const {
    const bool phi = measure_ == Measure::phi_probability;
    const auto table = [&](const std::vector<std::int32_t>& level_of) {
        return phi ? level_indicator(level_of, first_level_) : level_values(level_of, score_.levels, shift_);
    };
    // Phi-probabilities may be tiny and must keep their order of magnitude.
    const double cut = phi ? 1e-300 : 1e-20;
    std::vector<double> bounds =
        envelope_expectation(grid_, table(score_.rising), table(score_.falling), cut, workforce);
    if (square_scale_ > 0) {
        const std::vector<double> closed = square_expectation(grid_, square_scale_);
        for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = std::min(bounds[i], closed[i]);
    }
    for (double& bound : bounds) bound = std::min(bound * (1 + screen_margin), top_) + shift_;
    return bounds;
}

// What every measure is between certain graphs, by their supports; added up as value() does.
std::vector<double> MeasureObjective::ordinary_scores() const {
    if (!is_average()) {
        return level_values({score_.level_of, score_.level_of + score_.rows * score_.columns}, score_.levels,
                            0);
    }
    std::vector<double> scores = gain_;
    for (double& score : scores) score += shift_;
    return scores;
}

std::unique_ptr<MassTable> MeasureObjective::make_table(std::int32_t level,
                                                        const Workforce& workforce) const {
    std::unique_ptr<MassTable> table;
    if (cohort_->certain) {
        table = std::make_unique<MassTable>(grid_, certain_values(grid_, ordinary_scores()));
    } else if (is_average()) {
        table = std::make_unique<MassTable>(grid_, average_bounds(workforce));
    } else if (measure_ == Measure::mode) {
        table = std::make_unique<MassTable>(grid_, mode_bound_->bounds(level, workforce));
    } else {
        table =
            std::make_unique<MassTable>(grid_, quantile_bounds(grid_, score_, level, quantile_, workforce));
    }
    return workforce.stop ? nullptr : std::move(table);  // a table cut short means nothing
}

std::int32_t MeasureObjective::level_at(double value) const {
    return static_cast<std::int32_t>(std::lower_bound(score_.levels, score_.levels + score_.n_levels, value) -
                                     score_.levels);
}

void MeasureObjective::raise(const Threshold& threshold) {
    if (has_one_table() || bound_ != Bound::mass ||
        threshold.value == table_threshold_.load(std::memory_order_relaxed))
        return;
    const std::unique_lock lock(raising_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const auto begin = Clock::now();
    if (begin < next_raise_) return;
    std::unique_ptr<MassTable> table = make_table(level_at(threshold.value), workforce_);
    if (!table) return;
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
    table_threshold_ = threshold.value;
    // Ever longer pauses: all tables together take a small share of the search's time.
    const auto end = Clock::now();
    next_raise_ = end + std::max(4 * (end - begin), (end - started_) / 4);
}

// How much a program may leave out: it screens, so a value that is too close to call is only computed once
// more.
double MeasureObjective::tail(const Threshold& threshold) const {
    if (measure_ == Measure::expectation) return 1e-10;
    if (measure_ != Measure::phi_probability) return 1e-7;
    return threshold.value > 0 ? std::clamp(threshold.value * 1e-4, 1e-300, 1e-10) : 1e-300;
}

Verdict MeasureObjective::examine(const Screened& g, const Threshold& threshold, bool want_value,
                                  bool want_bound, Scratch& scratch) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    if (square_scale_ > 0 && !want_bound) return examine_square(g, threshold);
    scratch.run(g.x, tail(threshold));
    if (is_average()) return examine_average(g, threshold, want_value, want_bound, scratch);
    if (measure_ == Measure::quantile) return examine_quantile(g, threshold, want_value, want_bound, scratch);
    return examine_mode(g, threshold, scratch);
}

// E (aq - bp)^2 = q^2 E a^2 + p^2 E b^2 - 2pq AB with E a^2 = A + A^2 - sum x^2: no dynamic program.
Verdict MeasureObjective::examine_square(const Screened& g, const Threshold& threshold) const {
    const auto p = static_cast<double>(n_pos_), q = static_cast<double>(n_neg_);
    const Mass squares = square_mass(g.x, cohort_->shape.pos, cohort_->shape.neg);
    const double pos = q * q * (g.mass.pos + g.mass.pos * g.mass.pos - squares.pos);
    const double neg = p * p * (g.mass.neg + g.mass.neg * g.mass.neg - squares.neg);
    // The margin belongs to the terms: their difference may be small.
    const double most = pos + neg - 2 * p * q * g.mass.pos * g.mass.neg + screen_margin * (pos + neg);
    return {!threshold.excludes(most * square_scale_, g.size), infinity, 0};
}

Verdict MeasureObjective::examine_average(const Screened& g, const Threshold& threshold, bool want_value,
                                          bool want_bound, Scratch& scratch) const {
    const double left_out = 2 * tail(threshold) * top_;
    const auto most = [&](const std::vector<double>& table) {
        return std::min(scratch.average(table) * (1 + screen_margin) + left_out, top_) + shift_;
    };
    return {want_value && !threshold.excludes(most(gain_), g.size),
            want_bound ? most(gain_worldwise_) : infinity, 1};
}

Verdict MeasureObjective::examine_quantile(const Screened& g, const Threshold& threshold, bool want_value,
                                           bool want_bound, Scratch& scratch) const {
    const std::int32_t level = level_at(threshold.value);
    const double margin = probability_margin + 2 * tail(threshold);
    const auto reaches = [&](const std::int32_t* level_of, std::int32_t from) {
        return from < static_cast<std::int32_t>(score_.n_levels) &&
               scratch.probability_from(level_of, from) + margin >= 1 - quantile_;
    };
    Verdict verdict{false, infinity, 1};
    if (want_value) verdict.may_enter = reaches(score_.level_of, g.size > threshold.size ? level + 1 : level);
    if (want_bound && !reaches(score_.worldwise.data(), level + 1)) {
        verdict.subtree_bound = reaches(score_.worldwise.data(), level) ? threshold.value : -infinity;
    }
    return verdict;
}

Verdict MeasureObjective::examine_mode(const Screened& g, const Threshold& threshold,
                                       Scratch& scratch) const {
    const std::int32_t level = level_at(threshold.value) + (g.size > threshold.size ? 1 : 0);
    const double margin = probability_margin + 2 * tail(threshold);
    // The mode is at least as likely as the most likely cell.
    if (scratch.probability_from(score_.level_of, level) + margin < scratch.most_likely_cell()) {
        return {false, infinity, 1};
    }
    return {scratch.mode_level(score_.level_of, margin) >= level, infinity, 1};
}

double MeasureObjective::value(const double* x, const Mass&, Scratch& scratch) const {
    // Levels do not change with what lies beyond a tail so far below the tolerance at jumps; averages keep
    // all of it.
    scratch.run(x, is_average() ? 0 : 1e-16);
    switch (measure_) {
        case Measure::quantile:
            return score_.levels[scratch.quantile_level(score_.level_of, quantile_)];
        case Measure::mode:
            return score_.levels[scratch.mode_level(score_.level_of, jump_tolerance)];
        case Measure::phi_probability: {
            // Above one half from the complement: what differs from 1 by less than a rounding is 1.
            const double from = scratch.probability_from(score_.level_of, first_level_);
            return from > 0.5 ? 1 - scratch.probability_below(score_.level_of, first_level_) : from;
        }
        default:
            return std::min(scratch.average(gain_), top_) + shift_;
    }
}

double MeasureObjective::open_bound(const std::vector<Mass>& open) {
    if (open.empty()) return -infinity;
    const std::atomic<bool> go_on{false};  // the search has been stopped, this has not
    const Workforce workforce{workforce_.n_threads, go_on};
    const auto largest = [&](const MassTable& table) {
        double most = -infinity;
        for (const Mass& mass : open) most = std::max(most, table.subtree(mass));
        return most;
    };
    if (has_one_table()) {
        const MassTable* table = table_.load();
        return table ? largest(*table) : largest(*make_table(0, workforce));
    }
    if (measure_ == Measure::mode && !mode_bound_) mode_bound_ = std::make_unique<ModeBound>(grid_, score_);
    // The highest level that an open subgraph's supergraphs can reach, by bisection, as far as there is time:
    // an interrupt is to be answered at once, and the level reached so far is a bound too.
    const auto deadline = Clock::now() + std::chrono::milliseconds(20);
    std::int32_t reached = 0, above = static_cast<std::int32_t>(score_.n_levels);
    while (above - reached > 1 && Clock::now() < deadline) {
        const std::int32_t middle = reached + (above - reached) / 2;
        (largest(*make_table(middle, workforce)) >= score_.levels[middle] ? reached : above) = middle;
    }
    return score_.levels[above - 1];
}

}  // namespace dugraph
