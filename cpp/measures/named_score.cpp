#include "measures/named_score.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rules 1 and 3.
constexpr double smallest_default_cap = 1000, level_tolerance = 1e-12;

// x ln(x / y) with 0 ln 0 = 0; near x = y by log1p, where the logarithm of a ratio would lose digits.
double relative_entropy(double x, double y) {
    if (x == 0) return 0;
    if (y == 0) return infinity;
    const double ratio = x / y;
    return ratio > 0.5 && ratio < 2 ? x * std::log1p((x - y) / y) : x * std::log(ratio);
}

std::vector<double> logarithms(std::size_t m, double times) {
    std::vector<double> result(m + 1);
    for (std::size_t k = 0; k <= m; ++k) result[k] = std::log(static_cast<double>(k) * times);
    return result;
}

double confidence(double a, double b) { return a + b > 0 ? a / (a + b) : 0; }

double g_test(double a, double b, double p, double q) {
    return 2 * p * (relative_entropy(a / p, b / q) + relative_entropy((p - a) / p, (q - b) / q));
}

double hsic(double a, double b, double p, double q, double n) {
    const double difference = a * q - b * p;
    return difference * difference / ((n - 1) * (n - 1) * (n * n));
}

double information_gain(double a, double b, double p, double q, double n) {
    const double presence = (a + b) / n, absence = 1 - presence;
    return relative_entropy(a / n, p * presence / n) + relative_entropy(b / n, q * presence / n) +
           relative_entropy((p - a) / n, p * absence / n) + relative_entropy((q - b) / n, q * absence / n);
}

// Scores are not negative, except by rounding.
double bounded(double score, double cap) { return std::min(std::max(score, 0.0), cap); }

}  // namespace

NamedScore::NamedScore(ScoreName name, std::size_t n_pos, std::size_t n_neg, std::optional<double> cap)
    : name_(name),
      n_pos_(n_pos),
      n_neg_(n_neg),
      p_(static_cast<double>(n_pos)),
      q_(static_cast<double>(n_neg)),
      n_(p_ + q_) {
    if (n_pos == 0 || n_neg == 0) throw std::invalid_argument("both classes need a graph");
    if (name_ == ScoreName::frequency_ratio) {
        log_pos_ = logarithms(n_pos, q_);
        log_neg_ = logarithms(n_neg, p_);
    }
    cap_ = cap ? *cap : default_cap();
    // Convex scores are largest at a corner; confidence is 1 if no negative graph contains the subgraph.
    top_ = std::max((*this)(n_pos, 0), (*this)(0, n_neg));
    tolerance_ = level_tolerance * top_;
}

// The G-test alone has finite scores beyond 1000: 2p ln q, where one negative graph is on the other side.
double NamedScore::default_cap() const {
    if (name_ != ScoreName::g_test || n_neg_ < 2) return smallest_default_cap;
    return std::max({smallest_default_cap, raw(n_pos_, 1), raw(0, n_neg_ - 1)});
}

double NamedScore::raw(std::size_t a_, std::size_t b_) const {
    const auto a = static_cast<double>(a_), b = static_cast<double>(b_);
    switch (name_) {
        case ScoreName::confidence:
            return confidence(a, b);
        case ScoreName::frequency_ratio:
            return a_ == 0 && b_ == 0 ? 0 : std::abs(log_pos_[a_] - log_neg_[b_]);
        case ScoreName::g_test:
            return g_test(a, b, p_, q_);
        case ScoreName::hsic:
            return hsic(a, b, p_, q_, n_);
        case ScoreName::information_gain:
            return information_gain(a, b, p_, q_, n_);
    }
    return 0;
}

double NamedScore::operator()(std::size_t a, std::size_t b) const { return bounded(raw(a, b), cap_); }

void NamedScore::row(std::size_t a_, std::size_t begin, std::size_t end, double* out) const {
    const auto a = static_cast<double>(a_), first = static_cast<double>(begin);
    // Branch-free loops for the cheap scores, which the compiler vectorises.
    const auto fill = [&](const auto& score) {
        for (std::size_t k = 0; k < end - begin; ++k)
            out[k] = bounded(score(first + static_cast<double>(k), begin + k), cap_);
    };
    if (name_ == ScoreName::confidence && a_ > 0) {
        fill([&](double b, std::size_t) { return a / (a + b); });
    } else if (name_ == ScoreName::frequency_ratio && a_ > 0) {
        fill([&, log_a = log_pos_[a_]](double, std::size_t b) { return std::abs(log_a - log_neg_[b]); });
    } else if (name_ == ScoreName::hsic) {
        fill([&](double b, std::size_t) { return hsic(a, b, p_, q_, n_); });
    } else {
        for (std::size_t b = begin; b < end; ++b) out[b - begin] = (*this)(a_, b);
    }
}

std::vector<double> NamedScore::between(double low, double high) const {
    std::vector<double> found;
    Staircase reached(*this, low, 0, n_neg_ + 1);
    for (std::size_t a = 0; a <= n_pos_; ++a) {
        reached.step_to(a);
        const auto take = [&](std::size_t b) {
            const double score = (*this)(a, b);
            if (score > high) return false;
            found.push_back(score);
            return true;
        };
        for (std::size_t b = reached.left; b > 0 && take(b - 1);) --b;
        for (std::size_t b = reached.right; b <= n_neg_ && take(b);) ++b;
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

double NamedScore::level_start(double s) const {
    // Different shares differ by more than the tolerance; equal shares are exactly equal.
    if (name_ == ScoreName::confidence || s <= 0) return s;
    for (double width = 8 * tolerance_;; width *= 4) {
        const std::vector<double> near = between(s - width, s + tolerance_);
        auto at = std::lower_bound(near.begin(), near.end(), s);
        if (at == near.end()) return s;
        while (at != near.begin() && one_level(*(at - 1), *at)) --at;
        if (*at - tolerance_ >= s - width || s - width <= 0) return *at;
    }
}

}  // namespace dugraph
