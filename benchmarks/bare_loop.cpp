// The physical limit of a candidate: multiply and sum over the graphs, nothing else, with all rows in the
// cache. Usage: bare_loop n_graphs seconds; prints candidates and seconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/memory.hpp"

int main(int, char** argument) {
    using Clock = std::chrono::steady_clock;
    const std::size_t n_graphs = std::strtoul(argument[1], nullptr, 10);
    const std::size_t n_rows = 64, width = dugraph::whole_blocks(n_graphs, dugraph::row_block);
    const double limit = std::strtod(argument[2], nullptr);
    dugraph::AlignedVector<double> rows(n_rows * width);
    std::mt19937 random(0);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (double& p : rows) p = uniform(random);
    std::vector<std::size_t> order(1 << 16);
    for (std::size_t& k : order) k = random() % n_rows;
    double total = 0;
    std::size_t count = 0;
    const auto start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    while (elapsed() < limit) {
        const double* x = rows.data() + order[count % order.size()] * width;
        for (std::size_t k = 0; k < order.size(); ++k, ++count) {
            total += dugraph::product_sum(x, rows.data() + order[k] * width, width);
        }
    }
    std::printf("%zu %.6f %g\n", count, elapsed(), total);
}
