// Who enters the list when values are equal: nobody on a floor, which must be exceeded; at the threshold
// fewer edges, then smaller ones.
#include <algorithm>

#include "problems.hpp"
#include "rank/top_list.hpp"

TEST(an_entry_on_the_floor_is_not_listed) {
    dugraph::TopList top(3, {0.25, 0});
    top.offer({0.25, {0}});
    top.offer({std::nextafter(0.25, 0), {1}});
    CHECK(top.entries().empty());
    top.offer({std::nextafter(0.25, 1), {2}});
    CHECK(top.entries().size() == 1);
    // A threshold that others have reached lets ties of its size in: they may win by their edges.
    dugraph::TopList tied(3, {0.25, 2});
    tied.offer({0.25, {0, 1, 2}});
    CHECK(tied.entries().empty());
    tied.offer({0.25, {0, 1}});
    tied.offer({0.25, {3}});
    CHECK(tied.entries().size() == 2);
}

// The floor is a value of the list itself: exactly those above it are found, with every bound and goal.
TEST(a_search_lists_what_exceeds_its_floor) {
    check::Random random(81);
    int at_floor = 0;
    for (int round = 0; round < check::rounds(300, 3000); ++round) {
        problems::Problem problem =
            problems::make_problem(random, random.between(3, 6), random.between(2, 8), 8);
        problem.limits.n_subgraphs = 300;
        const dugraph::Result whole = problem.search();
        if (whole.values.empty()) continue;
        const double floor = whole.values[random.below(whole.values.size())];
        const auto above = static_cast<std::size_t>(
            std::count_if(whole.values.begin(), whole.values.end(), [&](double v) { return v > floor; }));
        ++at_floor;
        for (int run = 0; run < 6; ++run) {
            problem.limits.bound = static_cast<dugraph::Bound>(run % 3);
            problem.limits.n_threads = run < 3 ? 1 : 2;
            const auto result = dugraph::search(problem.prepared(), problem.goal(), {}, {floor, 0},
                                                problem.limits, problems::go_on);
            CHECK(result.values.size() == above);
            for (std::size_t k = 0; k < above; ++k)
                CHECK(result.values[k] == whole.values[k] &&
                      problems::listed(result, k) == problems::listed(whole, k));
        }
    }
    CHECK(at_floor > 200);
}

// Few levels, many ties: the list is the beginning of the ranking of all admitted subgraphs, ties included.
TEST(ties_at_the_threshold_are_decided_by_edges) {
    check::Random random(82);
    for (int round = 0; round < check::rounds(125, 2500); ++round) {
        problems::Problem problem =
            problems::make_problem(random, random.between(4, 6), random.between(5, 8), round % 2 ? 4 : 12);
        problem.kind = round % 3 ? problems::Kind::quantile : problems::Kind::mode;
        problem.limits.max_edges = problem.n_edges;
        problem.min_expected_frequency *= 0.3;
        problem.limits.n_subgraphs = random.between(1, 40);
        std::vector<dugraph::Entry> truth;
        for (const auto& edges : problems::all_admitted(problem))
            truth.push_back({problems::true_value(problem, edges), edges});
        std::sort(truth.begin(), truth.end());
        truth.resize(std::min(truth.size(), problem.limits.n_subgraphs));
        for (int run = 0; run < 3; ++run) {
            problem.limits.bound = static_cast<dugraph::Bound>(run);
            const dugraph::Result result = problem.search();
            CHECK(result.values.size() == truth.size());
            for (std::size_t k = 0; k < truth.size(); ++k)
                CHECK(result.values[k] == truth[k].value && problems::listed(result, k) == truth[k].edges);
        }
    }
}
