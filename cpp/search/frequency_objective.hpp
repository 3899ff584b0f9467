// Exp-Freq, the paper's first baseline: the expected frequency is value and bound in one.
#pragma once

#include <algorithm>
#include <limits>

#include "search/judge.hpp"

namespace dugraph {

class FrequencyObjective {
  public:
    struct Scratch {};

    FrequencyObjective(const Input& input, const Cohort& cohort)
        : cohort_(&cohort), bounded_(input.bound != Bound::frequency) {}

    Scratch make_scratch() const { return {}; }
    double promise(const Mass& mass) const { return mass.total(); }
    double own_bound(const Mass& mass) const { return frequency(mass) * (1 + screen_margin); }
    double subtree_bound(const Mass& mass) const {
        return bounded_ ? own_bound(mass) : std::numeric_limits<double>::infinity();
    }
    Verdict examine(const Screened& g, const Threshold& threshold, bool, bool, Scratch&) const {
        return {!threshold.excludes(own_bound(g.mass), g.size), std::numeric_limits<double>::infinity(), 0};
    }
    double value(const double*, const Mass& mass, Scratch&) const { return frequency(mass); }
    bool has_program_bound() const { return false; }
    void raise(const Threshold&) {}
    double open_bound(const std::vector<Mass>& open) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const Mass& mass : open) most = std::max(most, own_bound(mass));
        return most;
    }

  private:
    double frequency(const Mass& mass) const {
        return mass.total() / static_cast<double>(cohort_->n_graphs());
    }

    const Cohort* cohort_;
    bool bounded_;
};

}  // namespace dugraph
