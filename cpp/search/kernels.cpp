#include "search/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "support/vector.hpp"
#if defined(DUGRAPH_MANY_TARGETS)
#include <immintrin.h>
#endif

namespace dugraph {

namespace {

std::size_t whole_blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block * block; }

// Sixteen running sums, whatever the width of a register, so that every machine adds in the same order.
template <int width>
struct Sums {
    using V = Vector<width>;
    static constexpr int registers = static_cast<int>(row_block) / width;
    typename V::Type sum[registers] = {};

    // Halves are added to halves: registers to registers, then within the last one.
    DUGRAPH_INLINE double total() {
#pragma GCC unroll 4
        for (int half = registers / 2; half > 0; half /= 2) {
            for (int r = 0; r < half; ++r) sum[r] += sum[r + half];
        }
        return V::total(sum[0]);
    }
};

// Calls entry(i) for each register-wide piece of [begin, end) and sums what it returns.
template <int width, class Entry>
DUGRAPH_INLINE double sum_blocks(std::size_t begin, std::size_t end, Entry&& entry) {
    Sums<width> sums;
    for (std::size_t i = begin; i < end; i += row_block) {
#pragma GCC unroll 8
        for (int r = 0; r < Sums<width>::registers; ++r) sums.sum[r] += entry(i + r * width);
    }
    return sums.total();
}

template <int width>
DUGRAPH_INLINE Mass product_mass_kernel(const double* x, const double* p, std::size_t pos, std::size_t neg) {
    using V = Vector<width>;
    const auto entry = [&](std::size_t i) { return V::load(x + i) * V::load(p + i); };
    return {sum_blocks<width>(0, pos, entry), sum_blocks<width>(pos, pos + neg, entry)};
}

template <int width>
DUGRAPH_INLINE Mass store_product_kernel(const double* x, const double* p, std::size_t pos, std::size_t neg,
                                         double* out) {
    using V = Vector<width>;
    const auto entry = [&](std::size_t i) {
        const auto product = V::load(x + i) * V::load(p + i);
        V::store(out + i, product);
        return product;
    };
    return {sum_blocks<width>(0, pos, entry), sum_blocks<width>(pos, pos + neg, entry)};
}

template <int width>
DUGRAPH_INLINE double store_product_top_kernel(const double* x, const double* p, std::size_t n, double* out) {
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
    // Written in vectors: from a plain loop GCC 12 makes wrong code for this sum where registers are wider
    // than SSE2's.
    double total = sum_blocks<width>(0, whole, [&](std::size_t i) {
        return V::load_widened(levels + i) >= from ? V::load(weights + i) : zero;
    });
    for (std::size_t i = whole; i < n; ++i) total += levels[i] >= from ? weights[i] : 0.0;
    return total;
}

}  // namespace

RowShape row_shape(std::size_t n_pos, std::size_t n_neg) {
    return {whole_blocks(n_pos, row_block), whole_blocks(n_neg, row_block), whole_blocks(n_pos, byte_block),
            whole_blocks(n_neg, byte_block)};
}

DUGRAPH_BY_WIDTH(Mass, product_mass, (const double* x, const double* p, std::size_t pos, std::size_t neg),
                 (x, p, pos, neg))
DUGRAPH_BY_WIDTH(Mass, store_product,
                 (const double* x, const double* p, std::size_t pos, std::size_t neg, double* out),
                 (x, p, pos, neg, out))
DUGRAPH_BY_WIDTH(double, store_product_top, (const double* x, const double* p, std::size_t n, double* out),
                 (x, p, n, out))
DUGRAPH_BY_WIDTH(double, dot, (const double* weights, const double* values, std::size_t n),
                 (weights, values, n))

DUGRAPH_BY_WIDTH(double, sum_from,
                 (const double* weights, const std::int32_t* levels, std::int32_t from, std::size_t n),
                 (weights, levels, from, n))

Mass square_mass(const double* x, std::size_t pos, std::size_t neg) { return product_mass(x, x, pos, neg); }

// scaled * inverse, rounded up.
DUGRAPH_CLONES static void round_up(const double* from, std::size_t n, double inverse, std::uint8_t* to) {
    for (std::size_t i = 0; i < n; ++i) {
        const double scaled = from[i] * inverse;
        const auto whole = static_cast<std::int32_t>(scaled);
        to[i] = static_cast<std::uint8_t>(whole + (scaled > whole));
    }
}

double round_row(const double* x, double top, const RowShape& shape, std::uint8_t* rounded) {
    // A hair less than 127 / top, so that rounding never lifts the largest entry above 127.
    const double inverse = top > 0 ? byte_top / top * (1 - 1e-12) : 0;
    // Bytes come in larger blocks than doubles; those behind the doubles are zero from the start.
    round_up(x, std::min(shape.pos, shape.byte_pos), inverse, rounded);
    round_up(x + shape.pos, std::min(shape.neg, shape.byte_neg), inverse, rounded + shape.byte_pos);
    return top > 0 ? 1 / inverse : 0;
}

namespace {

std::int32_t byte_dot(const std::uint8_t* x, const std::uint8_t* row, std::size_t n) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::int32_t{x[i]} * row[i];
    return sum;
}

#if defined(DUGRAPH_MANY_TARGETS)
// Sums of either class at once: the low half of the last register belongs to the positives, the high half to
// the negatives.
__attribute__((target("avx2"))) DUGRAPH_INLINE ByteMass add_up(__m256i pos, __m256i neg) {
    const __m256i pairs = _mm256_hadd_epi32(pos, neg);
    __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    sums = _mm_hadd_epi32(sums, sums);
    return {_mm_cvtsi128_si32(sums), _mm_extract_epi32(sums, 1)};
}

__attribute__((target("avx2"))) DUGRAPH_INLINE __m256i byte_dot_avx2(const std::uint8_t* x,
                                                                     const std::uint8_t* row, std::size_t n) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t i = 0; i < n; i += byte_block) {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
    }
    return sum;
}

__attribute__((target("avx2"))) void byte_masses_avx2(const std::uint8_t* x, const std::uint8_t* rows,
                                                      const std::int32_t* ids, std::size_t count,
                                                      const RowShape& shape, ByteMass* out) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t* row = rows + static_cast<std::size_t>(ids[k]) * shape.byte_size();
        out[k] = add_up(byte_dot_avx2(x, row, shape.byte_pos),
                        byte_dot_avx2(x + shape.byte_pos, row + shape.byte_pos, shape.byte_neg));
    }
}

__attribute__((target("avx2,avx512vl,avx512vnni"))) DUGRAPH_INLINE __m256i
byte_dot_vnni(const std::uint8_t* x, const std::uint8_t* row, std::size_t n) {
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t i = 0; i < n; i += byte_block) {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
        sum = _mm256_dpbusd_epi32(sum, a, b);
    }
    return sum;
}

__attribute__((target("avx2,avx512vl,avx512vnni"))) void byte_masses_vnni(
    const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids, std::size_t count,
    const RowShape& shape, ByteMass* out) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t* row = rows + static_cast<std::size_t>(ids[k]) * shape.byte_size();
        out[k] = add_up(byte_dot_vnni(x, row, shape.byte_pos),
                        byte_dot_vnni(x + shape.byte_pos, row + shape.byte_pos, shape.byte_neg));
    }
}
#endif

void byte_masses_plain(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids,
                       std::size_t count, const RowShape& shape, ByteMass* out) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t* row = rows + static_cast<std::size_t>(ids[k]) * shape.byte_size();
        out[k] = {byte_dot(x, row, shape.byte_pos),
                  byte_dot(x + shape.byte_pos, row + shape.byte_pos, shape.byte_neg)};
    }
}

}  // namespace

void byte_masses(const std::uint8_t* x, const std::uint8_t* rows, const std::int32_t* ids, std::size_t count,
                 const RowShape& shape, ByteMass* out) {
#if defined(DUGRAPH_MANY_TARGETS)
    // Integer sums: the same numbers from each version.
    static const auto best = [] {
        if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl"))
            return byte_masses_vnni;
        return __builtin_cpu_supports("avx2") ? byte_masses_avx2 : byte_masses_plain;
    }();
    best(x, rows, ids, count, shape, out);
#else
    byte_masses_plain(x, rows, ids, count, shape, out);
#endif
}

}  // namespace dugraph
