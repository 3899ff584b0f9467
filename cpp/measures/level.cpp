#include "measures/level.hpp"

#include <algorithm>
#include <chrono>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::int32_t LevelObjective::level_at(double value) const {
    return static_cast<std::int32_t>(std::lower_bound(score_.levels, score_.levels + score_.n_levels, value) -
                                     score_.levels);
}

void LevelObjective::raise_by(const BoundsAt& bounds, const Threshold& threshold, const Effort& effort) {
    if (rows_.certain) {
        mass_.sharpen(0, effort, certain_bounds());  // one table serves the whole search
    } else if (threshold.value > -infinity) {
        const std::int32_t level = level_at(threshold.value);
        mass_.sharpen(level, effort, [&](const MassGrid& grid, const Workforce& workforce) {
            return bounds(grid, level, workforce);
        });
    }
}

MassBound::CellBounds LevelObjective::certain_bounds() const {
    return [this](const MassGrid& grid, const Workforce&) {
        return certain_values(
            grid, ScoreGrid::values(score_.table(), {score_.levels, score_.levels + score_.n_levels}));
    };
}

double LevelObjective::open_bound_by(const BoundsAt& bounds, const std::vector<ClassMass>& open) const {
    if (open.empty()) return -infinity;
    if (rows_.certain) return mass_.largest(open, 0, certain_bounds());
    // The highest level that supergraphs of an open subgraph can reach, by bisection. It may end early, since
    // an interrupt must take effect immediately and every intermediate level is a valid bound.
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(20);
    std::int32_t reached = 0, above = static_cast<std::int32_t>(score_.n_levels);
    while (above - reached > 1 && Clock::now() < deadline) {
        const std::int32_t middle = reached + (above - reached) / 2;
        const double most =
            mass_.largest(open, middle, [&](const MassGrid& grid, const Workforce& workforce) {
                return bounds(grid, middle, workforce);
            });
        (most >= score_.levels[middle] ? reached : above) = middle;
    }
    return score_.levels[above - 1];
}

Verdict QuantileObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                                   bool want_bound, Programs& programs) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    programs.run(g.x, screening_tail);
    const auto reaches = [&](const std::int32_t* level_of, std::int32_t from) {
        return from < static_cast<std::int32_t>(score_.n_levels) &&
               programs.probability_from(level_of, from) + margin >= 1 - quantile_;
    };
    Verdict verdict{false, infinity, 1};
    if (want_value) verdict.may_enter = reaches(score_.level_of, level_to_enter(threshold, g.size));
    if (want_bound) {
        const std::int32_t* worldwise = score_.worldwise().data();
        const std::int32_t level = level_at(threshold.value);
        if (!reaches(worldwise, level + 1))
            verdict.subtree_bound = reaches(worldwise, level) ? threshold.value : -infinity;
    }
    return verdict;
}

double QuantileObjective::value(const double* x, Programs& programs) const {
    programs.run(x, listed_tail);
    return score_.levels[programs.quantile_level(score_.level_of, quantile_)];
}

double ModeObjective::open_bound(const std::vector<ClassMass>& open) const {
    if (!folded_) return open_bound_by(bounds(), open);
    double most = -infinity;
    for (const ClassMass& mass : open) most = std::max(most, subtree_bound(mass));
    return most;
}

Verdict ModeObjective::examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                               bool, Programs& programs) const {
    if (threshold.value == -infinity) return {want_value, infinity, 0};
    programs.run(g.x, screening_tail);
    const std::int32_t level = level_to_enter(threshold, g.size);
    // The mode is at least as likely as the most likely cell.
    if (programs.probability_from(score_.level_of, level) + margin < programs.most_likely_cell())
        return {false, infinity, 1};
    return {programs.mode_level(score_.level_of, margin) >= level, infinity, 1};
}

double ModeObjective::value(const double* x, Programs& programs) const {
    programs.run(x, listed_tail);
    return score_.levels[programs.mode_level(score_.level_of, jump_tolerance)];
}

}  // namespace dugraph
