// The paper's recursion for the distribution of a support, for one vector and for eight vectors side by side.
//
//   pmf_k[i] = (1 - x_k) pmf_{k-1}[i] + x_k pmf_{k-1}[i-1]
//
// Four steps are taken in one sweep: the pmf of four probabilities has five entries c, and
//   pmf_{k+4}[i] = c0 pmf_k[i] + c1 pmf_k[i-1] + ... + c4 pmf_k[i-4],
// which is five products instead of eight, and a quarter of the memory traffic. The only subtraction is 1 -
// x, so each entry keeps its relative accuracy.
#pragma once

#include <cstddef>

namespace dugraph {

// Doubles that the work array of each routine must hold.
constexpr std::size_t recursion_work_size(std::size_t n) { return n + 32; }
constexpr std::size_t recursion_eight_work_size(std::size_t n) { return 8 * (n + 10); }

// One vector. O(n^2). The n + 1 masses are left inside work, where the result points to.
const double* recursion(const double* x, std::size_t n, double* work);

// Eight vectors of length n, row by row; bit-identical to eight calls of recursion. O(n^2) for all eight
// together. Rows may repeat: a group of fewer than eight vectors repeats one of them.
void recursion_eight(const double* const (&x)[8], std::size_t n, double* work, double* const (&pmf)[8]);

}  // namespace dugraph
