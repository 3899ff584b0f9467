// The expected HSIC of any phenotype: no supergraph exceeds the bounds of a subgraph, looked at directly.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "measures/squares.hpp"
#include "problems.hpp"

namespace {

// A padded row of containment probabilities, none larger than those of `above` where there is one.
dugraph::AlignedVector<double> row_below(check::Random& random, std::size_t n, std::size_t width,
                                         const double* above) {
    dugraph::AlignedVector<double> row(width);
    const std::size_t manner = random.below(4);
    for (std::size_t i = 0; i < n; ++i) {
        const double factor = manner == 0   ? random.uniform()
                              : manner == 1 ? static_cast<double>(random.below(2))
                              : manner == 2 ? std::sqrt(std::sqrt(random.uniform()))
                                            : 1 - 0.01 * random.uniform();
        row[i] = above ? above[i] * factor : factor;
    }
    return row;
}

// The row below `above` that gives up the graphs of the largest weights, by their sign, until its mass is
// just above the limit: the worst that a bound must allow for.
dugraph::AlignedVector<double> worst_below(const dugraph::AlignedVector<double>& above, const double* weights,
                                           std::size_t n, double sign, double limit) {
    dugraph::AlignedVector<double> row = above;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return sign * weights[a] > sign * weights[b]; });
    double spare = std::accumulate(row.begin(), row.end(), 0.0) - limit * (1 + 1e-9) - 1e-9;
    for (const std::size_t i : order) {
        if (spare <= 0 || sign * weights[i] <= 0) break;
        const double given_up = std::min(row[i], spare);
        row[i] -= given_up;
        spare -= given_up;
    }
    return row;
}

}  // namespace

TEST(squared_counts_bounds_hold_for_all_below) {
    check::Random random(81);
    std::size_t compared = 0, close = 0;
    for (int round = 0; round < 4000; ++round) {
        problems::Problem problem = problems::make_problem(random, 3, 2, 30);
        problem.kind = problems::Kind::squared_counts;
        problem.min_expected_frequency = random.uniform() * 0.5;
        if (random.below(2)) {  // two classes, whose bound is sharp
            problem.contrasts.assign(problem.n_graphs, 0);
            for (std::size_t i = 0; i < problem.n_graphs; ++i)
                problem.contrasts[i] = problem.positive[i] ? static_cast<double>(problem.n_neg())
                                                           : -static_cast<double>(problem.n_pos);
        }
        const dugraph::Prepared prepared = problem.prepared();
        const dugraph::Rows& rows = prepared.rows;
        if (rows.certain) continue;  // the rows below are not
        const std::atomic<bool> stop{false};
        const auto goal = std::get<dugraph::SquaredCounts>(problem.goal());
        const dugraph::AlignedVector<double> ones(rows.width, 1.0);
        const auto x = row_below(random, rows.n_graphs, rows.width, nullptr);
        for (const auto bound :
             {dugraph::Bound::frequency, dugraph::Bound::worldwise, dugraph::Bound::mass}) {
            problem.limits.bound = bound;
            dugraph::SquaredCountsObjective objective(rows, goal, problem.limits, stop);
            dugraph::SquaredCountsObjective::Scratch scratch;
            const auto above = objective.weigh(x.data(), ones.data());
            const double own = objective.value(x.data(), scratch);
            CHECK(own <= objective.own_bound(above));
            for (int trial = 0; trial < 8; ++trial) {
                const auto y =
                    trial < 6 ? row_below(random, rows.n_graphs, rows.width, x.data())
                              : worst_below(x, goal.weights, rows.n_graphs, trial == 6 ? 1 : -1, rows.limit);
                const auto below = objective.weigh(y.data(), ones.data());
                if (!rows.admitted(below.mass())) continue;
                ++compared;
                const double value = objective.value(y.data(), scratch);
                CHECK(value <= objective.subtree_bound(above));
                CHECK(value <= objective.open_bound({above}));
                close += value > 0.9 * objective.open_bound({above});
            }
        }
    }
    CHECK(compared > 10000 && close > 100);  // the bounds were put to the test
}

TEST(largest_square_is_never_exceeded_and_is_reached) {
    check::Random random(82);
    for (int round = 0; round < 3000; ++round) {
        const std::size_t n = random.between(2, 6);
        std::vector<double> below(n), above(n), s(n);
        for (std::size_t k = 0; k < n; ++k) {
            below[k] = random.uniform() * 2 - 0.2;
            above[k] = std::max(random.uniform() * 2 - 0.2, -below[k]);
        }
        const double largest = dugraph::largest_square(below.data(), above.data(), n);
        for (int trial = 0; trial < 200; ++trial) {
            double sum = 0, squares = 0;
            for (std::size_t k = 0; k + 1 < n; ++k) {
                const double share =
                    random.below(3) ? static_cast<double>(random.below(2)) : random.uniform();
                s[k] = -below[k] + share * (above[k] + below[k]);
                sum += s[k];
                squares += s[k] * s[k];
            }
            if (-sum < -below[n - 1] || -sum > above[n - 1]) continue;
            CHECK(squares + sum * sum <= largest * (1 + 1e-12));
        }
    }
    const double ends[] = {2.0, 2.0, 2.0};
    CHECK(dugraph::largest_square(ends, ends, 3) == 8);  // 2, -2, 0
}

// Two classes: the same list for every bound, values as from a table of the score, and the paper's bound.
TEST(expected_hsic_is_that_of_its_table_for_every_bound) {
    check::Random random(93);
    for (int round = 0; round < 300; ++round) {
        problems::Problem problem =
            problems::make_problem(random, random.between(3, 7), random.between(2, 12), round % 2 ? 5 : 24);
        problem.kind = problems::Kind::expectation;
        if (round % 5 == 0)
            for (double& p : problem.probability) p = p > 0.4;
        const double p = static_cast<double>(problem.n_pos), q = static_cast<double>(problem.n_neg());
        problem.levels.clear();
        problem.level_of.clear();
        for (std::size_t a = 0; a <= problem.n_pos; ++a)
            for (std::size_t b = 0; b <= problem.n_neg(); ++b)
                problem.levels.push_back(
                    0.01 * std::pow(static_cast<double>(a) * q - static_cast<double>(b) * p, 2));
        const std::vector<double> table = problem.levels;
        std::sort(problem.levels.begin(), problem.levels.end());
        problem.levels.erase(std::unique(problem.levels.begin(), problem.levels.end()), problem.levels.end());
        for (const double value : table)
            problem.level_of.push_back(static_cast<std::int32_t>(
                std::lower_bound(problem.levels.begin(), problem.levels.end(), value) -
                problem.levels.begin()));
        problem.limits.max_edges = problem.n_edges;
        const dugraph::Result by_table = problem.search();
        std::vector<double> weights;
        for (const std::uint8_t positive : problem.positive) weights.push_back(positive ? q : -p);
        const dugraph::SquaredCounts goal{weights.data(), 1, 0.01, problem.positive.data()};
        std::optional<dugraph::Result> first;
        for (const dugraph::Bound bound :
             {dugraph::Bound::mass, dugraph::Bound::worldwise, dugraph::Bound::frequency}) {
            problem.limits.bound = bound;
            const auto closed =
                dugraph::search(problem.prepared(), goal, {}, {}, problem.limits, problems::go_on);
            CHECK(closed.values.size() == by_table.values.size());
            for (std::size_t k = 0; k < closed.values.size(); ++k)
                CHECK(std::fabs(closed.values[k] - by_table.values[k]) <= 1e-12 * problem.levels.back());
            if (first) CHECK(problems::same_list(*first, closed));
            first = closed;
        }
    }
}
