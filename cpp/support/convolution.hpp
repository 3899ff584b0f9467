// The distribution of a sum of two independent supports, and the trimming of its ends.
#pragma once

#include <cstddef>

namespace dugraph {

inline constexpr std::size_t convolution_padding = 48;
inline constexpr std::size_t convolution_overrun = 32;

// Doubles that the work array of convolve must hold, for pmfs of a and b entries.
constexpr std::size_t convolution_work_size(std::size_t a, std::size_t b) {
    return a + b + 8 + 2 * convolution_padding;
}

// out[i] = sum_j a[j] b[i-j] for i < n_a + n_b - 1; the convolution_overrun doubles after that may be
// overwritten. O(n_a n_b), by products and sums only: the relative error of an entry is below min(n_a, n_b) +
// 1 rounding units. The inputs are copied first, so out may overlap them.
void convolve(const double* a, std::size_t n_a, const double* b, std::size_t n_b, double* work, double* out);

struct Window {
    std::size_t begin;
    std::size_t end;
};

// The window without the longest run of entries at each end whose total mass is at most budget (per end). A
// budget of 0 removes exact zeros only. At least one entry remains.
inline Window trim(const double* pmf, Window window, double budget) {
    double dropped = pmf[window.begin];
    while (dropped <= budget && window.begin + 1 < window.end) dropped += pmf[++window.begin];
    dropped = pmf[window.end - 1];
    while (dropped <= budget && window.begin + 1 < window.end) dropped += pmf[--window.end - 1];
    return window;
}

}  // namespace dugraph
