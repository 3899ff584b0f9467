// The whole search against brute force over all sets of edges, with threads, bounds and stops.
#include <algorithm>

#include "problems.hpp"

using problems::listed;
using problems::make_problem;
using problems::Problem;

TEST(search_equals_brute_force) {
    check::Random random(31);
    for (int round = 0; round < check::rounds(90, 1800); ++round) {
        Problem problem =
            make_problem(random, random.between(2, 6), random.between(1, 7), round % 3 ? 5 : 24);
        dugraph::Result first;
        for (int run = 0; run < 9; ++run) {
            problem.limits.bound = static_cast<dugraph::Bound>(run % 3);
            problem.limits.n_threads = 1 << (run / 3);
            const dugraph::Result result = problem.search();
            CHECK(result.status == dugraph::Status::optimal && result.frontier.empty());
            if (run == 0) first = result;
            CHECK(problems::same_list(first, result));
        }
        problems::check_list(problem, first);
        std::set<std::vector<std::int32_t>> seen;
        for (std::size_t k = 0; k < first.values.size(); ++k) seen.insert(listed(first, k));
        CHECK(seen.size() == first.values.size());
        for (const auto& subgraph : problems::all_admitted(problem)) {
            if (seen.count(subgraph)) continue;
            const double value = problems::true_value(problem, subgraph);
            CHECK(first.values.size() == problem.limits.n_subgraphs);
            CHECK(value <= first.values.back() + 1e-12 * std::fabs(value) + 1e-14);
        }
    }
}

// Without a bound every admitted subgraph is met, and exactly once, whoever works on it and whatever is known
// of pairs.
TEST(every_admitted_subgraph_is_met_once) {
    check::Random random(34);
    for (int round = 0; round < check::rounds(30, 600); ++round) {
        Problem problem = make_problem(random, random.between(3, 6), random.between(3, 10), 8);
        problem.limits.bound = dugraph::Bound::frequency;
        const std::uint64_t admitted = problems::all_admitted(problem).size();
        for (const int n_threads : {1, 2, 5}) {
            problem.limits.n_threads = n_threads;
            CHECK(problem.search().counters.visited == admitted);
        }
    }
}

// Hubs of many edges: two stars of 150 leaves whose centres are
// joined, every edge in half of the graphs of its own star, so that only edges of one star go together.
TEST(hubs_are_met_in_full) {
    Problem problem;
    const std::size_t leaves = 150, n = 8;
    problem.n_nodes = 2 + 2 * leaves;
    problem.n_graphs = n;
    for (std::size_t k = 0; k < 2 * leaves; ++k) {
        problem.edges.insert(problem.edges.end(),
                             {static_cast<std::int32_t>(2 + k), static_cast<std::int32_t>(k / leaves)});
        for (std::size_t i = 0; i < n; ++i) problem.probability.push_back(i % 2 == k / leaves ? 0.9 : 0);
    }
    problem.n_edges = 2 * leaves;
    problem.kind = problems::Kind::frequency;
    problem.limits.bound = dugraph::Bound::frequency;
    problem.limits.n_subgraphs = 5;
    for (const int n_threads : {1, 4}) {
        problem.limits.n_threads = n_threads;
        for (const double frequency : {0.38, 0.404}) {  // one edge has .45, two have .405, three .36
            problem.min_expected_frequency = frequency;
            const auto result = problem.search();
            CHECK(result.counters.visited == 2 * (leaves + leaves * (leaves - 1) / 2));
        }
    }
}

TEST(one_preparation_serves_all_labels) {
    check::Random random(35);
    for (int round = 0; round < check::rounds(4, 40); ++round) {
        Problem problem = make_problem(random, 7, 14, 20);
        problem.limits.n_subgraphs = 10;
        const dugraph::Prepared prepared = problem.prepared();
        for (int label = 0; label < 100; ++label) {
            problems::relabel(random, problem);
            problem.kind = static_cast<problems::Kind>(random.below(problems::n_kinds));
            problem.limits.n_threads = static_cast<int>(random.between(1, 3));
            const auto shared =
                dugraph::search(prepared, problem.goal(), {}, {}, problem.limits, problems::go_on);
            CHECK(problems::same_list(shared, problem.search()));
        }
    }
}

TEST(wrong_input_is_refused) {
    check::Random random(36);
    Problem problem = make_problem(random, 5, 8, 5);
    problem.min_expected_frequency = 0;
    const dugraph::Prepared prepared = problem.prepared();
    const auto refused = [&](const dugraph::Frontier& frontier) {
        try {
            dugraph::search(prepared, problem.goal(), frontier, {}, problem.limits, problems::go_on);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(refused({false, {{{0}, {99}, 0, 1}}}));  // no such edge
    CHECK(refused({false, {{{-1}, {1}, 0, 1}}}));  // nor this
    CHECK(refused({false, {{{0}, {1}, 0, 2}}}));   // a range beyond the children
    CHECK(!refused({false, {{{0}, {1}, 1, 1}}}));  // nothing to do
    problem.limits.n_threads = 0;
    CHECK(refused({}));
    problem.limits.n_threads = 1;
    problem.positive.assign(problem.n_graphs, 1);
    problem.kind = problems::Kind::mode;
    CHECK(refused({}));
}
