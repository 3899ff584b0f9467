#include "measures/programs.hpp"

#include <algorithm>

#include "graph/kernels.hpp"

namespace dugraph {

Programs::Programs(const ClassView& view, std::size_t n_levels)
    : view_(&view),
      n_pos_(view.n_pos()),
      n_neg_(view.n_neg()),
      n_levels_(n_levels),
      x_pos_(n_pos_),
      x_neg_(n_neg_),
      pos_(support_distribution_work_size(n_pos_)),
      neg_(support_distribution_work_size(n_neg_)) {}

void Programs::run(const double* x, double tail) {
    view_->gather(x, x_pos_.data(), x_neg_.data());
    window_pos_ = support_distribution_window(x_pos_.data(), n_pos_, tail, pos_.data());
    window_neg_ = support_distribution_window(x_neg_.data(), n_neg_, tail, neg_.data());
}

double Programs::average(const std::vector<double>& table) const {
    double total = 0;
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        total += pos_[a] * dot(neg_.data() + window_neg_.begin,
                               table.data() + a * (n_neg_ + 1) + window_neg_.begin,
                               window_neg_.end - window_neg_.begin);
    }
    return total;
}

double Programs::probability_from(const std::int32_t* level_of, std::int32_t level) const {
    double total = 0;
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        total += pos_[a] * sum_from(neg_.data() + window_neg_.begin,
                                    level_of + a * (n_neg_ + 1) + window_neg_.begin, level,
                                    window_neg_.end - window_neg_.begin);
    }
    return total;
}

double Programs::probability_below(const std::int32_t* level_of, std::int32_t level) const {
    double total = 0;
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        const std::int32_t* row = level_of + a * (n_neg_ + 1);
        double below = 0;
        for (std::size_t b = window_neg_.begin; b < window_neg_.end; ++b)
            below += row[b] < level ? neg_[b] : 0.0;
        total += pos_[a] * below;
    }
    return total;
}

double Programs::most_likely_cell() const {
    return *std::max_element(pos_.begin() + window_pos_.begin, pos_.begin() + window_pos_.end) *
           *std::max_element(neg_.begin() + window_neg_.begin, neg_.begin() + window_neg_.end);
}

void Programs::fill_bins(const std::int32_t* level_of) {
    if (bins_.empty()) bins_.resize(n_levels_);
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        const std::int32_t* row = level_of + a * (n_neg_ + 1);
        for (std::size_t b = window_neg_.begin; b < window_neg_.end; ++b) bins_[row[b]] += pos_[a] * neg_[b];
    }
}

void Programs::clear_bins(const std::int32_t* level_of) {
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        const std::int32_t* row = level_of + a * (n_neg_ + 1);
        for (std::size_t b = window_neg_.begin; b < window_neg_.end; ++b) bins_[row[b]] = 0;
    }
}

std::int32_t Programs::quantile_level(const std::int32_t* level_of, double quantile) const {
    // By bisection: the levels below `low` do not reach the quantile, those from `high` on do.
    std::int32_t low = 0, high = static_cast<std::int32_t>(n_levels_) - 1;
    while (low < high) {
        const std::int32_t middle = low + (high - low) / 2;
        const bool reached = 1 - probability_from(level_of, middle + 1) >= quantile - jump_tolerance;
        (reached ? high : low) = reached ? middle : middle + 1;
    }
    return low;
}

std::int32_t Programs::mode_level(const std::int32_t* level_of, double tie) {
    fill_bins(level_of);
    double most = 0;
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        const std::int32_t* row = level_of + a * (n_neg_ + 1);
        for (std::size_t b = window_neg_.begin; b < window_neg_.end; ++b)
            most = std::max(most, bins_[row[b]]);
    }
    std::int32_t level = 0;
    for (std::size_t a = window_pos_.begin; a < window_pos_.end; ++a) {
        const std::int32_t* row = level_of + a * (n_neg_ + 1);
        for (std::size_t b = window_neg_.begin; b < window_neg_.end; ++b) {
            if (bins_[row[b]] >= most - tie) level = std::max(level, row[b]);
        }
    }
    clear_bins(level_of);
    return level;
}

}  // namespace dugraph
