// The measures of a named score without any table of it: for classes so large that the supports of a subgraph
// are a small part of all pairs of supports. The answers are those of the tables, to the byte. Per node O(1)
// by the mass bound; where that leaves it open, O(n) for the closed form of a square, else a program of
// O(n^1.5) and a window of O(n) pairs of supports.
#pragma once

#include "search/class_objective.hpp"
#include "search/folded_mode.hpp"
#include "search/goal.hpp"
#include "search/square_form.hpp"
#include "search/window_sums.hpp"

namespace dugraph {

// A thread's work arrays, and the level that was last asked for.
struct WindowScratch {
    Programs programs;
    WindowSums sums;
    double level = std::numeric_limits<double>::quiet_NaN(), level_start = 0;
};

class WindowObjective : public ClassObjective {
  public:
    using Scratch = WindowScratch;
    Scratch make_scratch() const { return {Programs(view_, 0), WindowSums(score_)}; }
    // The score at the expected supports, as if the graphs were certain.
    double promise(const ClassMass& mass) const;

  protected:
    WindowObjective(const Rows& rows, const NamedClassScore& score, const Limits& limits,
                    const std::atomic<bool>& stop, bool uses_tables = true);

    const NamedScore score_;
};

class WindowAverageObjective : public WindowObjective {
  public:
    static constexpr bool one_table = true;
    bool has_closer_bound() const { return bound_ != Bound::frequency; }
    void raise(const Threshold&, const Effort& effort) { mass_.sharpen(0, effort); }
    double open_bound(const std::vector<ClassMass>& open) {
        return open.empty() ? -std::numeric_limits<double>::infinity() : mass_.largest(open, 0);
    }

  protected:
    using WindowObjective::WindowObjective;
};

class WindowExpectationObjective : public WindowAverageObjective {
  public:
    WindowExpectationObjective(const Rows& rows, const NamedExpectation& goal, const Limits& limits,
                               const std::atomic<bool>& stop);

    double own_bound(const ClassMass& mass) const;
    double subtree_bound(const ClassMass& mass) const;
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, WindowScratch& scratch) const;
    double value(const double* x, WindowScratch& scratch) const;
    bool knows_values() const { return static_cast<bool>(square_); }
    double least_value(const double* x) const;

  private:
    std::vector<double> cell_bounds(const MassGrid& grid, double level,
                                    const Workforce& workforce) const override;

    const SquareForm square_;
    const AlignedVector<double> ones_;
};

class WindowPhiObjective : public WindowAverageObjective {
  public:
    WindowPhiObjective(const Rows& rows, const NamedPhiProbability& goal, const Limits& limits,
                       const std::atomic<bool>& stop);

    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, WindowScratch& scratch) const;
    double value(const double* x, WindowScratch& scratch) const;

  private:
    std::vector<double> cell_bounds(const MassGrid& grid, double level,
                                    const Workforce& workforce) const override;

    const double from_;  // the lowest score that counts as >= phi
};

// Quantile and mode: levels are known by the highest score in them.
class WindowLevelObjective : public WindowObjective {
  public:
    static constexpr bool one_table = false;
    void raise(const Threshold& threshold, const Effort& effort);
    double open_bound(const std::vector<ClassMass>& open);

  protected:
    using WindowObjective::WindowObjective;

    // The lowest score with which a subgraph of this size enters the list.
    double score_to_enter(const Threshold& threshold, std::size_t size, WindowScratch& scratch) const;
    double level_start(double level, WindowScratch& scratch) const;
    std::vector<double> cell_bounds(const MassGrid& grid, double level,
                                    const Workforce& workforce) const override;
    // Per cell: how likely the levels from one on must be together, if one of them is to be the measure.
    virtual std::vector<double> needed(const MassGrid& grid) const = 0;
};

class WindowQuantileObjective : public WindowLevelObjective {
  public:
    WindowQuantileObjective(const Rows& rows, const NamedQuantile& goal, const Limits& limits,
                            const std::atomic<bool>& stop)
        : WindowLevelObjective(rows, goal, limits, stop), quantile_(goal.quantile) {}

    bool has_closer_bound() const { return bound_ != Bound::frequency; }
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, WindowScratch& scratch) const;
    double value(const double* x, WindowScratch& scratch) const;

  private:
    std::vector<double> needed(const MassGrid& grid) const override {
        return std::vector<double>(grid.cells * grid.cells, 1 - quantile_);
    }

    const double quantile_;
};

class WindowModeObjective : public WindowLevelObjective {
  public:
    WindowModeObjective(const Rows& rows, const NamedMode& goal, const Limits& limits,
                        const std::atomic<bool>& stop);

    double own_bound(const ClassMass& mass) const {
        return folded_ ? folded_.own_bound(mass) : mass_.own(mass);
    }
    double subtree_bound(const ClassMass& mass) const {
        return folded_ ? folded_.subtree_bound(mass, rows_.surely_not) : mass_.subtree(mass);
    }
    void raise(const Threshold& threshold, const Effort& effort) {
        if (!folded_) WindowLevelObjective::raise(threshold, effort);
    }
    bool has_closer_bound() const { return false; }
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, WindowScratch& scratch) const;
    double value(const double* x, WindowScratch& scratch) const;

  private:
    std::vector<double> needed(const MassGrid& grid) const override;

    const FoldedMode folded_;
};

}  // namespace dugraph
