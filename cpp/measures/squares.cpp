#include "measures/squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// For up to this many contrasts all corners of the box are evaluated; for more, the constraint that they sum
// to 0 is ignored.
constexpr std::size_t most_corners = 8;
// Mass that a screening program may omit in either class.
constexpr double screening_tail = 1e-10;

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
    // Ties are common among certain graphs; with a margin they would never be pruned.
    const auto whole = [](const Contrast& contrast) {
        return std::all_of(contrast.weights.begin(), contrast.weights.end(),
                           [](double weight) { return weight == std::nearbyint(weight); });
    };
    if (rows.certain && std::all_of(contrasts_.begin(), contrasts_.end(), whole)) margin_ = 0;
    if (goal.positive && bound_ == Bound::worldwise)
        classes_.emplace(goal.positive, rows.n_graphs, rows.width);
}

// In a supergraph no entry of x' is larger, and the mass is above the limit. A sum of w x' is at most the sum
// of its positive terms; since the mass m decreases by at most m - limit, it is also at most w x + (m -
// limit) max(-w). The lower bound is analogous.
SquaredCountsObjective::Statistic SquaredCountsObjective::weigh(const double* x, Row p) const {
    Statistic g;
    double spread = 0, squares = 0;
    double below[most_corners], above[most_corners], corners = 0;
    const std::size_t n = contrasts_.size();
    for (std::size_t k = 0; k < n; ++k) {
        const Contrast& contrast = contrasts_[k];
        const WeightedSums sums = weighted_sums(x, p, contrast.weights.data(), rows_.width);
        const double sum = sums.pos - sums.neg, all = sums.pos + sums.neg;
        g.expected_graphs = sums.unweighted;
        squares += square(std::fabs(sum) + margin_ * all);
        if (!rows_.certain) spread += sums.spread;
        double up = sums.pos, down = sums.neg;
        if (bound_ == Bound::mass) {
            const double spare = std::max(0.0, sums.unweighted - rows_.surely_not) * (1 + screen_margin);
            up = std::min(up, sum + spare * contrast.least);
            down = std::min(down, spare * contrast.most - sum);
        }
        const double margin = margin_ * (all + sums.unweighted * (contrast.least + contrast.most));
        up += margin;
        down += margin;
        if (n > 1 && n <= most_corners) {
            above[k] = up;
            below[k] = down;
        } else {
            corners += square(std::max(up, down));
        }
    }
    if (n > 1 && n <= most_corners) corners = largest_square(below, above, n);
    g.own = scale_ * (squares + spread * (1 + screen_margin));
    g.subtree = scale_ * (corners + spread) * (1 + margin_);
    return g;
}

double SquaredCountsObjective::subtree_bound(const Statistic& g) const {
    return bound_ == Bound::frequency || classes_ ? infinity : g.subtree;
}

Verdict SquaredCountsObjective::examine(const Screened<Statistic>& g, const Threshold& threshold,
                                        bool want_value, bool want_bound, Scratch& scratch) const {
    // The own bound uses the largest possible variance; this is the actual one.
    const double most = value(g.x, scratch) + margin_ * g.statistic.own;
    Verdict verdict{want_value && !threshold.excludes(most, g.size), infinity, 0};
    if (want_bound && threshold.value > -infinity) {
        verdict.subtree_bound = worldwise_bound(g.x, *scratch);
        verdict.programs = 1;
    }
    return verdict;
}

// The mean over possible worlds of the larger one of (a q)^2 and (b p)^2: the largest square of any a' <= a,
// b' <= b. O(w^2) for windows of w supports.
double SquaredCountsObjective::worldwise_bound(const double* x, Programs& programs) const {
    programs.run(x, screening_tail);
    const auto p = static_cast<double>(classes_->n_pos()), q = static_cast<double>(classes_->n_neg());
    double average = 0;
    for (std::size_t a = programs.window_pos().begin; a < programs.window_pos().end; ++a) {
        const double from_a = square(static_cast<double>(a) * q);
        double sum = 0;
        for (std::size_t b = programs.window_neg().begin; b < programs.window_neg().end; ++b)
            sum += programs.neg()[b] * std::max(from_a, square(static_cast<double>(b) * p));
        average += programs.pos()[a] * sum;
    }
    const double top = square(p * q);
    return scale_ * std::min(average * (1 + screen_margin) + 2 * screening_tail * top, top);
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

}  // namespace dugraph
