// The inner loops of the search over the graphs of a cohort.
//
// A row holds one number per graph: first the positive graphs, filled up with zeros to a whole number of
// blocks, then the negative graphs, filled up likewise. A product of rows is the containment probability x of
// a subgraph.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dugraph {

inline constexpr std::size_t row_block = 16;   // doubles
inline constexpr std::size_t byte_block = 32;  // bytes of a rounded row
inline constexpr int byte_top = 127;           // largest rounded probability: two products of it fit 16 bits

// Expected supports: the sums of a row over the positive and over the negative graphs (A and B of
// docs/search.md).
struct Mass {
    double pos = 0;
    double neg = 0;
    double total() const { return pos + neg; }
};

// Sizes of a padded row, class by class.
struct RowShape {
    std::size_t pos = 0;  // doubles of the positive part, a multiple of row_block
    std::size_t neg = 0;
    std::size_t byte_pos = 0;  // bytes of the positive part of a rounded row, a multiple of byte_block
    std::size_t byte_neg = 0;
    std::size_t size() const { return pos + neg; }
    std::size_t byte_size() const { return byte_pos + byte_neg; }
};
RowShape row_shape(std::size_t n_pos, std::size_t n_neg);

// Mass of the product of two rows, which is not stored. Sixteen running sums in a fixed order: the same bytes
// on every machine.
Mass product_mass(const double* x, const double* p, std::size_t pos, std::size_t neg);

// out = x * p, with its mass; out may be x.
Mass store_product(const double* x, const double* p, std::size_t pos, std::size_t neg, double* out);

// out = x * p over a whole row of n doubles; returns the largest entry.
double store_product_top(const double* x, const double* p, std::size_t n, double* out);

// Sum of squares of a row, class by class.
Mass square_mass(const double* x, std::size_t pos, std::size_t neg);

// sum_i weights[i] values[i].
double dot(const double* weights, const double* values, std::size_t n);

// sum of weights[i] where levels[i] >= from.
double sum_from(const double* weights, const std::int32_t* levels, std::int32_t from, std::size_t n);

// Rounds a row outward to multiples of a 127th of its largest entry, `top`: rounded[i] * scale >= x[i] but
// for the rounding of this product, and 0 stays 0. Returns the scale.
double round_row(const double* x, double top, const RowShape& shape, std::uint8_t* rounded);

// For each candidate k: integer dot products of x with the rounded row of edge ids[k], over either class.
// With the two scales they bound the mass of the product from above, at a sixth of its cost.
struct ByteMass {
    std::int32_t pos;
    std::int32_t neg;
};
void byte_masses(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids, std::size_t count,
                 const RowShape& shape, ByteMass* out);

}  // namespace dugraph
