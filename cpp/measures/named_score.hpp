// The named scores as compiled functions of the two supports, evaluated cell by cell, so that no table of all
// supports is needed. Their known shape replaces the tables: see docs/searching.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dugraph {

enum class ScoreName : int { confidence, frequency_ratio, g_test, hsic, information_gain };

// A score f(a, b), not negative and capped (rule 1). Where the subgraph's share of the positives is at least
// that of the negatives (a n_neg >= b n_pos; everywhere for confidence) f rises in a and falls in b,
// elsewhere the other way. O(1) per score.
class NamedScore {
  public:
    // Without a cap: the larger one of 1000 and the largest finite score.
    NamedScore(ScoreName name, std::size_t n_pos, std::size_t n_neg, std::optional<double> cap = {});

    std::size_t n_pos() const { return n_pos_; }
    std::size_t n_neg() const { return n_neg_; }
    double top() const { return top_; }  // the largest score

    double operator()(std::size_t a, std::size_t b) const;
    // out[k] = f(a, begin + k), bit-identical.
    void row(std::size_t a, std::size_t begin, std::size_t end, double* out) const;

    // How many b of row a, from 0 on, belong to the side where f falls in b.
    std::size_t falling(std::size_t a) const {
        return name_ == ScoreName::confidence ? n_neg_ + 1 : a * n_neg_ / n_pos_ + 1;
    }

    // Rule 3: scores of the whole table that are closer than the tolerance are one level. The lowest score
    // that belongs to the level of the smallest score >= s; if that is far away, s. Found by following the
    // boundary of f >= s: O(n_pos + n_neg) for short levels.
    double level_start(double s) const;

  private:
    bool one_level(double lower, double higher) const {
        return higher == lower || higher - lower < tolerance_;
    }
    double raw(std::size_t a, std::size_t b) const;
    double default_cap() const;
    // All scores from `low` to `high`, ascending, each once.
    std::vector<double> between(double low, double high) const;

    ScoreName name_;
    std::size_t n_pos_, n_neg_;
    double p_, q_, n_;
    std::vector<double> log_pos_, log_neg_;  // of a n_neg and of b n_pos, for the frequency ratio
    double cap_, top_, tolerance_;
};

// The supports with a score of at least s, row by row: b < left, or b >= right. Rows must be requested in
// ascending order; all of them together take O(rows + columns).
class Staircase {
  public:
    // Among the columns begin .. end only.
    Staircase(const NamedScore& score, double s, std::size_t begin, std::size_t end)
        : left(begin), right(begin), score_(score), s_(s), begin_(begin), end_(end) {}

    void step_to(std::size_t a) {
        const std::size_t falling = std::clamp(score_.falling(a), begin_, end_);
        if (s_ <= 0) {
            left = right = falling;
            return;
        }
        while (left < falling && score_(a, left) >= s_) ++left;
        right = std::max(right, falling);
        while (right < end_ && score_(a, right) < s_) ++right;
    }

    std::size_t left, right;

  private:
    const NamedScore& score_;
    double s_;
    std::size_t begin_, end_;
};

}  // namespace dugraph
