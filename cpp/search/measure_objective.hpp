// The measures of a score's distribution as objectives: expectation, quantile, mode, phi-probability.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "search/judge.hpp"
#include "search/mode_bound.hpp"
#include "search/programs.hpp"

namespace dugraph {

class MeasureObjective {
  public:
    using Scratch = Programs;

    MeasureObjective(const Input& input, const Cohort& cohort, const std::atomic<bool>& stop);

    Scratch make_scratch() const { return Programs(cohort_->shape.pos, n_pos_, n_neg_, score_.n_levels); }
    // The score at the expected supports, as if the graphs were certain.
    double promise(const Mass& mass) const {
        const auto a = static_cast<std::size_t>(std::lround(mass.pos)),
                   b = static_cast<std::size_t>(std::lround(mass.neg));
        return score_.levels[score_.level_of[std::min(a, n_pos_) * score_.columns + std::min(b, n_neg_)]];
    }
    double own_bound(const Mass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->own(mass) : std::numeric_limits<double>::infinity();
    }
    double subtree_bound(const Mass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->subtree(mass) : std::numeric_limits<double>::infinity();
    }
    Verdict examine(const Screened& g, const Threshold& threshold, bool want_value, bool want_bound,
                    Scratch& scratch) const;
    double value(const double* x, const Mass& mass, Scratch& scratch) const;
    bool has_program_bound() const { return bound_ != Bound::frequency && measure_ != Measure::mode; }
    void raise(const Threshold& threshold);
    double open_bound(const std::vector<Mass>& open);

  private:
    using Clock = std::chrono::steady_clock;

    bool is_average() const {
        return measure_ == Measure::expectation || measure_ == Measure::phi_probability;
    }
    // Whether one table serves the whole search; tables of levels are made for a threshold, unless all graphs
    // are certain.
    bool has_one_table() const { return is_average() || cohort_->certain; }
    std::vector<double> ordinary_scores() const;
    std::unique_ptr<MassTable> make_table(std::int32_t level, const Workforce& workforce) const;
    std::vector<double> average_bounds(const Workforce& workforce) const;
    double tail(const Threshold& threshold) const;
    Verdict examine_square(const Screened& g, const Threshold& threshold) const;
    Verdict examine_average(const Screened& g, const Threshold& threshold, bool want_value, bool want_bound,
                            Scratch& scratch) const;
    Verdict examine_quantile(const Screened& g, const Threshold& threshold, bool want_value, bool want_bound,
                             Scratch& scratch) const;
    Verdict examine_mode(const Screened& g, const Threshold& threshold, Scratch& scratch) const;
    std::int32_t level_at(double value) const;

    const Cohort* cohort_;
    std::size_t n_pos_, n_neg_;
    Measure measure_;
    Bound bound_;
    double quantile_, square_scale_;
    std::int32_t first_level_;
    Workforce workforce_;
    ScoreGrid score_;
    MassGrid grid_;
    // Expectation and phi-probability are both averages over the supports: of the score less its minimum, of
    // an indicator.
    double shift_ = 0, top_ = 0;
    std::vector<double> gain_, gain_worldwise_;
    std::unique_ptr<ModeBound> mode_bound_;

    // The mass bound's table now in use. Quantiles sharpen it as the threshold rises; old tables stay until
    // the end, since threads may be reading them.
    std::atomic<const MassTable*> table_{nullptr};
    std::vector<std::unique_ptr<MassTable>> tables_;
    std::mutex raising_;
    std::atomic<double> table_threshold_{-std::numeric_limits<double>::infinity()};
    Clock::time_point started_ = Clock::now(), next_raise_ = started_;
};

}  // namespace dugraph
