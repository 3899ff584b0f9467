// Exp-Freq, the paper's first baseline: the expected frequency is both value and bound. O(1) per subgraph in
// addition to the sum over the graphs. The simplest objective; see docs/searching.md for a complete example.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "graph/rows.hpp"
#include "rank/goal.hpp"
#include "rank/objective.hpp"

namespace dugraph {

class FrequencyObjective {
  public:
    struct Scratch {};
    static constexpr bool one_table = true;
    struct Statistic {
        double expected_graphs = 0;
        double mass() const { return expected_graphs; }
    };

    FrequencyObjective(const Rows& rows, const Frequency&, const Limits& limits, const std::atomic<bool>&)
        : rows_(&rows),
          ones_(rows.width, 1.0),
          // Sums of zeros and ones are exact, and ties are common among certain graphs; with a margin they
          // would never be pruned.
          margin_(rows.certain ? 0 : screen_margin),
          bounded_(limits.bound != Bound::frequency) {}

    Scratch make_scratch() const { return {}; }
    Statistic weigh(const double* x, Row p) const { return {product_sum(x, p, rows_->width)}; }
    double promise(const Statistic& g) const { return g.mass(); }
    double own_bound(const Statistic& g) const { return frequency(g) * (1 + margin_); }
    double subtree_bound(const Statistic& g) const {
        return bounded_ ? own_bound(g) : std::numeric_limits<double>::infinity();
    }
    bool has_closer_bound() const { return false; }
    Verdict examine(const Screened<Statistic>& g, const Threshold& threshold, bool, bool, Scratch&) const {
        return {!threshold.excludes(own_bound(g.statistic), g.size), std::numeric_limits<double>::infinity(),
                0};
    }
    double value(const double* x, Scratch&) const { return frequency(weigh(x, ones_.data())); }
    void raise(const Threshold&, const Effort&) {}
    double open_bound(const std::vector<Statistic>& open) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const Statistic& g : open) most = std::max(most, own_bound(g));
        return most;
    }

  private:
    double frequency(const Statistic& g) const { return g.mass() / static_cast<double>(rows_->n_graphs); }

    const Rows* rows_;
    AlignedVector<double> ones_;
    double margin_;
    bool bounded_;
};

}  // namespace dugraph
