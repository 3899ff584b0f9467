// Divide and conquer for long vectors: the recursion on short pieces, eight side by side, then convolutions.
#pragma once

#include <cstddef>

#include "support/convolution.hpp"

namespace dugraph {

// Doubles that the work array of convolution_tree must hold.
std::size_t convolution_tree_work_size(std::size_t n);

// The pmf of the support over x (n > 0), in work[begin .. end); the rest of work is undefined. See
// support_distribution_window, which this implements for long vectors.
Window convolution_tree(const double* x, std::size_t n, double tail, double* work);

}  // namespace dugraph
