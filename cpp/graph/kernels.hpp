// The inner loops of the search over the graphs.
//
// A row has one number per graph, padded with zeros to a multiple of the block size. A product of rows is the
// containment probability x of a subgraph. Lengths n below are those of padded rows unless stated otherwise;
// everything here is O(n). Sums use sixteen running sums in a fixed order, so that results are bit-identical
// on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/row.hpp"

namespace dugraph {

inline constexpr std::size_t row_block = 16;   // doubles
inline constexpr std::size_t byte_block = 32;  // bytes of a rounded row
inline constexpr int byte_top = 127;           // largest rounded probability: two products of it fit 16 bits

inline constexpr std::size_t whole_blocks(std::size_t n, std::size_t block) {
    return (n + block - 1) / block * block;
}

// Expected supports: the sums of a row over the positive and over the negative graphs (A and B of
// docs/searching.md).
struct ClassMass {
    double pos = 0;
    double neg = 0;
    double mass() const { return pos + neg; }
};

// Sum of the positive terms of a weighted row, sum of the absolute values of the negative terms (P and Q),
// and the unweighted sum of the row.
struct SignedSums {
    double pos = 0;
    double neg = 0;
    double unweighted = 0;
    double mass() const { return unweighted; }
};

// Sums that bound a weighted count: signed sums of w x, the sum of x, and the largest sum of w^2 x' (1 - x')
// over all x' <= x.
struct WeightedSums {
    double pos = 0;
    double neg = 0;
    double spread = 0;
    double unweighted = 0;
};

// Sum of the product of two rows, which is not stored.
double product_sum(const double* x, const double* p, std::size_t n);
double product_sum(const double* x, const float* p, std::size_t n);

// out = x * p, with its sum; out may be x.
double store_product(const double* x, const double* p, std::size_t n, double* out);
double store_product(const double* x, const float* p, std::size_t n, double* out);

// out = x * p; returns the largest entry.
double store_product_top(const double* x, const double* p, std::size_t n, double* out);
double store_product_top(const double* x, const float* p, std::size_t n, double* out);

// Sums of x * p where the mask is set, and where it is not.
ClassMass class_masses(const double* x, const double* p, const std::int64_t* mask, std::size_t n);
ClassMass class_masses(const double* x, const float* p, const std::int64_t* mask, std::size_t n);

// Sums of the terms (x * p) * w by their sign.
SignedSums signed_sums(const double* x, const double* p, const double* w, std::size_t n);
SignedSums signed_sums(const double* x, const float* p, const double* w, std::size_t n);

// The sums of x * p for the weights w.
WeightedSums weighted_sums(const double* x, const double* p, const double* w, std::size_t n);
WeightedSums weighted_sums(const double* x, const float* p, const double* w, std::size_t n);

// Variance of a weighted count: sum of w^2 x (1 - x).
double weighted_variance(const double* x, const double* w, std::size_t n);

// sum_i weights[i] values[i], for any n.
double dot(const double* weights, const double* values, std::size_t n);

// sum of weights[i] where levels[i] >= from, for any n.
double sum_from(const double* weights, const std::int32_t* levels, std::int32_t from, std::size_t n);

// Rounds a row outward to multiples of a 127th of its largest entry, `top`: rounded[i] * scale >= x[i]
// except for the rounding of this product, and 0 stays 0. Returns the scale.
double round_row(const double* x, double top, std::size_t n, std::uint8_t* rounded);

// For each candidate k: the integer dot product of x with the rounded row of edge ids[k], n bytes each, a
// multiple of byte_block. Multiplied by the two scales it is an upper bound of the sum of the product, at a
// sixth of its cost.
void byte_sums(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids, std::size_t count,
               std::size_t n, std::int32_t* out);

// The same for a row of either precision.
inline double product_sum(const double* x, Row p, std::size_t n) {
    return p.narrow ? product_sum(x, p.narrow, n) : product_sum(x, p.wide, n);
}
inline double store_product(const double* x, Row p, std::size_t n, double* out) {
    return p.narrow ? store_product(x, p.narrow, n, out) : store_product(x, p.wide, n, out);
}
inline double store_product_top(const double* x, Row p, std::size_t n, double* out) {
    return p.narrow ? store_product_top(x, p.narrow, n, out) : store_product_top(x, p.wide, n, out);
}
inline ClassMass class_masses(const double* x, Row p, const std::int64_t* mask, std::size_t n) {
    return p.narrow ? class_masses(x, p.narrow, mask, n) : class_masses(x, p.wide, mask, n);
}
inline SignedSums signed_sums(const double* x, Row p, const double* w, std::size_t n) {
    return p.narrow ? signed_sums(x, p.narrow, w, n) : signed_sums(x, p.wide, w, n);
}
inline WeightedSums weighted_sums(const double* x, Row p, const double* w, std::size_t n) {
    return p.narrow ? weighted_sums(x, p.narrow, w, n) : weighted_sums(x, p.wide, w, n);
}

}  // namespace dugraph
