// The whole search against brute force over all sets of edges, with threads, bounds and stops.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <set>

#include "check.hpp"
#include "search/input.hpp"

namespace {

struct Problem {
    dugraph::Input input;
    std::vector<std::int32_t> edges, level_of;
    std::vector<double> probability, levels;
};

// The arrays stay where they are when a problem is moved, so that the input's pointers stay valid.
Problem make_problem(check::Random& random, std::size_t n_nodes, std::size_t n_edges,
                     std::size_t largest_class) {
    Problem problem;
    dugraph::Input& input = problem.input;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int32_t a = 1; a < static_cast<std::int32_t>(n_nodes); ++a)
        for (std::int32_t b = 0; b < a; ++b) pairs.emplace_back(a, b);
    while (pairs.size() > n_edges)
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random.below(pairs.size())));
    input.n_pos = random.between(1, largest_class);
    input.n_neg = random.between(1, largest_class);
    for (const auto& [a, b] : pairs) {
        problem.edges.insert(problem.edges.end(), {a, b});
        for (std::size_t i = 0; i < input.n_pos + input.n_neg; ++i) {
            const double u = random.uniform();  // few zeros, many large ones
            problem.probability.push_back(u < 0.1 ? 0 : std::sqrt(u));
        }
    }
    const std::size_t n_levels = random.between(1, 6);
    for (std::size_t k = 0; k < n_levels; ++k) problem.levels.push_back(static_cast<double>(k) * 1.5 - 2);
    const bool smooth = random.below(2);  // or without any order, which no bound may rely on
    for (std::size_t a = 0; a <= input.n_pos; ++a) {
        for (std::size_t b = 0; b <= input.n_neg; ++b) {
            const double lean = static_cast<double>(a) / static_cast<double>(input.n_pos) -
                                static_cast<double>(b) / static_cast<double>(input.n_neg);
            const auto level = static_cast<std::size_t>(std::fabs(lean) * static_cast<double>(n_levels - 1));
            problem.level_of.push_back(static_cast<std::int32_t>(smooth ? level : random.below(n_levels)));
        }
    }
    input.n_nodes = n_nodes;
    input.n_edges = pairs.size();
    input.edges = problem.edges.data();
    input.edge_probability = problem.probability.data();
    input.measure = static_cast<dugraph::Measure>(random.below(5));
    input.quantile = 0.1 + 0.8 * random.uniform();
    input.first_level = static_cast<std::int32_t>(random.below(n_levels + 1));
    input.level_of = problem.level_of.data();
    input.levels = problem.levels.data();
    input.n_levels = n_levels;
    input.n_subgraphs = random.between(1, 12);
    input.min_expected_frequency = random.uniform() * 0.4;
    input.max_edges = random.below(3) ? n_edges : random.between(1, 3);
    return problem;
}

std::vector<long double> distribution(const std::vector<long double>& x) {
    std::vector<long double> pmf{1};
    for (const long double value : x) {
        pmf.push_back(0);
        for (std::size_t i = pmf.size() - 1; i > 0; --i) pmf[i] = pmf[i] * (1 - value) + pmf[i - 1] * value;
        pmf[0] *= 1 - value;
    }
    return pmf;
}

// By the definition, in extended precision; minus infinity if not admitted.
double true_value(const Problem& problem, const std::vector<std::int32_t>& subgraph) {
    const dugraph::Input& input = problem.input;
    const std::size_t n = input.n_pos + input.n_neg;
    std::vector<long double> x(n, 1);
    for (const std::int32_t e : subgraph)
        for (std::size_t i = 0; i < n; ++i) x[i] *= problem.probability[static_cast<std::size_t>(e) * n + i];
    const long double frequency = std::accumulate(x.begin(), x.end(), 0.0L) / n;
    if (frequency <= input.min_expected_frequency + 1e-12L) return -INFINITY;
    if (input.measure == dugraph::Measure::frequency) return static_cast<double>(frequency);
    const auto split = x.begin() + static_cast<std::ptrdiff_t>(input.n_pos);
    const auto pos = distribution({x.begin(), split}), neg = distribution({split, x.end()});
    std::vector<long double> weight(input.n_levels, 0);
    for (std::size_t a = 0; a < pos.size(); ++a)
        for (std::size_t b = 0; b < neg.size(); ++b)
            weight[static_cast<std::size_t>(problem.level_of[a * neg.size() + b])] += pos[a] * neg[b];
    long double total = 0;
    switch (input.measure) {
        case dugraph::Measure::expectation:
            for (std::size_t k = 0; k < weight.size(); ++k) total += weight[k] * problem.levels[k];
            return static_cast<double>(total);
        case dugraph::Measure::phi_probability:
            for (auto k = static_cast<std::size_t>(input.first_level); k < weight.size(); ++k)
                total += weight[k];
            return static_cast<double>(total);
        case dugraph::Measure::quantile: {
            std::size_t k = 0;
            for (total = weight[0]; total < input.quantile - 1e-12L && k + 1 < weight.size();)
                total += weight[++k];
            return problem.levels[k];
        }
        default: {
            const long double most = *std::max_element(weight.begin(), weight.end());
            std::size_t k = weight.size() - 1;
            while (weight[k] < most - 1e-12L) --k;
            return problem.levels[k];
        }
    }
}

bool connected(const Problem& problem, const std::vector<std::int32_t>& subgraph) {
    std::set<std::int32_t> reached{problem.edges[2 * static_cast<std::size_t>(subgraph[0])]};
    for (std::size_t step = 0; step < subgraph.size(); ++step) {
        for (const std::int32_t e : subgraph) {
            const std::int32_t a = problem.edges[2 * static_cast<std::size_t>(e)];
            const std::int32_t b = problem.edges[2 * static_cast<std::size_t>(e) + 1];
            if (reached.count(a) || reached.count(b)) reached.insert({a, b});
        }
    }
    return std::all_of(subgraph.begin(), subgraph.end(), [&](std::int32_t e) {
        return reached.count(problem.edges[2 * static_cast<std::size_t>(e)]) > 0;
    });
}

std::vector<std::int32_t> listed(const dugraph::Result& result, std::size_t k) {
    return {result.edge_index.begin() + result.indptr[k], result.edge_index.begin() + result.indptr[k + 1]};
}

// Every entry is connected, admitted and worth what is said, in the order of the ranking.
void check_list(const Problem& problem, const dugraph::Result& result) {
    CHECK(result.indptr.size() == result.values.size() + 1);
    CHECK(result.values.size() <= problem.input.n_subgraphs);
    for (std::size_t k = 0; k < result.values.size(); ++k) {
        const auto subgraph = listed(result, k);
        CHECK(std::is_sorted(subgraph.begin(), subgraph.end()) && subgraph.size() <= problem.input.max_edges);
        CHECK(connected(problem, subgraph));
        CHECK(check::near(result.values[k], true_value(problem, subgraph), 1e-12, 1e-14));
        if (k == 0) continue;
        const auto before = listed(result, k - 1);
        CHECK(result.values[k - 1] >= result.values[k]);
        if (result.values[k - 1] == result.values[k])
            CHECK(before.size() < subgraph.size() || (before.size() == subgraph.size() && before < subgraph));
    }
}

bool same_bytes(const dugraph::Result& a, const dugraph::Result& b) {
    return a.indptr == b.indptr && a.edge_index == b.edge_index && a.values.size() == b.values.size() &&
           std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

const dugraph::Poll go_on = [](const dugraph::Progress&) { return false; };

}  // namespace

TEST(search_equals_brute_force) {
    check::Random random(31);
    for (int round = 0; round < 150; ++round) {
        Problem problem =
            make_problem(random, random.between(2, 6), random.between(1, 7), round % 3 ? 5 : 24);
        dugraph::Input& input = problem.input;
        dugraph::Result first;
        for (int run = 0; run < 9; ++run) {
            input.bound = static_cast<dugraph::Bound>(run % 3);
            input.n_threads = 1 << (run / 3);
            const dugraph::Result result = dugraph::search_subgraphs(input, go_on);
            CHECK(result.status == dugraph::Status::optimal);
            if (run == 0) first = result;
            CHECK(same_bytes(first, result));
        }
        check_list(problem, first);
        std::set<std::vector<std::int32_t>> seen;
        for (std::size_t k = 0; k < first.values.size(); ++k) seen.insert(listed(first, k));
        CHECK(seen.size() == first.values.size());
        for (std::uint32_t bits = 1; bits < std::uint32_t{1} << input.n_edges; ++bits) {
            std::vector<std::int32_t> subgraph;
            for (std::int32_t e = 0; e < static_cast<std::int32_t>(input.n_edges); ++e)
                if (bits >> e & 1) subgraph.push_back(e);
            if (subgraph.size() > input.max_edges || seen.count(subgraph) || !connected(problem, subgraph))
                continue;
            const double value = true_value(problem, subgraph);
            if (value == -INFINITY) continue;
            CHECK(first.values.size() == input.n_subgraphs);
            CHECK(value <= first.values.back() + 1e-12 * std::fabs(value) + 1e-14);
        }
    }
}

TEST(stops_at_random_instants) {
    check::Random random(32);
    int stopped = 0;
    for (int round = 0; round < 40; ++round) {
        Problem problem = make_problem(random, 12, 40, 25);
        dugraph::Input& input = problem.input;
        input.n_subgraphs = 5;
        input.min_expected_frequency = 0.02;
        input.max_edges = 40;
        input.bound = static_cast<dugraph::Bound>(random.below(3));
        input.n_threads = 1 << random.below(3);
        const std::size_t kind = random.below(3);
        if (kind == 0) input.time_limit = random.uniform() * 0.05;
        if (kind == 1) input.node_limit = random.between(1, 20000);
        std::size_t polls = random.below(4);
        const auto began = std::chrono::steady_clock::now();
        const dugraph::Result result = dugraph::search_subgraphs(input, [&](const dugraph::Progress& now) {
            CHECK(now.seconds >= 0);
            return kind == 2 && polls-- == 0;
        });
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        check_list(problem, result);
        if (result.status == dugraph::Status::optimal) {
            CHECK(result.best_open_bound == -INFINITY);
            continue;
        }
        ++stopped;
        const dugraph::Status expected[] = {dugraph::Status::time_limit, dugraph::Status::node_limit,
                                            dugraph::Status::interrupted};
        CHECK(result.status == expected[kind]);
        CHECK(kind == 1 || took.count() < 2);  // generous: sanitizers are slow
    }
    CHECK(stopped > 10);
}

// What was not looked at is no better than the bound that a stopped search gives.
TEST(best_open_bound_holds_after_a_stop) {
    check::Random random(33);
    for (int round = 0; round < 200; ++round) {
        Problem problem = make_problem(random, 6, 9, 8);
        dugraph::Input& input = problem.input;
        input.n_subgraphs = 300;
        const dugraph::Result all = dugraph::search_subgraphs(input, go_on);
        if (all.values.empty() || all.values.size() == input.n_subgraphs) continue;
        input.n_subgraphs = random.between(1, 3);
        input.node_limit = random.between(1, 30);
        input.bound = static_cast<dugraph::Bound>(random.below(3));
        const dugraph::Result part = dugraph::search_subgraphs(input, go_on);
        if (part.status == dugraph::Status::optimal) continue;
        std::set<std::vector<std::int32_t>> seen;
        for (std::size_t k = 0; k < part.values.size(); ++k) seen.insert(listed(part, k));
        for (std::size_t k = 0; k < all.values.size(); ++k) {
            if (seen.count(listed(all, k))) continue;
            CHECK(std::max(part.best_open_bound, part.threshold) >= all.values[k]);
        }
    }
}
