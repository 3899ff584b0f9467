#include "support/support_distribution.hpp"

#include <algorithm>
#include <vector>

#include "support/convolution_tree.hpp"
#include "support/recursion.hpp"

namespace dugraph {
namespace {

constexpr std::size_t longest_short = 192;  // up to this length the plain recursion is fastest
constexpr std::size_t lanes = 8;

// With fewer vectors, too many lanes are idle for this to pay off.
constexpr std::size_t fewest_in_lanes = 3;

void zero_outside(double* pmf, std::size_t n, Window window) {
    std::fill(pmf, pmf + window.begin, 0.0);
    std::fill(pmf + window.end, pmf + n + 1, 0.0);
}

void one_vector(const double* x, std::size_t n, double tail, double* work, double* pmf) {
    const Window window = support_distribution_window(x, n, tail, work);
    std::copy(work + window.begin, work + window.end, pmf + window.begin);
    zero_outside(pmf, n, window);
}

}  // namespace

std::size_t support_distribution_work_size(std::size_t n) {
    return n <= longest_short ? n + 1 + recursion_work_size(n)
                              : std::max(n + 1, convolution_tree_work_size(n));
}

Window support_distribution_window(const double* x, std::size_t n, double tail, double* work) {
    if (n > longest_short) return convolution_tree(x, n, tail, work);
    const double* pmf = recursion(x, n, work + n + 1);
    const Window window = trim(pmf, {0, n + 1}, tail / 2);
    std::copy(pmf + window.begin, pmf + window.end, work + window.begin);
    return window;
}

void support_distribution(const double* x, std::size_t n, double* pmf) {
    std::vector<double> work(support_distribution_work_size(n));
    one_vector(x, n, 0.0, work.data(), pmf);
}

void support_distribution_batch(const double* x, std::size_t count, std::size_t n, double tail, double* pmf) {
    const std::size_t in_lanes = n > longest_short                 ? 0
                                 : count % lanes < fewest_in_lanes ? count - count % lanes
                                                                   : count;
    std::vector<double> work(std::max(support_distribution_work_size(n), recursion_eight_work_size(n)));
    for (std::size_t first = 0; first < in_lanes; first += lanes) {
        const double* row[lanes];
        double* masses[lanes];
        const std::size_t end = std::min(count, first + lanes);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t vector = std::min(end - 1, first + lane);
            row[lane] = x + vector * n;
            masses[lane] = pmf + vector * (n + 1);
        }
        recursion_eight(row, n, work.data(), masses);
        for (std::size_t vector = first; tail > 0 && vector < end; ++vector) {
            double* one = pmf + vector * (n + 1);
            zero_outside(one, n, trim(one, {0, n + 1}, tail / 2));
        }
    }
    for (std::size_t vector = in_lanes; vector < count; ++vector) {
        one_vector(x + vector * n, n, tail, work.data(), pmf + vector * (n + 1));
    }
}

}  // namespace dugraph
