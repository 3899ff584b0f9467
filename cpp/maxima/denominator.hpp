// What abs(sum_i w_i x_i) is divided by; it depends on x and the cells, never on how labels are arranged.
#pragma once

#include <vector>

#include "maxima/relabelings.hpp"

namespace dugraph {

class Denominator {
  public:
    explicit Denominator(const Relabelings& test);

    std::size_t n_cells() const { return sizes_.size(); }
    // Graphs of each cell.
    const std::vector<double>& sizes() const { return sizes_; }
    const std::int64_t* cells() const { return test_.cells; }

    // Sums of x over each cell. O(n); O(cells) if all graphs are in one, `mass` being the sum of x.
    void cell_sums(const double* x, double* sums) const;
    void cell_sums(const double* x, double mass, double* sums) const;

    // The squared denominator, and the size against which it is zero: x is constant where it is below
    // zero_share of that. O(cells), for t O(n (1 + rank)).
    struct Square {
        double value, scale;
        bool is_zero() const { return !(value > zero_share * scale); }
        bool is_doubtful() const { return value < 1e-6 * scale; }  // rounding might matter
    };
    Square square(const double* x, const double* sums, std::size_t contrast) const;

  private:
    static constexpr double zero_share = 1e-12;

    Square square_of_residual(const double* x, const double* sums) const;

    const Relabelings& test_;
    std::vector<double> sizes_;
    std::vector<double> largest_;  // per contrast: four times what the square can be at most
};

}  // namespace dugraph
