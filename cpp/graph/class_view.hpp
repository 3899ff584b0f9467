// The two classes as a view of unlabelled rows: which graphs are positive, and sums by class.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/memory.hpp"

namespace dugraph {

class ClassView {
  public:
    // positive[i] is 1 for the positive graphs; `width` is the length of a padded row.
    ClassView(const std::uint8_t* positive, std::size_t n_graphs, std::size_t width) : mask_(width) {
        for (std::size_t i = 0; i < n_graphs; ++i) {
            mask_[i] = positive[i] ? ~std::int64_t{0} : 0;
            (positive[i] ? pos_ : neg_).push_back(static_cast<std::int32_t>(i));
        }
    }

    std::size_t n_pos() const { return pos_.size(); }
    std::size_t n_neg() const { return neg_.size(); }

    // Expected supports of the product of two rows, and sums of squares of one. O(n).
    ClassMass masses(const double* x, Row p) const { return class_masses(x, p, mask_.data(), mask_.size()); }
    ClassMass squares(const double* x) const { return masses(x, x); }

    // The entries of a row, positive graphs first. O(n).
    void gather(const double* x, double* pos, double* neg) const {
        for (std::size_t k = 0; k < pos_.size(); ++k) pos[k] = x[pos_[k]];
        for (std::size_t k = 0; k < neg_.size(); ++k) neg[k] = x[neg_[k]];
    }

  private:
    AlignedVector<std::int64_t> mask_;     // all bits set for positive graphs
    std::vector<std::int32_t> pos_, neg_;  // their positions in a row
};

}  // namespace dugraph
