// Products of all relabelings with a batch of subgraphs in single precision, used only to decide where exact
// values are needed.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/memory.hpp"
#include "maxima/relabelings.hpp"

namespace dugraph {

// out[c n_rows + k] = dot(row k, column c), all of `width` floats, a multiple of float_block. O(n_rows
// n_columns width). The order of summation is unspecified.
void float_products(const float* rows, std::size_t n_rows, const float* columns, std::size_t n_columns,
                    std::size_t width, float* out);

class Screen {
  public:
    static constexpr std::size_t float_block = 16;

    explicit Screen(const Relabelings& test);

    std::size_t width() const { return width_; }
    const float* row(std::size_t k) const { return rows_.data() + k * width_; }
    // Upper bound on the error of a product of a row and a column, given the Euclidean lengths of the column
    // and of its containment probabilities.
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
