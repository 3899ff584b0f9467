// The products of all relabelings with some subgraphs at once, in single precision: they decide where a
// closer look is needed, never a value.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/memory.hpp"
#include "maxima/relabelings.hpp"

namespace dugraph {

// out[c n_rows + k] = dot(row k, column c), all of `width` floats, a multiple of float_block. O(n_rows
// n_columns width). Sums are in no promised order.
void float_products(const float* rows, std::size_t n_rows, const float* columns, std::size_t n_columns,
                    std::size_t width, float* out);

class Screen {
  public:
    static constexpr std::size_t float_block = 16;

    explicit Screen(const Relabelings& test);

    std::size_t width() const { return width_; }
    const float* row(std::size_t k) const { return rows_.data() + k * width_; }
    // More than what a product of a row with a column is off by, given the Euclidean length of the column and
    // of the containment probabilities it was made of.
    double margin(double column_length, double length) const {
        return error_ * column_length + longest_ * rounding_of_doubles * length;
    }
    // The length of a row of weights.
    double row_length(std::size_t row) const { return lengths_[row]; }
    // Whether the weights of each cell sum to zero, so that x may be centred within cells: that makes
    // columns short, and products accurate.
    bool centres() const { return centres_; }

  private:
    static constexpr double rounding_of_doubles = 1e-13;

    std::size_t width_;
    AlignedVector<float> rows_;
    std::vector<double> lengths_;
    double longest_ = 0, error_ = 0;
    bool centres_ = true;
};

}  // namespace dugraph
