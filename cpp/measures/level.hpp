// Quantile and mode: measures that are levels of the score. Only the comparison of the best possible level
// with that of the threshold matters, so their tables are step bounds. Cost per subgraph: O(1) by the mass
// bound, else a program of O(n^1.5) in a window.
#pragma once

#include <functional>
#include <memory>

#include "bounds/folded_mode.hpp"
#include "bounds/mode_bound.hpp"
#include "measures/score_objective.hpp"

namespace dugraph {

class LevelObjective : public ScoreObjective {
  public:
    static constexpr bool one_table = false;

  protected:
    // Bounds of the cells of a grid relative to a level; for certain graphs, the score itself.
    using BoundsAt = std::function<std::vector<double>(const MassGrid& grid, std::int32_t level,
                                                       const Workforce& workforce)>;
    using ScoreObjective::ScoreObjective;
    // raise() and open_bound() of an objective with such bounds.
    void raise_by(const BoundsAt& bounds, const Threshold& threshold, const Effort& effort);
    double open_bound_by(const BoundsAt& bounds, const std::vector<ClassMass>& open) const;
    MassBound::CellBounds certain_bounds() const;
    std::int32_t level_at(double value) const;
    // The lowest level with which a subgraph of this size enters the list.
    std::int32_t level_to_enter(const Threshold& threshold, std::size_t size) const {
        return level_at(threshold.value) + (size > threshold.size ? 1 : 0);
    }

    // Mass that a program may omit. It only screens, so a value that is too close to the threshold is
    // recomputed. A tail this far below the tolerance at jumps does not change the listed levels.
    static constexpr double screening_tail = 1e-7, listed_tail = 1e-16;
    static constexpr double margin = probability_margin + 2 * screening_tail;
};

class QuantileObjective : public LevelObjective {
  public:
    QuantileObjective(const Rows& rows, const Quantile& goal, const Limits& limits,
                      const std::atomic<bool>& stop)
        : LevelObjective(rows, goal, limits, stop), quantile_(goal.quantile) {}

    void raise(const Threshold& threshold, const Effort& effort) { raise_by(bounds(), threshold, effort); }
    double open_bound(const std::vector<ClassMass>& open) const { return open_bound_by(bounds(), open); }
    bool has_closer_bound() const { return program_bounds_subtree(); }
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Programs& programs) const;
    double value(const double* x, Programs& programs) const;

  private:
    BoundsAt bounds() const {
        return [this](const MassGrid& grid, std::int32_t level, const Workforce& workforce) {
            return quantile_bounds(grid, score_, level, quantile_, workforce);
        };
    }

    const double quantile_;
};

class ModeObjective : public LevelObjective {
  public:
    ModeObjective(const Rows& rows, const Mode& goal, const Limits& limits, const std::atomic<bool>& stop)
        : LevelObjective(rows, goal, limits, stop, MassBound::Grids::finest),
          folded_(bound_ == Bound::mass && !rows.certain ? FoldedMode(score_) : FoldedMode()) {}

    double own_bound(const ClassMass& mass) const {
        return folded_ ? folded_.own_bound(mass) : mass_.own(mass);
    }
    double subtree_bound(const ClassMass& mass) const {
        return folded_ ? folded_.subtree_bound(mass, rows_.surely_not) : mass_.subtree(mass);
    }
    void raise(const Threshold& threshold, const Effort& effort) {
        if (!folded_) raise_by(bounds(), threshold, effort);
    }
    double open_bound(const std::vector<ClassMass>& open) const;
    bool has_closer_bound() const { return false; }
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Programs& programs) const;
    double value(const double* x, Programs& programs) const;

  private:
    BoundsAt bounds() const {
        return [this](const MassGrid& grid, std::int32_t level, const Workforce& workforce) {
            if (!mode_bound_) mode_bound_ = std::make_unique<ModeBound>(top_mass_, score_);
            return mode_bound_->bounds(grid, level, workforce);
        };
    }

    const FoldedMode folded_;
    mutable std::unique_ptr<ModeBound> mode_bound_;  // created with the first table, under its lock
};

}  // namespace dugraph
