// The distribution of a support: how many of n independent graphs contain a subgraph (Poisson-binomial).
//
// x_k in [0, 1] is the containment probability of graph k; entry i of the pmf is the probability that exactly
// i of the n graphs contain the subgraph. The caller checks the range of x.
//
// Accuracy: masses are only multiplied and added, so at tail = 0 each keeps its relative accuracy: an error
// of at most 1e-12 for every mass above 1e-250 and n up to 5,000. Most of it is the rounding of 1 - x, at
// most half a unit per probability, which adds up when all are equal; the others average out. At tail > 0 the
// omitted masses sum to at most tail. Results are bit-identical on every machine.
#pragma once

#include <cstddef>

#include "support/convolution.hpp"

namespace dugraph {

// Doubles that the work array of support_distribution_window must hold; at least n + 1, and about 3 n for
// long vectors.
std::size_t support_distribution_work_size(std::size_t n);

// One vector. On return work[i] is the mass of i for begin <= i < end; the other entries of work are
// undefined, and the masses outside the window sum to at most tail (at tail = 0: they are exactly zero). No
// allocation. O(n^2) at tail = 0; O(n^1.5) up to logarithms at tail > 0, as a window has a width of some
// standard deviations.
Window support_distribution_window(const double* x, std::size_t n, double tail, double* work);

// One vector, all n + 1 masses. O(n^2).
void support_distribution(const double* x, std::size_t n, double* pmf);

// Many vectors of equal length: x is (count, n), pmf is (count, n + 1), both row by row. Bit-identical to one
// vector at a time; short vectors are processed eight at a time. Masses outside a window are written as 0.
void support_distribution_batch(const double* x, std::size_t count, std::size_t n, double tail, double* pmf);

}  // namespace dugraph
