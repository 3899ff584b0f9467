// Expectation and phi-probability: averages over the supports of a value per level (the score minus its
// minimum, or an indicator). Cost per subgraph: O(1) by the mass bound; if that is inconclusive, a program of
// O(n^2), or of O(n^1.5) in a window.
#pragma once

#include "bounds/kept_mass.hpp"
#include "measures/score_objective.hpp"

namespace dugraph {

class AverageObjective : public ScoreObjective {
  public:
    static constexpr bool one_table = true;
    bool has_closer_bound() const { return program_bounds_subtree(); }
    void raise(const Threshold&, const Effort& effort) { mass_.sharpen(0, effort, cell_bounds()); }
    double open_bound(const std::vector<ClassMass>& open) const {
        return open.empty() ? -std::numeric_limits<double>::infinity()
                            : mass_.largest(open, 0, cell_bounds());
    }

  protected:
    // The measure is `shift` plus the average of value_of_level, which rises from 0 or more. Masses of the
    // envelope laws below `cut` are omitted.
    struct Average {
        std::vector<double> value_of_level;
        double shift, cut;
    };
    AverageObjective(const Rows& rows, const ClassScore& score, const Limits& limits,
                     const std::atomic<bool>& stop, Average average);

    // Uses a program that omits at most `tail` in either class. The subtree bound is the smaller of the
    // paper's bound and, for Bound::mass, the retained-mass bound.
    Verdict examine_program(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                            bool want_bound, double tail, Programs& programs) const;

    const Average average_;
    const double top_;                                 // the largest value of a level
    const std::vector<double> gain_, gain_worldwise_;  // of the score, and of the paper's bound
    const KeptMass kept_;

  private:
    MassBound::CellBounds cell_bounds() const;
};

class ExpectationObjective : public AverageObjective {
  public:
    ExpectationObjective(const Rows& rows, const Expectation& goal, const Limits& limits,
                         const std::atomic<bool>& stop);

    Verdict examine(const Screened<ClassMass>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Programs& programs) const {
        return examine_program(g, threshold, want_value, want_bound, 1e-10, programs);
    }
    double value(const double* x, Programs& programs) const;
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
