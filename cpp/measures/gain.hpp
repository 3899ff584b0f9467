// The gain of a linear model from one more subgraph: abs(sum_i w_i x_i), for weights of either sign. No entry
// of x is larger in a supergraph, so neither the positive nor the negative part of the sum grows: max(P, Q)
// bounds the whole subtree. O(n) per subgraph.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "graph/rows.hpp"
#include "rank/goal.hpp"
#include "rank/objective.hpp"

namespace dugraph {

class GainObjective {
  public:
    struct Scratch {};
    static constexpr bool one_table = true;
    using Statistic = SignedSums;

    GainObjective(const Rows& rows, const Gain& goal, const Limits& limits, const std::atomic<bool>&)
        : weights_(rows.width), ones_(rows.width, 1.0), bounded_(limits.bound != Bound::frequency) {
        std::copy_n(goal.weights, rows.n_graphs, weights_.begin());
    }

    Scratch make_scratch() const { return {}; }
    Statistic weigh(const double* x, Row p) const {
        return signed_sums(x, p, weights_.data(), weights_.size());
    }
    double promise(const Statistic& sums) const { return std::fabs(sums.pos - sums.neg); }
    double own_bound(const Statistic& sums) const {
        return promise(sums) + screen_margin * (sums.pos + sums.neg);
    }
    double subtree_bound(const Statistic& sums) const {
        return bounded_ ? largest_below(sums) : std::numeric_limits<double>::infinity();
    }
    bool has_closer_bound() const { return false; }
    Verdict examine(const Screened<Statistic>& g, const Threshold& threshold, bool, bool, Scratch&) const {
        return {!threshold.excludes(own_bound(g.statistic), g.size), std::numeric_limits<double>::infinity(),
                0};
    }
    double value(const double* x, Scratch&) const { return promise(weigh(x, ones_.data())); }
    void raise(const Threshold&, const Effort&) {}
    double open_bound(const std::vector<Statistic>& open) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const Statistic& sums : open) most = std::max(most, largest_below(sums));
        return most;
    }

  private:
    static double largest_below(const Statistic& sums) {
        return std::max(sums.pos, sums.neg) * (1 + screen_margin);
    }

    AlignedVector<double> weights_, ones_;  // padded rows
    bool bounded_;
};

}  // namespace dugraph
