// Maxima over all subgraphs under many relabelings: by the definition, and the same bytes for any threads and
// bounds. Here mainly for the sanitizers and for other compilers; the suite compares designs of all kinds.
#include <algorithm>
#include <numeric>

#include "maxima/null_maxima.hpp"
#include "maxima/screen.hpp"
#include "problems.hpp"

using namespace problems;
using namespace dugraph;

namespace {

// Two classes that move within two cells.
struct Design {
    std::vector<double> weights, scale;
    std::vector<std::int64_t> cells;
    Relabelings test;
};

Design make_design(check::Random& random, std::size_t n, std::size_t n_relabelings, Statistic statistic) {
    Design design;
    design.cells.resize(n);
    for (std::size_t i = 0; i < n; ++i) design.cells[i] = static_cast<std::int64_t>(random.below(2));
    std::vector<double> labels(n), size(2), ill(2);
    for (std::size_t i = 0; i < n; ++i) {
        labels[i] = static_cast<double>(random.below(2));
        size[static_cast<std::size_t>(design.cells[i])] += 1;
        ill[static_cast<std::size_t>(design.cells[i])] += labels[i];
    }
    double square = 0;
    for (std::size_t b = 0; b < 2; ++b) {
        const double share = size[b] > 0 ? ill[b] / size[b] : 0, spread = size[b] * share * (1 - share);
        square += spread;
        design.scale.push_back(statistic == Statistic::z ? spread / std::max(size[b] - 1, 1.0) : 1);
    }
    const double by = square == 0                          ? 1
                      : statistic == Statistic::difference ? square
                      : statistic == Statistic::t          ? std::sqrt(square)
                                                           : 1;
    for (std::size_t r = 0; r < n_relabelings; ++r) {
        for (std::size_t k = 0; k < 2 * n; ++k) {  // swaps within cells
            const std::size_t i = random.below(n), j = random.below(n);
            if (design.cells[i] == design.cells[j]) std::swap(labels[i], labels[j]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const auto b = static_cast<std::size_t>(design.cells[i]);
            design.weights.push_back((labels[i] - ill[b] / size[b]) / by);
        }
    }
    return design;
}

void connect(Design& design, std::size_t n, std::size_t n_relabelings, Statistic statistic) {
    design.test = {
        n, n_relabelings, 1, design.weights.data(), statistic, 2, design.cells.data(), design.scale.data(), 1,
        0, nullptr,       3};
}

// By the definition, in extended precision; 0 where x is constant within cells.
double true_statistic(const Problem& problem, const Design& design, const std::vector<std::int32_t>& subgraph,
                      std::size_t relabeling) {
    const std::size_t n = problem.n_graphs;
    std::vector<long double> x(n, 1), sum(2), size(2);
    for (const std::int32_t edge : subgraph) {
        for (std::size_t i = 0; i < n; ++i)
            x[i] *= problem.probability[static_cast<std::size_t>(edge) * n + i];
    }
    long double product = 0, square = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        product += x[i] * design.weights[relabeling * n + i];
        sum[static_cast<std::size_t>(design.cells[i])] += x[i];
        size[static_cast<std::size_t>(design.cells[i])] += 1;
        if (design.test.statistic == Statistic::t) largest += x[i] * x[i];
    }
    for (std::size_t b = 0; b < 2; ++b) {
        if (size[b] == 0) continue;
        if (design.test.statistic == Statistic::z) {
            square += design.scale[b] * sum[b] * (1 - sum[b] / size[b]);
            largest += design.scale[b] * size[b];
        }
        for (std::size_t i = 0; design.test.statistic == Statistic::t && i < n; ++i) {
            if (static_cast<std::size_t>(design.cells[i]) == b)
                square += (x[i] - sum[b] / size[b]) * (x[i] - sum[b] / size[b]);
        }
    }
    if (design.test.statistic == Statistic::difference) square = largest = 1;
    const long double counted = design.test.one_sided ? std::max(product, 0.0L) : std::fabs(product);
    return square <= 1e-12L * largest ? 0 : static_cast<double>(counted / std::sqrt(square));
}

}  // namespace

TEST(maxima_are_those_of_the_definition) {
    check::Random random(71);
    for (int round = 0; round < check::rounds(120, 2400); ++round) {
        Problem problem = make_problem(random, random.between(3, 6), random.between(2, 9), 8);
        problem.limits.node_limit = ~std::uint64_t{0};
        problem.limits.time_limit = INFINITY;
        const auto statistic = static_cast<Statistic>(round % 3);
        const std::size_t n_relabelings = random.between(1, 9), n = problem.n_graphs;
        Design design = make_design(random, n, n_relabelings, statistic);
        connect(design, n, n_relabelings, statistic);
        design.test.one_sided = round % 2 == 1;
        const Prepared prepared = problem.prepared();
        Limits limits = problem.limits;
        limits.bound = Bound::frequency;
        limits.n_threads = 1;
        const NullMaxima every = null_maxima(prepared, design.test, {}, limits, go_on);
        std::vector<double> truth(n_relabelings * 3);
        std::vector<std::int64_t> counts(3);
        for (const auto& subgraph : all_admitted(problem)) {
            const std::size_t size_class = design.test.size_class(subgraph.size());
            ++counts[size_class];
            for (std::size_t r = 0; r < n_relabelings; ++r) {
                double& most = truth[r * 3 + size_class];
                most = std::max(most, true_statistic(problem, design, subgraph, r));
            }
        }
        CHECK(every.status == Status::optimal && every.n_admitted == counts);
        for (std::size_t k = 0; k < truth.size(); ++k)
            CHECK(check::near(every.maxima[k], truth[k], 1e-11, 1e-11));
        for (const int n_threads : {1, 3}) {
            limits.bound = Bound::mass;
            limits.n_threads = n_threads;
            const NullMaxima again = null_maxima(prepared, design.test, {}, limits, go_on);
            CHECK(again.maxima == every.maxima && again.n_admitted == every.n_admitted);
        }
        // Half of the largest statistics of the first relabeling is reached by the subgraph that has it.
        design.test.n_relabelings = 1;
        const std::vector<double> half{every.maxima[0] / 2, every.maxima[1] / 2, every.maxima[2] / 2};
        const Reached listed = reached(prepared, design.test, half.data(), limits, go_on);
        for (std::size_t k = 0; k < 3; ++k) {
            if (half[k] > 0)
                CHECK(std::count(listed.values.begin(), listed.values.end(), every.maxima[k]) > 0);
        }
    }
}

TEST(float_products_are_close_to_plain_sums) {
    check::Random random(72);
    for (int round = 0; round < 300; ++round) {
        const std::size_t width = 16 * random.between(1, 9), n_rows = random.between(1, 11),
                          n_columns = random.between(1, 8);
        AlignedVector<float> rows(n_rows * width), columns(n_columns * width);
        for (float& value : rows) value = static_cast<float>(random.uniform() - 0.5);
        for (float& value : columns) value = static_cast<float>(random.uniform());
        std::vector<float> products(n_rows * n_columns);
        float_products(rows.data(), n_rows, columns.data(), n_columns, width, products.data());
        for (std::size_t c = 0; c < n_columns; ++c) {
            for (std::size_t k = 0; k < n_rows; ++k) {
                const float* row = rows.data() + k * width;
                const double plain = std::inner_product(row, row + width, columns.data() + c * width, 0.0);
                CHECK(std::fabs(products[c * n_rows + k] - plain) < 1e-5 * static_cast<double>(width));
            }
        }
    }
}
