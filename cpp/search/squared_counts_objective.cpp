#include "search/squared_counts_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Corners of the box of so many contrasts are looked at one by one.
constexpr std::size_t most_corners = 8;
// Of so many contrasts it is used at all that they add up to 0.
constexpr std::size_t most_together = 128;

double square(double x) { return x * x; }

}  // namespace

SquaredCountsObjective::SquaredCountsObjective(const Rows& rows, const SquaredCounts& goal,
                                               const Limits& limits, const std::atomic<bool>&)
    : rows_(rows), bound_(limits.bound), scale_(goal.scale), contrasts_(goal.n_contrasts) {
    for (std::size_t k = 0; k < goal.n_contrasts; ++k) {
        Contrast& contrast = contrasts_[k];
        contrast.weights.resize(rows.width);
        std::copy_n(goal.weights + k * rows.n_graphs, rows.n_graphs, contrast.weights.begin());
        for (const double weight : contrast.weights) {
            contrast.most = std::max(contrast.most, weight);
            contrast.least = std::max(contrast.least, -weight);
        }
    }
}

// A supergraph's x' is nowhere larger, and its mass is above the limit. A sum of w x' is at most that of its
// positive terms; and, as at least limit of the mass m must stay, at most w x + (m - limit) max(-w), since
// what is given up gains at most max(-w) each. Likewise from below.
SquaredCountsObjective::Statistic SquaredCountsObjective::weigh(const double* x, Row p) const {
    Statistic g;
    double spread = 0, squares = 0;
    double below[most_together], above[most_together], corners = 0;
    const std::size_t n = contrasts_.size();
    for (std::size_t k = 0; k < n; ++k) {
        const Contrast& contrast = contrasts_[k];
        const WeightedSums sums = weighted_sums(x, p, contrast.weights.data(), rows_.width);
        const double sum = sums.pos - sums.neg, all = sums.pos + sums.neg;
        g.expected_graphs = sums.unweighted;
        squares += square(std::fabs(sum) + screen_margin * all);
        spread += sums.spread;
        double up = sums.pos, down = sums.neg;
        if (bound_ == Bound::mass) {
            const double spare = std::max(0.0, sums.unweighted - rows_.surely_not);
            up = std::min(up, sum + spare * contrast.least);
            down = std::min(down, spare * contrast.most - sum);
        }
        const double margin = screen_margin * (all + sums.unweighted * (contrast.least + contrast.most));
        up += margin;
        down += margin;
        if (n > 1 && n <= most_together) {
            above[k] = up;
            below[k] = down;
        } else {
            corners += square(std::max(up, down));
        }
    }
    if (n > 1 && n <= most_together)
        corners = n <= most_corners ? largest_square(below, above, n) : relaxed_square(below, above, n);
    g.own = scale_ * (squares + spread * (1 + screen_margin));
    g.subtree = scale_ * (corners + spread) * (1 + screen_margin);
    return g;
}

double SquaredCountsObjective::subtree_bound(const Statistic& g) const {
    return bound_ == Bound::frequency ? infinity : g.subtree;
}

Verdict SquaredCountsObjective::examine(const Screened<Statistic>& g, const Threshold& threshold, bool, bool,
                                        Scratch& scratch) const {
    // The own bound has taken the variance as large as it could be; now as it is.
    const double most = value(g.x, scratch) + screen_margin * g.statistic.own;
    return {!threshold.excludes(most, g.size), infinity, 0};
}

double SquaredCountsObjective::value(const double* x, Scratch&) const {
    double total = 0;
    for (const Contrast& contrast : contrasts_)
        total += square(dot(contrast.weights.data(), x, rows_.width)) +
                 weighted_variance(x, contrast.weights.data(), rows_.width);
    return scale_ * total;
}

double SquaredCountsObjective::open_bound(const std::vector<Statistic>& open) const {
    double most = -infinity;
    for (const Statistic& g : open) most = std::max(most, g.subtree);
    return most;
}

// A convex function is largest at a corner of what is possible, where all numbers but one are at their ends.
double largest_square(const double* below, const double* above, std::size_t n) {
    double largest = 0, reach = 0;
    for (std::size_t k = 0; k < n; ++k) reach += std::fabs(below[k]) + std::fabs(above[k]);
    const double slack = 1e-12 * reach;  // of the rounding of sums
    for (std::size_t free = 0; free < n; ++free) {
        for (unsigned ends = 0; ends < 1u << (n - 1); ++ends) {
            double sum = 0, squares = 0;
            for (std::size_t k = 0, bit = 0; k < n; ++k) {
                if (k == free) continue;
                const double end = ends >> bit++ & 1 ? above[k] : -below[k];
                sum += end;
                squares += square(end);
            }
            if (-sum < -below[free] - slack || -sum > above[free] + slack) continue;
            largest = std::max(largest, squares + square(sum));
        }
    }
    return largest;
}

// For every price t the maximum is at most sum_k max (s_k^2 - t s_k) over the box alone, which is at an end
// of each interval: the upper one if t is below above - below. The bound is convex in t and bends at these
// prices, so it is least where its slope turns from negative to positive.
double relaxed_square(const double* below, const double* above, std::size_t n) {
    std::size_t order[most_together] = {};
    std::iota(order, order + n, std::size_t{0});
    std::sort(order, order + n,
              [&](std::size_t j, std::size_t k) { return above[j] - below[j] < above[k] - below[k]; });
    double slope = 0;
    for (std::size_t k = 0; k < n; ++k) slope -= above[k];
    std::size_t last = 0;
    for (; last + 1 < n; ++last) {
        slope += above[order[last]] + below[order[last]];
        if (slope >= 0) break;
    }
    const double price = above[order[last]] - below[order[last]];
    double sum = 0, reach = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double up = above[k] * (above[k] - price), down = below[k] * (below[k] + price);
        sum += std::max(up, down);
        reach += std::fabs(up) + std::fabs(down);
    }
    return sum + 1e-12 * reach;  // of the rounding of sums
}

}  // namespace dugraph
