// Admission at the limit itself: decided by the canonical product alone, whichever way the search came.
#include "graph/admission.hpp"

#include <algorithm>
#include <numeric>

#include "problems.hpp"

using problems::Problem;

namespace {

// The sum of the product in ascending order of the edges, and in another order.
double product(const Problem& problem, std::vector<std::int32_t> edges, bool ascending,
               check::Random& random) {
    if (ascending) {
        std::sort(edges.begin(), edges.end());
    } else {
        for (std::size_t k = edges.size(); k > 1; --k) std::swap(edges[k - 1], edges[random.below(k)]);
    }
    dugraph::AlignedVector<double> x(dugraph::row_block, 0.0), row(x.size(), 0.0);
    std::fill_n(x.begin(), problem.n_graphs, 1.0);
    double sum = 0;
    for (const std::int32_t e : edges) {
        std::copy_n(problem.probability.begin() + e * static_cast<std::ptrdiff_t>(problem.n_graphs),
                    problem.n_graphs, row.begin());
        sum = dugraph::store_product(x.data(), row.data(), x.size(), x.data());
    }
    return sum;
}

// A star, so that every set of its edges is connected. No probability is near 1: then no rounding makes a
// supergraph as frequent as what it extends.
Problem star(check::Random& random) {
    Problem problem;
    problem.n_edges = random.between(3, 5);
    problem.n_nodes = problem.n_edges + 1;
    problem.n_graphs = random.between(1, 3);
    problem.kind = problems::Kind::frequency;
    problem.limits.n_subgraphs = 64;
    problem.limits.bound = dugraph::Bound::frequency;
    for (std::size_t e = 0; e < problem.n_edges; ++e) {
        problem.edges.insert(problem.edges.end(), {static_cast<std::int32_t>(e + 1), 0});
        for (std::size_t i = 0; i < problem.n_graphs; ++i)
            problem.probability.push_back(0.3 + 0.6 * random.uniform());
    }
    return problem;
}

std::vector<std::int32_t> edges_of(std::uint32_t bits) {
    std::vector<std::int32_t> edges;
    for (std::int32_t e = 0; bits >> e; ++e)
        if (bits >> e & 1) edges.push_back(e);
    return edges;
}

// Sets the limit of the mass to this number; false if no frequency gives it.
bool set_limit(Problem& problem, double limit) {
    double frequency = limit / static_cast<double>(problem.n_graphs) - 1e-12;
    for (int k = 0; k < 4; ++k) frequency = std::nextafter(frequency, 0);
    for (int k = 0; k < 9; ++k, frequency = std::nextafter(frequency, 1)) {
        problem.min_expected_frequency = frequency;
        if (problem.prepared().rows.limit == limit) return true;
    }
    return false;
}

}  // namespace

// The limit is what one set of edges weighs exactly, its product taken in one order or in another.
TEST(the_canonical_product_decides_at_the_limit) {
    check::Random random(71);
    int split = 0, at_limit = 0;
    for (int round = 0; round < check::rounds(1000, 10000); ++round) {
        Problem problem = star(random);
        const std::uint32_t all = std::uint32_t{1} << problem.n_edges;
        auto chosen = edges_of(static_cast<std::uint32_t>(random.between(1, all - 1)));
        if (chosen.size() < 3) chosen = edges_of(all - 1);
        const double canonical = product(problem, chosen, true, random),
                     other = product(problem, chosen, false, random);
        const double limit = random.below(3) ? std::min(canonical, other) : canonical;
        if (!set_limit(problem, limit)) continue;
        split += (canonical > limit) != (other > limit);
        at_limit += canonical == limit;
        std::set<std::vector<std::int32_t>> truth;
        for (std::uint32_t bits = 1; bits < all; ++bits)
            if (product(problem, edges_of(bits), true, random) > limit) truth.insert(edges_of(bits));
        for (const int n_threads : {1, 2}) {
            problem.limits.n_threads = n_threads;
            const dugraph::Result result = problem.search();
            CHECK(result.counters.visited == truth.size() && result.values.size() == truth.size());
            for (std::size_t k = 0; k < result.values.size(); ++k) {
                const auto edges = problems::listed(result, k);
                CHECK(truth.count(edges) == 1);
                // The listed value is that of the canonical product, to the last bit.
                CHECK(result.values[k] ==
                      product(problem, edges, true, random) / static_cast<double>(problem.n_graphs));
            }
        }
    }
    CHECK(split > 60 && at_limit > 160);
}

// Rule 8: a frequency that is the limit in exact arithmetic does not exceed it, whatever its rounding does.
TEST(a_frequency_at_the_limit_is_not_admitted) {
    Problem problem;
    problem.n_nodes = 2;
    problem.n_edges = 1;
    problem.edges = {1, 0};
    problem.kind = problems::Kind::frequency;
    for (const auto& [probability, frequency] : {std::pair{std::vector<double>{0.1, 0.2}, 0.15},
                                                 {{0.1, 0.2, 0.6}, 0.3},
                                                 {{0.7, 0.1}, 0.4},
                                                 {std::vector<double>(10, 0.1), 0.1},
                                                 {{1, 0}, 0.5}}) {
        problem.probability = probability;
        problem.n_graphs = probability.size();
        problem.min_expected_frequency = frequency;
        CHECK(problem.search().values.empty());
        problem.min_expected_frequency = frequency - 3e-12;
        CHECK(problem.search().values.size() == 1);
    }
}

// What lies within the margins is looked at twice, what lies beyond never needs to be.
TEST(margins_of_admission_enclose_every_path) {
    check::Random random(72);
    for (int round = 0; round < 500; ++round) {
        Problem problem = star(random);
        if (!set_limit(problem, product(problem, edges_of((1u << problem.n_edges) - 1), true, random)))
            continue;
        const dugraph::Prepared prepared = problem.prepared();
        dugraph::Admission admission(prepared.rows);
        std::vector<std::int32_t> path;
        for (std::int32_t id = 0; id + 1 < static_cast<std::int32_t>(problem.n_edges); ++id)
            path.push_back(id);
        const auto last = static_cast<std::int32_t>(problem.n_edges) - 1;
        for (const double error : {-1e-15, 0.0, 1e-15})
            CHECK(!admission(prepared.rows.limit * (1 + error), path, last));
        CHECK(admission(prepared.rows.limit * (1 + 1e-9), path, last));
    }
}
