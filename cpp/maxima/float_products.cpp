// Compiled with fused multiply-add: results are used for screening only.
#include <algorithm>

#include "dispatch.hpp"
#include "maxima/screen.hpp"

namespace dugraph {

namespace {

template <int bytes>
struct FloatTypes;

#define DUGRAPH_FLOAT_TYPES(bytes)                                                         \
    template <>                                                                            \
    struct FloatTypes<bytes> {                                                             \
        typedef float Type __attribute__((vector_size(bytes)));                            \
        typedef float InMemory __attribute__((vector_size(bytes), aligned(4), may_alias)); \
    };
DUGRAPH_FLOAT_TYPES(16)
DUGRAPH_FLOAT_TYPES(32)
DUGRAPH_FLOAT_TYPES(64)
#undef DUGRAPH_FLOAT_TYPES

using Four = FloatTypes<16>::Type;

template <int lanes>
struct Floats {
    using Type = typename FloatTypes<4 * lanes>::Type;
    static DUGRAPH_INLINE Type load(const float* from) {
        return *reinterpret_cast<const typename FloatTypes<4 * lanes>::InMemory*>(from);
    }
    // Four neighbours after pairwise reduction.
    static DUGRAPH_INLINE Four fold(Type v) {
        if constexpr (lanes == 16) {
            const auto half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
            return __builtin_shufflevector(half, half, 0, 1, 2, 3) +
                   __builtin_shufflevector(half, half, 4, 5, 6, 7);
        } else if constexpr (lanes == 8) {
            return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
        } else {
            return v;
        }
    }
};

DUGRAPH_INLINE float total(Four v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// The four totals of four vectors.
DUGRAPH_INLINE Four totals(Four a, Four b, Four c, Four d) {
    const Four ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    const Four cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
}

// A tile of rows by columns whose running sums stay in registers.
template <int lanes, int n_rows, int n_columns>  // one row or four
DUGRAPH_INLINE void tile(const float* const* rows, const float* columns, std::size_t width, float* out,
                         std::size_t stride) {
    using F = Floats<lanes>;
    typename F::Type sums[n_columns][n_rows] = {};
    for (std::size_t i = 0; i < width; i += lanes) {
        typename F::Type x[n_columns];
#pragma GCC unroll 4
        for (int c = 0; c < n_columns; ++c) x[c] = F::load(columns + c * width + i);
#pragma GCC unroll 4
        for (int r = 0; r < n_rows; ++r) {
            const auto w = F::load(rows[r] + i);
#pragma GCC unroll 4
            for (int c = 0; c < n_columns; ++c) sums[c][r] += w * x[c];
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < n_columns; ++c) {
        if constexpr (n_rows == 4) {
            *reinterpret_cast<FloatTypes<16>::InMemory*>(out + c * stride) =
                totals(F::fold(sums[c][0]), F::fold(sums[c][1]), F::fold(sums[c][2]), F::fold(sums[c][3]));
        } else {
            out[c * stride] = total(F::fold(sums[c][0]));
        }
    }
}

template <int lanes, int n_columns>
DUGRAPH_INLINE void strip(const float* rows, std::size_t n_rows, const float* columns, std::size_t width,
                          float* out) {
    std::size_t k = 0;
    for (; k + 4 <= n_rows; k += 4) {
        const float* four[4];
        for (int r = 0; r < 4; ++r) four[r] = rows + (k + static_cast<std::size_t>(r)) * width;
        tile<lanes, 4, n_columns>(four, columns, width, out + k, n_rows);
    }
    for (; k < n_rows; ++k) {
        const float* one = rows + k * width;
        tile<lanes, 1, n_columns>(&one, columns, width, out + k, n_rows);
    }
}

template <int doubles>
DUGRAPH_INLINE void float_products_kernel(const float* rows, std::size_t n_rows, const float* columns,
                                          std::size_t n_columns, std::size_t width, float* out) {
    constexpr int lanes = 2 * doubles;
    std::size_t c = 0;
    for (; c + 3 <= n_columns; c += 3)
        strip<lanes, 3>(rows, n_rows, columns + c * width, width, out + c * n_rows);
    if (n_columns - c == 2) strip<lanes, 2>(rows, n_rows, columns + c * width, width, out + c * n_rows);
    if (n_columns - c == 1) strip<lanes, 1>(rows, n_rows, columns + c * width, width, out + c * n_rows);
}

}  // namespace

DUGRAPH_BY_WIDTH(void, float_products,
                 (const float* rows, std::size_t n_rows, const float* columns, std::size_t n_columns,
                  std::size_t width, float* out),
                 (rows, n_rows, columns, n_columns, width, out))

}  // namespace dugraph
