#include "support/recursion.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dispatch.hpp"
#include "support/vector.hpp"

namespace dugraph {
namespace {

constexpr std::size_t steps = 4;  // probabilities per sweep

// The pmf of four probabilities. Real is a double or a vector: the same operations in the same order, so
// results are bit-identical.
template <class Real>
DUGRAPH_INLINE void pmf_of_four(const Real* x, Real (&c)[steps + 1]) {
    c[0] = 1.0 - x[0];
    c[1] = x[0];
    for (std::size_t k = 1; k < steps; ++k) {
        const Real absent = 1.0 - x[k];
        c[k + 1] = x[k] * c[k];
        for (std::size_t i = k; i > 0; --i) c[i] = absent * c[i] + x[k] * c[i - 1];
        c[0] = absent * c[0];
    }
}

// One entry of the sweep; both routines share it, and so its roundings.
template <class Real, class V>
DUGRAPH_INLINE V next_mass(const Real (&c)[steps + 1], V p0, V p1, V p2, V p3, V p4) {
    return c[0] * p0 + c[1] * p1 + c[2] * p2 + c[3] * p3 + c[4] * p4;
}

template <int width>
DUGRAPH_INLINE const double* one_kernel(const double* x, std::size_t n, double* work) {
    using V = Vector<width>;
    double* pmf = work + 8;
    std::fill(work, work + recursion_work_size(n), 0.0);
    pmf[0] = 1.0;
    for (std::size_t k = 0; k < n; k += steps) {
        double four[steps] = {};  // a probability of 0 changes nothing, bit for bit
        std::copy(x + k, x + std::min(n, k + steps), four);
        double c[steps + 1];
        pmf_of_four(four, c);
        // In place, so downwards: an entry reads only itself and lower ones.
        for (std::size_t i = (k + steps) / width + 1; i-- > 0;) {
            double* at = pmf + i * width;
            V::store(at, next_mass(c, V::load(at), V::load(at - 1), V::load(at - 2), V::load(at - 3),
                                   V::load(at - 4)));
        }
    }
    return pmf;
}

// pmf[-4 .. -1] are zero, last is a multiple of 4. Four entries at once need eight loads instead of twenty.
template <class V>
DUGRAPH_INLINE void sweep(const V (&c)[steps + 1], V* pmf, std::size_t last) {
    V p0 = pmf[last], p1 = pmf[last - 1], p2 = pmf[last - 2], p3 = pmf[last - 3];
    for (V* at = pmf + last; at > pmf; at -= 4) {
        const V p4 = at[-4], p5 = at[-5], p6 = at[-6], p7 = at[-7];
        at[0] = next_mass(c, p0, p1, p2, p3, p4);
        at[-1] = next_mass(c, p1, p2, p3, p4, p5);
        at[-2] = next_mass(c, p2, p3, p4, p5, p6);
        at[-3] = next_mass(c, p3, p4, p5, p6, p7);
        p0 = p4, p1 = p5, p2 = p6, p3 = p7;
    }
    pmf[0] = c[0] * p0;
}

// As many vectors as a register has doubles.
template <int width>
DUGRAPH_INLINE void side_by_side(const double* const* x, std::size_t n, double* work, double* const* pmf) {
    using V = typename Vector<width>::Type;
    V* masses = reinterpret_cast<V*>(work) + steps;
    std::fill(masses - steps, masses + n + steps + 1, V{});
    masses[0] = V{} + 1.0;
    constexpr std::size_t columns = width < 4 ? 4 : width;
    for (std::size_t k = 0; k < n; k += columns) {
        V column[columns] = {};
        if (k + columns <= n) {
            for (std::size_t block = 0; block < columns; block += width) {
                V row[width];
                for (int lane = 0; lane < width; ++lane) row[lane] = Vector<width>::load(x[lane] + k + block);
                Vector<width>::transpose(row);
                for (int i = 0; i < width; ++i) column[block + i] = row[i];
            }
        } else {
            for (std::size_t i = k; i < n; ++i) {
                for (int lane = 0; lane < width; ++lane) column[i - k][lane] = x[lane][i];
            }
        }
        for (std::size_t first = 0; first < columns && k + first < n; first += steps) {
            V c[steps + 1];
            pmf_of_four(column + first, c);
            sweep(c, masses, k + first + steps);
        }
    }
    std::size_t i = 0;
    for (; i + width <= n + 1; i += width) {
        V row[width];
        for (int column = 0; column < width; ++column) row[column] = masses[i + column];
        Vector<width>::transpose(row);
        for (int lane = 0; lane < width; ++lane) Vector<width>::store(pmf[lane] + i, row[lane]);
    }
    for (; i <= n; ++i) {
        for (int lane = 0; lane < width; ++lane) pmf[lane][i] = masses[i][lane];
    }
}

template <int width>
DUGRAPH_INLINE void eight_kernel(const double* const* x, std::size_t n, double* work, double* const* pmf) {
    for (int first = 0; first < 8; first += width) side_by_side<width>(x + first, n, work, pmf + first);
}

DUGRAPH_BY_WIDTH(const double*, one, (const double* x, std::size_t n, double* work), (x, n, work))
DUGRAPH_BY_WIDTH(void, eight, (const double* const* x, std::size_t n, double* work, double* const* pmf),
                 (x, n, work, pmf))

}  // namespace

const double* recursion(const double* x, std::size_t n, double* work) { return one(x, n, work); }

void recursion_eight(const double* const (&x)[8], std::size_t n, double* work, double* const (&pmf)[8]) {
    // Whole cache lines: the caller's array has the alignment of a double.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(work) % 64;
    eight(x, n, work + (misaligned ? (64 - misaligned) / sizeof(double) : 0), pmf);
}

}  // namespace dugraph
