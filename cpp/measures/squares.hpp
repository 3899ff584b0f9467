// The expected HSIC of any phenotype: scale E sum_k (sum_i w_ki I_i)^2, where I_i is the presence of the
// subgraph in graph i and the contrasts k are one for a phenotype, one per group for several groups. With
// containment probabilities x it is scale [sum_k (sum_i w_ki x_i)^2 + sum_ki w_ki^2 x_i (1 - x_i)]. O(K n)
// per node for K contrasts. The paper's bound for two classes, Bound::worldwise, needs an additional program.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "graph/class_view.hpp"
#include "graph/rows.hpp"
#include "measures/programs.hpp"
#include "rank/goal.hpp"
#include "rank/objective.hpp"

namespace dugraph {

class SquaredCountsObjective {
  public:
    using Scratch = std::optional<Programs>;
    static constexpr bool one_table = true;
    // Only the sums over the graphs are stored, because bounds need nothing else.
    struct Statistic {
        double expected_graphs = 0;
        double own = 0;
        double subtree = 0;
        double mass() const { return expected_graphs; }
    };

    SquaredCountsObjective(const Rows& rows, const SquaredCounts& goal, const Limits& limits,
                           const std::atomic<bool>&);

    Scratch make_scratch() const { return classes_ ? Scratch(std::in_place, *classes_, 0) : Scratch(); }
    Statistic weigh(const double* x, Row p) const;
    double promise(const Statistic& g) const { return g.own; }
    double own_bound(const Statistic& g) const { return g.own; }
    double subtree_bound(const Statistic& g) const;
    bool has_closer_bound() const { return classes_.has_value(); }
    Verdict examine(const Screened<Statistic>& g, const Threshold& threshold, bool want_value,
                    bool want_bound, Scratch& scratch) const;
    double value(const double* x, Scratch&) const;
    void raise(const Threshold&, const Effort&) {}
    double open_bound(const std::vector<Statistic>& open) const;

  private:
    struct Contrast {
        AlignedVector<double> weights;  // a padded row
        double most = 0, least = 0;     // the largest weight, and the largest negated weight
    };

    double worldwise_bound(const double* x, Programs& programs) const;

    const Rows& rows_;
    const Bound bound_;
    const double scale_;
    std::vector<Contrast> contrasts_;
    double margin_ = screen_margin;     // 0 if all sums are sums of integers
    std::optional<ClassView> classes_;  // for the paper's bound
};

// The largest sum of squares of numbers from -below[k] to above[k] that add up to 0, as they must where there
// are several; O(K^2 2^K).
double largest_square(const double* below, const double* above, std::size_t n);

}  // namespace dugraph
