// The gain of a linear model from one more subgraph: abs(sum_i w_i x_i), where w_i > 0 for positive and
// w_i < 0 for negative graphs. A supergraph's x is nowhere larger, so that neither part of the sum grows.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "search/judge.hpp"

namespace dugraph {

class GainObjective {
  public:
    struct Scratch {};

    GainObjective(const Input& input, const Cohort& cohort)
        : shape_(cohort.shape),
          weights_(cohort.shape.size()),
          most_pos_(input.weights, input.n_pos),
          most_neg_(input.weights + input.n_pos, input.n_neg),
          bounded_(input.bound != Bound::frequency) {
        std::copy_n(input.weights, input.n_pos, weights_.begin());
        std::copy_n(input.weights + input.n_pos, input.n_neg,
                    weights_.begin() + static_cast<std::ptrdiff_t>(shape_.pos));
    }

    Scratch make_scratch() const { return {}; }
    double promise(const Mass& mass) const {
        return std::fabs(most_pos_.mean * mass.pos - most_neg_.mean * mass.neg);
    }
    double own_bound(const Mass& mass) const {
        return std::max(most_pos_(mass.pos), most_neg_(mass.neg)) * (1 + screen_margin);
    }
    double subtree_bound(const Mass& mass) const {
        return bounded_ ? own_bound(mass) : std::numeric_limits<double>::infinity();
    }
    Verdict examine(const Screened& g, const Threshold& threshold, bool, bool, Scratch&) const {
        const Mass weighted = weigh(g.x);
        const double value = std::fabs(weighted.pos - weighted.neg) + screen_margin * weighted.total();
        const double subtree = std::max(weighted.pos, weighted.neg) * (1 + screen_margin);
        return {!threshold.excludes(value, g.size),
                bounded_ ? subtree : std::numeric_limits<double>::infinity(), 0};
    }
    bool has_program_bound() const { return bounded_; }
    double value(const double* x, const Mass&, Scratch&) const {
        const Mass weighted = weigh(x);
        return std::fabs(weighted.pos - weighted.neg);
    }
    void raise(const Threshold&) {}
    double open_bound(const std::vector<Mass>& open) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const Mass& mass : open) most = std::max(most, own_bound(mass));
        return most;
    }

  private:
    // The most that sum_i w_i x_i can be, given the sum of the x_i, each at most 1: the largest weights are
    // filled first.
    struct Most {
        Most(const double* weights, std::size_t n) : sums(n + 2) {
            std::vector<double> sorted(weights, weights + n);
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + sorted[i];
            sums[n + 1] = sums[n];
            mean = sums[n] / static_cast<double>(n);
        }
        double operator()(double mass) const {
            const double whole = std::min(std::floor(mass), static_cast<double>(sums.size() - 2));
            const auto i = static_cast<std::size_t>(whole);
            return sums[i] + std::min(mass - whole, 1.0) * (sums[i + 1] - sums[i]);
        }
        std::vector<double> sums;
        double mean;
    };

    Mass weigh(const double* x) const {
        return {dot(weights_.data(), x, shape_.pos),
                dot(weights_.data() + shape_.pos, x + shape_.pos, shape_.neg)};
    }

    RowShape shape_;
    AlignedVector<double> weights_;  // absolute values, a padded row
    Most most_pos_, most_neg_;
    bool bounded_;
};

}  // namespace dugraph
