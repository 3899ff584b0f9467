// Expectation and phi-probability: both are averages of a table over the supports, of the score less its
// minimum and of an indicator. Per node O(1) by the mass bound; where that leaves it open, O(n) for the
// closed form of a square, else a program of O(n^2), or of O(n^1.5) where a window serves.
#pragma once

#include <functional>

#include "search/kept_mass.hpp"
#include "search/score_objective.hpp"
#include "search/square_form.hpp"

namespace dugraph {

class AverageObjective : public ScoreObjective {
  public:
    static constexpr bool one_table = true;
    // Between certain graphs the table of the mass bound is exact, and nothing is closer.
    bool has_closer_bound() const {
        return bound_ == Bound::worldwise || (bound_ == Bound::mass && !rows_.certain);
    }
    void raise(const Threshold&, const Effort& effort) { mass_.sharpen(0, effort); }
    double open_bound(const std::vector<ClassMass>& open) {
        return open.empty() ? -std::numeric_limits<double>::infinity() : mass_.largest(open, 0);
    }

  protected:
    using TableOf = std::function<std::vector<double>(const std::vector<std::int32_t>& level_of)>;

    // The average of table_of(score), at most `top`, is the measure less `shift`. cut: masses of the
    // envelope laws below it are left out.
    AverageObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                     const std::atomic<bool>& stop, double shift, double top, double cut, TableOf table_of);

    std::vector<double> uncertain_bounds(const MassGrid& grid, std::int32_t level,
                                         const Workforce& workforce) const override;
    std::vector<double> ordinary_scores() const override;
    // By a program that leaves out at most `tail` of either class. The subtree's bound is the smaller one of
    // the paper's and, for Bound::mass, that of the mass kept.
    Verdict examine_program(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                            bool want_bound, double tail, Programs& programs) const;

    const double shift_, top_, cut_;
    const TableOf table_of_;
    const std::vector<double> gain_, gain_worldwise_;  // of the score, and of the paper's bound
    const KeptMass kept_;
};

class ExpectationObjective : public AverageObjective {
  public:
    ExpectationObjective(const Rows& rows, const Expectation& goal, const Limits& limits,
                         const std::atomic<bool>& stop);

    double own_bound(const ClassMass& mass) const;
    double subtree_bound(const ClassMass& mass) const;
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Programs& programs) const;
    double value(const double* x, Programs& programs) const;

  private:
    std::vector<double> uncertain_bounds(const MassGrid& grid, std::int32_t level,
                                         const Workforce& workforce) const override;

    const SquareForm square_;  // if the score is a square
};

class PhiObjective : public AverageObjective {
  public:
    PhiObjective(const Rows& rows, const PhiProbability& goal, const Limits& limits,
                 const std::atomic<bool>& stop);

    bool rules_out(const Screened<ClassMass>& g, const Threshold& threshold) const;
    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Programs& programs) const;
    double value(const double* x, Programs& programs) const;

  private:
    // The same for phi-probabilities above one half, by their complement.
    Verdict examine_complement(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                               bool want_bound, Programs& programs) const;

    const std::int32_t first_level_;
    const double slope_;  // only b <= slope a counts as >= phi; infinite if there is no such line
};

}  // namespace dugraph
