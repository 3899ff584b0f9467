#include "graph/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "support/vector.hpp"
#if defined(DUGRAPH_X86_TARGETS)
#include <immintrin.h>
#endif

namespace dugraph {

namespace {

// Sixteen running sums for any register width, so that every machine adds in the same order.
template <int width>
struct Sums {
    using V = Vector<width>;
    static constexpr int registers = static_cast<int>(row_block) / width;
    typename V::Type sum[registers] = {};

    // Pairwise reduction: registers first, then the entries of the last register.
    DUGRAPH_INLINE double total() {
#pragma GCC unroll 4
        for (int half = registers / 2; half > 0; half /= 2) {
            for (int r = 0; r < half; ++r) sum[r] += sum[r + half];
        }
        return V::total(sum[0]);
    }
};

// Calls entry(i) for each register-wide piece of [begin, end) and sums the results.
template <int width, class Entry>
DUGRAPH_INLINE double sum_blocks(std::size_t begin, std::size_t end, Entry&& entry) {
    Sums<width> sums;
    for (std::size_t i = begin; i < end; i += row_block) {
#pragma GCC unroll 8
        for (int r = 0; r < Sums<width>::registers; ++r) sums.sum[r] += entry(i + r * width);
    }
    return sums.total();
}

template <int width, class P>
DUGRAPH_INLINE double product_sum_kernel(const double* x, const P* p, std::size_t n) {
    using V = Vector<width>;
    return sum_blocks<width>(0, n, [&](std::size_t i) { return V::load(x + i) * V::load(p + i); });
}

template <int width, class P>
DUGRAPH_INLINE double store_product_kernel(const double* x, const P* p, std::size_t n, double* out) {
    using V = Vector<width>;
    return sum_blocks<width>(0, n, [&](std::size_t i) {
        const auto product = V::load(x + i) * V::load(p + i);
        V::store(out + i, product);
        return product;
    });
}

// Several sums over the same pieces; terms(i, out) returns the term of each.
template <int width, int count, class Terms>
DUGRAPH_INLINE void sum_several(std::size_t n, double (&totals)[count], Terms&& terms) {
    Sums<width> sums[count];
    for (std::size_t i = 0; i < n; i += row_block) {
#pragma GCC unroll 8
        for (int r = 0; r < Sums<width>::registers; ++r) {
            typename Vector<width>::Type term[count];
            terms(i + r * width, term);
            for (int k = 0; k < count; ++k) sums[k].sum[r] += term[k];
        }
    }
    for (int k = 0; k < count; ++k) totals[k] = sums[k].total();
}

template <int width, class P>
DUGRAPH_INLINE ClassMass class_masses_kernel(const double* x, const P* p, const std::int64_t* mask,
                                             std::size_t n) {
    using V = Vector<width>;
    double totals[2];
    sum_several<width>(n, totals, [&](std::size_t i, typename V::Type* term) {
        const auto product = V::bits(V::load(x + i) * V::load(p + i));
        const auto positive = V::load_bits(mask + i);
        term[0] = V::from_bits(product & positive);
        term[1] = V::from_bits(product & ~positive);
    });
    return {totals[0], totals[1]};
}

template <int width, class P>
DUGRAPH_INLINE SignedSums signed_sums_kernel(const double* x, const P* p, const double* w, std::size_t n) {
    using V = Vector<width>;
    const typename V::Type zero = {};
    double totals[3];
    sum_several<width>(n, totals, [&](std::size_t i, typename V::Type* term) {
        const auto product = V::load(x + i) * V::load(p + i), weighted = product * V::load(w + i);
        term[0] = weighted > zero ? weighted : zero;
        term[1] = weighted < zero ? -weighted : zero;
        term[2] = product;
    });
    return {totals[0], totals[1], totals[2]};
}

// x' (1 - x') is largest at 1/2, or at x where that is smaller.
template <int width, class P>
DUGRAPH_INLINE WeightedSums weighted_sums_kernel(const double* x, const P* p, const double* w,
                                                 std::size_t n) {
    using V = Vector<width>;
    const typename V::Type zero = {}, half = zero + 0.5;
    double totals[4];
    sum_several<width>(n, totals, [&](std::size_t i, typename V::Type* term) {
        const auto product = V::load(x + i) * V::load(p + i), weight = V::load(w + i);
        const auto weighted = product * weight, most = (product < half ? product : half) * weight;
        term[0] = weighted > zero ? weighted : zero;
        term[1] = term[0] - weighted;
        term[2] = most * (weight - most);
        term[3] = product;
    });
    return {totals[0], totals[1], totals[2], totals[3]};
}

template <int width>
DUGRAPH_INLINE double weighted_variance_kernel(const double* x, const double* w, std::size_t n) {
    using V = Vector<width>;
    return sum_blocks<width>(0, n, [&](std::size_t i) {
        const auto present = V::load(x + i), weight = V::load(w + i);
        return weight * present * (weight * (1.0 - present));
    });
}

template <int width, class P>
DUGRAPH_INLINE double store_product_top_kernel(const double* x, const P* p, std::size_t n, double* out) {
    using V = Vector<width>;
    constexpr int registers = static_cast<int>(row_block) / width;
    typename V::Type top[registers] = {};
    for (std::size_t i = 0; i < n; i += row_block) {
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
            const auto product = V::load(x + i + r * width) * V::load(p + i + r * width);
            V::store(out + i + r * width, product);
            top[r] = product > top[r] ? product : top[r];
        }
    }
    double lane[row_block];
    for (int r = 0; r < registers; ++r) V::store(lane + r * width, top[r]);
    return *std::max_element(lane, lane + row_block);
}

template <int width>
DUGRAPH_INLINE double dot_kernel(const double* weights, const double* values, std::size_t n) {
    using V = Vector<width>;
    const std::size_t whole = n / row_block * row_block;
    double total = sum_blocks<width>(
        0, whole, [&](std::size_t i) { return V::load(weights + i) * V::load(values + i); });
    for (std::size_t i = whole; i < n; ++i) total += weights[i] * values[i];
    return total;
}

template <int width>
DUGRAPH_INLINE double sum_from_kernel(const double* weights, const std::int32_t* levels, std::int32_t from,
                                      std::size_t n) {
    using V = Vector<width>;
    const std::size_t whole = n / row_block * row_block;
    const typename V::Type zero = {};
    // Explicitly vectorised: GCC 12 miscompiles a plain loop for this sum if registers are wider than SSE2's.
    double total = sum_blocks<width>(0, whole, [&](std::size_t i) {
        return V::load_widened(levels + i) >= from ? V::load(weights + i) : zero;
    });
    for (std::size_t i = whole; i < n; ++i) total += levels[i] >= from ? weights[i] : 0.0;
    return total;
}

// A plain loop that the compiler vectorises: from * inverse, rounded up.
template <int>
DUGRAPH_INLINE void round_up_kernel(const double* from, std::size_t n, double inverse, std::uint8_t* to) {
    for (std::size_t i = 0; i < n; ++i) {
        const double scaled = from[i] * inverse;
        const auto whole = static_cast<std::int32_t>(scaled);
        to[i] = static_cast<std::uint8_t>(whole + (scaled > whole));
    }
}

DUGRAPH_BY_WIDTH(void, round_up, (const double* from, std::size_t n, double inverse, std::uint8_t* to),
                 (from, n, inverse, to))

}  // namespace

// Overloads for rows of either precision.
#define DUGRAPH_OF_ROWS(P)                                                                                   \
    DUGRAPH_BY_WIDTH(double, product_sum, (const double* x, const P* p, std::size_t n), (x, p, n))           \
    DUGRAPH_BY_WIDTH(double, store_product, (const double* x, const P* p, std::size_t n, double* out),       \
                     (x, p, n, out))                                                                         \
    DUGRAPH_BY_WIDTH(ClassMass, class_masses,                                                                \
                     (const double* x, const P* p, const std::int64_t* mask, std::size_t n),                 \
                     (x, p, mask, n))                                                                        \
    DUGRAPH_BY_WIDTH(SignedSums, signed_sums, (const double* x, const P* p, const double* w, std::size_t n), \
                     (x, p, w, n))                                                                           \
    DUGRAPH_BY_WIDTH(WeightedSums, weighted_sums,                                                            \
                     (const double* x, const P* p, const double* w, std::size_t n), (x, p, w, n))            \
    DUGRAPH_BY_WIDTH(double, store_product_top, (const double* x, const P* p, std::size_t n, double* out),   \
                     (x, p, n, out))
DUGRAPH_OF_ROWS(double)
DUGRAPH_OF_ROWS(float)
#undef DUGRAPH_OF_ROWS

DUGRAPH_BY_WIDTH(double, weighted_variance, (const double* x, const double* w, std::size_t n), (x, w, n))
DUGRAPH_BY_WIDTH(double, dot, (const double* weights, const double* values, std::size_t n),
                 (weights, values, n))

DUGRAPH_BY_WIDTH(double, sum_from,
                 (const double* weights, const std::int32_t* levels, std::int32_t from, std::size_t n),
                 (weights, levels, from, n))

double round_row(const double* x, double top, std::size_t n, std::uint8_t* rounded) {
    // Slightly less than 127 / top, so that rounding never raises the largest entry above 127.
    const double inverse = top > 0 ? byte_top / top * (1 - 1e-12) : 0;
    round_up(x, n, inverse, rounded);
    return top > 0 ? 1 / inverse : 0;
}

namespace {

std::int32_t byte_dot(const std::uint8_t* x, const std::uint8_t* row, std::size_t n) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::int32_t{x[i]} * row[i];
    return sum;
}

#if defined(DUGRAPH_X86_TARGETS)
__attribute__((target("avx2"))) DUGRAPH_INLINE std::int32_t add_up(__m256i sums) {
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return _mm_cvtsi128_si32(half);
}

__attribute__((target("avx2"))) void byte_sums_avx2(const std::uint8_t* x, const std::uint8_t* rows,
                                                    const std::int32_t* ids, std::size_t count, std::size_t n,
                                                    std::int32_t* out) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t* row = rows + static_cast<std::size_t>(ids[k]) * n;
        __m256i sum = _mm256_setzero_si256();
        for (std::size_t i = 0; i < n; i += byte_block) {
            const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
            const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
        }
        out[k] = add_up(sum);
    }
}

__attribute__((target("avx2,avx512vl,avx512vnni"))) void byte_sums_vnni(const std::uint8_t* x,
                                                                        const std::uint8_t* rows,
                                                                        const std::int32_t* ids,
                                                                        std::size_t count, std::size_t n,
                                                                        std::int32_t* out) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t* row = rows + static_cast<std::size_t>(ids[k]) * n;
        __m256i sum = _mm256_setzero_si256();
        for (std::size_t i = 0; i < n; i += byte_block) {
            const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
            const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
            sum = _mm256_dpbusd_epi32(sum, a, b);
        }
        out[k] = add_up(sum);
    }
}
#endif

void byte_sums_plain(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids,
                     std::size_t count, std::size_t n, std::int32_t* out) {
    for (std::size_t k = 0; k < count; ++k)
        out[k] = byte_dot(x, rows + static_cast<std::size_t>(ids[k]) * n, n);
}

}  // namespace

void byte_sums(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids, std::size_t count,
               std::size_t n, std::int32_t* out) {
#if defined(DUGRAPH_X86_TARGETS)
    // Integer sums: identical in all versions.
    static const auto best = [] {
        if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl")) return byte_sums_vnni;
        return __builtin_cpu_supports("avx2") ? byte_sums_avx2 : byte_sums_plain;
    }();
    best(x, rows, ids, count, n, out);
#else
    byte_sums_plain(x, rows, ids, count, n, out);
#endif
}

}  // namespace dugraph
