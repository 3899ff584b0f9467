// The goal of a search as plain arrays and numbers: one struct per objective. Arrays belong to the caller.
//
// To add an objective: a struct here, an entry in Goal, a class in cpp/measures, and one line in search.cpp
// that constructs the objective from the goal. See docs/searching.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

namespace dugraph {

// A score of two classes as a table of levels.
struct ClassScore {
    const std::uint8_t* positive = nullptr;  // (n_graphs,): 1 for the positive class
    const std::int32_t* level_of = nullptr;  // (n_pos + 1, n_neg + 1)
    const double* levels = nullptr;          // ascending
    std::size_t n_levels = 0;
};

struct Expectation : ClassScore {};
struct PhiProbability : ClassScore {
    std::int32_t first_level = 0;  // the lowest level that counts as >= phi
};
struct Quantile : ClassScore {
    double quantile = 0.5;
};
struct Mode : ClassScore {};

struct Frequency {};  // expected frequency: no classes, no score
struct Gain {
    const double* weights = nullptr;  // (n_graphs,), of either sign: abs(sum_i w_i x_i)
};

// The expected HSIC of any phenotype: scale E sum_k (sum_i w_ki I_i)^2, I_i the presence in graph i.
struct SquaredCounts {
    const double* weights =
        nullptr;  // (n_contrasts, n_graphs), of either sign; their sum over k is 0 if several
    std::size_t n_contrasts = 0;
    double scale = 1;
    // (n_graphs,), for one contrast of two classes, with weights n_neg and -n_pos: Bound::worldwise is the
    // paper's bound then.
    const std::uint8_t* positive = nullptr;
};

using Goal = std::variant<Expectation, PhiProbability, Quantile, Mode, Frequency, Gain, SquaredCounts>;

}  // namespace dugraph
