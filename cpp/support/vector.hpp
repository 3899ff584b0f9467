// A vector register of doubles: entries of several vectors of probabilities, or neighbouring entries of one
// vector.
#pragma once

#include <cstdint>

#include "dispatch.hpp"

namespace dugraph {

template <int bytes>
struct VectorTypes;  // written out, since a vector's size may not depend on a template's parameter

#define DUGRAPH_VECTOR_TYPES(bytes)                                                          \
    template <>                                                                              \
    struct VectorTypes<bytes> {                                                              \
        typedef double Type __attribute__((vector_size(bytes)));                             \
        typedef double InMemory __attribute__((vector_size(bytes), aligned(8), may_alias));  \
        typedef long long Indices __attribute__((vector_size(bytes)));                       \
        typedef long long Int64s __attribute__((vector_size(bytes), aligned(8), may_alias)); \
        typedef int Int32s __attribute__((vector_size(bytes / 2), aligned(4), may_alias));   \
        typedef float Floats __attribute__((vector_size(bytes / 2), aligned(4), may_alias)); \
    };
DUGRAPH_VECTOR_TYPES(16)
DUGRAPH_VECTOR_TYPES(32)
DUGRAPH_VECTOR_TYPES(64)
#undef DUGRAPH_VECTOR_TYPES

template <int width>
struct Vector {
    using Type = typename VectorTypes<8 * width>::Type;
    using InMemory = typename VectorTypes<8 * width>::InMemory;
    using Indices = typename VectorTypes<8 * width>::Indices;

    static DUGRAPH_INLINE Type load(const double* from) { return *reinterpret_cast<const InMemory*>(from); }
    // As many numbers of single precision as a register has doubles; exact.
    static DUGRAPH_INLINE Type load(const float* from) {
        return __builtin_convertvector(
            *reinterpret_cast<const typename VectorTypes<8 * width>::Floats*>(from), Type);
    }
    // As many 32-bit integers as a register has doubles, each made as wide as a double.
    static DUGRAPH_INLINE Indices load_widened(const int* from) {
        return __builtin_convertvector(
            *reinterpret_cast<const typename VectorTypes<8 * width>::Int32s*>(from), Indices);
    }
    static DUGRAPH_INLINE Indices load_bits(const std::int64_t* from) {
        return *reinterpret_cast<const typename VectorTypes<8 * width>::Int64s*>(from);
    }
    static DUGRAPH_INLINE Indices bits(Type value) { return (Indices)value; }
    static DUGRAPH_INLINE Type from_bits(Indices bits_of_value) { return (Type)bits_of_value; }
    static DUGRAPH_INLINE void store(double* to, Type value) { *reinterpret_cast<InMemory*>(to) = value; }

    // Sum of all entries, always adding the upper half to the lower one, so that the order is the same for
    // every width.
    static DUGRAPH_INLINE double total(Type v) {
        if constexpr (width == 8) {
            v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7);
            v += __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3);
            v += __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1);
        } else if constexpr (width == 4) {
            v += __builtin_shufflevector(v, v, 2, 3, 2, 3);
            v += __builtin_shufflevector(v, v, 1, 1, 1, 1);
        } else {
            v += __builtin_shufflevector(v, v, 1, 1);
        }
        return v[0];
    }

    // Transposes a square block in registers: columns change sides in blocks of 1, then 2, then 4.
    static DUGRAPH_INLINE void transpose(Type (&row)[width]) {
#pragma GCC unroll 3
        for (int block = 1; block < width; block *= 2) {
            Indices even, odd;
            for (int i = 0; i < width; ++i) {
                even[i] = (i & block) ? i + width - block : i;
                odd[i] = (i & block) ? i + width : i + block;
            }
#pragma GCC unroll 8
            for (int i = 0; i < width; ++i) {
                if (i & block) continue;
                const Type upper = row[i], lower = row[i + block];
                row[i] = shuffle(upper, lower, even);
                row[i + block] = shuffle(upper, lower, odd);
            }
        }
    }

  private:
    // Entry i of the result is entry from[i] of a followed by b.
    static DUGRAPH_INLINE Type shuffle(Type a, Type b, Indices from) {
#if defined(__clang__)
        Type result;
        for (int i = 0; i < width; ++i) result[i] = from[i] < width ? a[from[i]] : b[from[i] - width];
        return result;
#else
        return __builtin_shuffle(a, b, from);
#endif
    }
};

}  // namespace dugraph
