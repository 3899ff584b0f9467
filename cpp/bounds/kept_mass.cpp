#include "bounds/kept_mass.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/envelope.hpp"
#include "graph/kernels.hpp"

namespace dugraph {

namespace {

// Masses below this are omitted from the low laws and compensated for.
constexpr double cut = 1e-30;
// Number of rows, over all masses that may have to be retained; one per integer mass if there are more.
constexpr double enough_rows = 256;

double average(const double* masses, Window window, const std::vector<double>& row) {
    return dot(masses + window.begin, row.data() + window.begin, window.end - window.begin);
}

}  // namespace

KeptMass::KeptMass(const ScoreGrid& score, double limit, std::vector<double> value_of_level)
    : score_(score),
      limit_(std::max(limit, 0.0)),
      steps_(std::ceil(enough_rows / std::max(limit_, 1.0))),
      value_of_level_(std::move(value_of_level)),
      top_(value_of_level_.back()),
      rising_(static_cast<std::size_t>(limit_ * steps_) + 1),
      falling_(rising_.size()) {}

KeptMass::Row KeptMass::make_row(bool rising, double kept) const {
    const std::size_t n_own = (rising ? score_.rows : score_.columns) - 1,
                      n_other = (rising ? score_.columns : score_.rows) - 1;
    const Law low = low_law(n_other, std::min(kept, static_cast<double>(n_other)), cut);
    const MonotoneTables& tables = score_.monotone();
    Row row{std::vector<double>(n_own + 1), std::vector<double>(n_own + 1)};
    for (std::size_t own = 0; own <= n_own; ++own) {
        for (std::size_t k = 0; k < low.mass.size(); ++k) {
            const std::size_t other = low.begin + k;
            const std::int32_t level = rising ? tables.rising[own * score_.columns + other]
                                              : tables.falling[other * score_.columns + own];
            const double value = value_of_level_[static_cast<std::size_t>(level)];
            row.average[own] += low.mass[k] * value;
            row.missing[own] += low.mass[k] * (top_ - value);
        }
        row.average[own] += low.missing * top_;
    }
    return row;
}

// The retained mass is rounded down, so its low law is still a lower bound.
const KeptMass::Row& KeptMass::row(bool rising, double own_mass) const {
    Rows& rows = rising ? rising_ : falling_;
    const auto step =
        std::min(static_cast<std::size_t>(std::max(0.0, limit_ - own_mass) * steps_), rows.size() - 1);
    if (const Row* ready = rows[step].load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(making_);
    if (const Row* ready = rows[step].load(std::memory_order_acquire)) return *ready;
    made_.push_back(make_row(rising, static_cast<double>(step) / steps_));
    rows[step].store(&made_.back(), std::memory_order_release);
    return made_.back();
}

KeptMass::Averages KeptMass::most(const Programs& programs, const ClassMass& mass) const {
    return {average(programs.pos(), programs.window_pos(), row(true, mass.pos).average),
            average(programs.neg(), programs.window_neg(), row(false, mass.neg).average)};
}

KeptMass::Averages KeptMass::least_missing(const Programs& programs, const ClassMass& mass) const {
    return {average(programs.pos(), programs.window_pos(), row(true, mass.pos).missing),
            average(programs.neg(), programs.window_neg(), row(false, mass.neg).missing)};
}

}  // namespace dugraph
