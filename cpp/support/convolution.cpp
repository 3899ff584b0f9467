#include "support/convolution.hpp"

#include <algorithm>

#include "dispatch.hpp"
#include "support/vector.hpp"

namespace dugraph {
namespace {

constexpr std::size_t stride =
    8;  // terms are grouped by residue mod 8 for any width, so that results are bit-identical

constexpr std::size_t round_down(std::size_t value) { return value / stride * stride; }
constexpr std::size_t round_up(std::size_t value) { return round_down(value + stride - 1); }

// Vectors of results in registers, and as many vectors of b.
template <int width>
constexpr int tile = width == 8 ? 4 : 6;

// The results out[at .. at + tile * width), adding the terms j in [begin, end), both multiples of 8. Terms
// with the same j mod 8 follow each other: the next needs the vectors of b that this one has, moved by 8
// entries, and few loads.
template <int width>
DUGRAPH_INLINE void convolve_tile(const double* a, const double* b, std::size_t at, std::size_t begin,
                                  std::size_t end, double* out) {
    using V = Vector<width>;
    constexpr int size = tile<width>, fresh = stride / width;
    typename V::Type sum[size] = {};
    for (std::size_t residue = 0; residue < stride; ++residue) {
        const double* from = b + at - begin - residue;
        typename V::Type shifted[size];
        for (int i = fresh; i < size; ++i) shifted[i] = V::load(from + i * width);
#pragma GCC unroll 4
        for (std::size_t j = begin + residue; j < end; j += stride, from -= stride) {
            for (int i = 0; i < fresh; ++i) shifted[i] = V::load(from + i * width);
            for (int i = 0; i < size; ++i) sum[i] += a[j] * shifted[i];
            for (int i = size - 1; i >= fresh; --i) shifted[i] = shifted[i - fresh];
        }
    }
    for (int i = 0; i < size; ++i) V::store(out + at + i * width, sum[i]);
}

template <int width>
DUGRAPH_INLINE void padded_kernel(const double* a, std::size_t n_a, const double* b, std::size_t n_b,
                                  double* out) {
    constexpr std::size_t entries = tile<width> * width;
    static_assert(entries <= convolution_overrun && convolution_padding >= entries + stride);
    for (std::size_t at = 0; at < n_a + n_b - 1; at += entries) {
        // Only j with 0 <= i - j < n_b for some i of the tile, rounded outward.
        const std::size_t begin = at < n_b ? 0 : round_down(at - n_b + 1);
        const std::size_t end = std::min(round_up(n_a), round_up(at + entries));
        convolve_tile<width>(a, b, at, begin, end, out);
    }
}

DUGRAPH_BY_WIDTH(void, padded,
                 (const double* a, std::size_t n_a, const double* b, std::size_t n_b, double* out),
                 (a, n_a, b, n_b, out))

}  // namespace

void convolve(const double* a, std::size_t n_a, const double* b, std::size_t n_b, double* work, double* out) {
    // Zeros around b and after a: a missing term adds 0, which does not change a sum of masses.
    double* a_copy = work;
    std::fill(std::copy(a, a + n_a, a_copy), a_copy + round_up(n_a), 0.0);
    double* b_copy = a_copy + round_up(n_a) + convolution_padding;
    std::fill(b_copy - convolution_padding, b_copy, 0.0);
    double* b_end = std::copy(b, b + n_b, b_copy);
    std::fill(b_end, b_end + convolution_padding, 0.0);
    padded(a_copy, n_a, b_copy, n_b, out);
}

}  // namespace dugraph
