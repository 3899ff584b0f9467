// Searches that are stopped: what they say holds, and going on from what they left gives the same bytes.
#include <algorithm>

#include "measures/squares.hpp"
#include "problems.hpp"
#include "rank/ranking.hpp"

using problems::listed;
using problems::make_problem;
using problems::Problem;

namespace {

using Entries = std::set<std::pair<std::pair<double, std::size_t>, std::vector<std::int32_t>>>;

// The ranking's order: larger value, fewer edges, smaller edges.
void add_entries(const dugraph::Result& result, Entries& entries) {
    for (std::size_t k = 0; k < result.values.size(); ++k) {
        const auto edges = listed(result, k);
        entries.insert({{-result.values[k], edges.size()}, edges});
    }
}

// Ranges of every task, in any order.
std::vector<dugraph::OpenTask> cut_up(check::Random& random, const dugraph::Frontier& frontier) {
    std::vector<dugraph::OpenTask> pieces;
    for (const dugraph::OpenTask& task : frontier.tasks) {
        for (std::size_t begin = task.begin; begin < task.end;) {
            dugraph::OpenTask piece = task;
            piece.begin = begin;
            piece.end = begin = random.below(3) ? task.end : random.between(begin + 1, task.end);
            pieces.push_back(piece);
        }
    }
    for (std::size_t k = pieces.size(); k > 1; --k) std::swap(pieces[k - 1], pieces[random.below(k)]);
    return pieces;
}

}  // namespace

// Any number of stops, any ranges, any order, any threads, with the threshold reached so far or without.
TEST(parts_add_up_to_the_whole) {
    int stops = 0;
    for (int round = 0; round < check::rounds(150, 3000); ++round) {
        // Where threads stop is chance, which must not choose the next problem too.
        check::Random random(4100 + static_cast<std::uint64_t>(round));
        Problem problem = make_problem(random, random.between(4, 9), random.between(6, 22), 12);
        problem.min_expected_frequency *= 0.4;
        // Without a bound the parts also meet as many subgraphs as the whole.
        const bool unbounded = round % 3 == 0;
        if (unbounded) problem.limits.bound = dugraph::Bound::frequency;
        const dugraph::Result whole = problem.search();
        CHECK(whole.status == dugraph::Status::optimal);
        const dugraph::Prepared prepared = problem.prepared();
        Entries entries;
        std::vector<dugraph::Frontier> open{{}};
        std::uint64_t visited = 0;
        while (!open.empty()) {
            std::swap(open.back(), open[random.below(open.size())]);
            const dugraph::Frontier frontier = open.back();
            open.pop_back();
            dugraph::Limits limits = problem.limits;
            limits.n_threads = static_cast<int>(random.between(1, 3));
            if (!unbounded) limits.bound = static_cast<dugraph::Bound>(random.below(3));
            limits.node_limit = random.below(6) ? random.between(1, 25) : ~std::uint64_t{0};
            dugraph::Threshold start;
            if (random.below(2) && entries.size() >= limits.n_subgraphs) {
                const auto worst =
                    std::next(entries.begin(), static_cast<std::ptrdiff_t>(limits.n_subgraphs) - 1);
                start = {-worst->first.first, worst->second.size()};
            }
            const auto part =
                dugraph::search(prepared, problem.goal(), frontier, start, limits, problems::go_on);
            add_entries(part, entries);
            visited += part.counters.visited;
            CHECK((part.status == dugraph::Status::optimal) == part.frontier.empty());
            if (part.frontier.empty()) continue;
            ++stops;
            CHECK(!part.frontier.at_start);  // a limit of nodes lets the single edges pass
            std::vector<dugraph::OpenTask> pieces = cut_up(random, part.frontier);
            const std::size_t half = random.below(pieces.size() + 1);
            const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(half);
            if (half > 0) open.push_back({false, {pieces.begin(), middle}});
            if (half < pieces.size()) open.push_back({false, {middle, pieces.end()}});
        }
        CHECK(entries.size() >= whole.values.size());
        auto entry = entries.begin();
        for (std::size_t k = 0; k < whole.values.size(); ++k, ++entry) {
            CHECK(listed(whole, k) == entry->second && -whole.values[k] == entry->first.first);
        }
        if (whole.values.size() < problem.limits.n_subgraphs) CHECK(entries.size() == whole.values.size());
        if (unbounded) CHECK(visited == whole.counters.visited);
    }
    CHECK(stops > 500);
}

// Stopped by the caller at any poll, and gone on with until it is done.
TEST(an_interrupted_search_goes_on_where_it_was) {
    check::Random random(42);
    for (int round = 0; round < 4; ++round) {
        Problem problem = make_problem(random, 11, 34, 25);
        problem.limits.n_subgraphs = 20;
        problem.limits.max_edges = 34;
        problem.min_expected_frequency = 0.03;
        problem.limits.n_threads = 1 << random.below(3);
        const dugraph::Result whole = problem.search();
        const dugraph::Prepared prepared = problem.prepared();
        Entries entries;
        dugraph::Frontier frontier;
        std::size_t most_polls = 0;
        while (!frontier.empty()) {
            // At first before anything can have happened; later calls get further, so that this ends.
            std::size_t polls = random.below(most_polls + 1);
            ++most_polls;
            const auto part = dugraph::search(prepared, problem.goal(), frontier, {}, problem.limits,
                                              [&](const dugraph::Progress&) { return polls-- == 0; });
            add_entries(part, entries);
            frontier = part.frontier;
        }
        auto entry = entries.begin();
        for (std::size_t k = 0; k < whole.values.size(); ++k, ++entry)
            CHECK(listed(whole, k) == entry->second && -whole.values[k] == entry->first.first);
    }
}

// An answer that says "optimal" is the truth, whatever limit was set; another says which limit it was.
TEST(stops_at_random_instants) {
    check::Random random(32);
    int stopped = 0;
    for (int round = 0; round < check::rounds(24, 200); ++round) {
        Problem problem = make_problem(random, 10, 26, 25);
        problem.limits.n_subgraphs = 5;
        problem.min_expected_frequency = 0.05;
        problem.limits.max_edges = 26;
        const dugraph::Result whole = problem.search();
        problem.limits.bound = static_cast<dugraph::Bound>(random.below(3));
        problem.limits.n_threads = 1 << random.below(3);
        const std::size_t kind = random.below(3);
        if (kind == 0) problem.limits.time_limit = random.uniform() * 0.02;
        if (kind == 1) problem.limits.node_limit = random.between(1, 20000);
        std::size_t polls = random.below(4);
        const dugraph::Result result = problem.search([&](const dugraph::Progress& now) {
            CHECK(now.seconds >= 0);
            return kind == 2 && polls-- == 0;
        });
        problems::check_list(problem, result);
        if (result.status == dugraph::Status::optimal) {
            CHECK(result.best_open_bound == -INFINITY && problems::same_list(result, whole));
            continue;
        }
        ++stopped;
        const dugraph::Status expected[] = {dugraph::Status::time_limit, dugraph::Status::node_limit,
                                            dugraph::Status::interrupted};
        CHECK(result.status == expected[kind] && !result.frontier.empty());
    }
    CHECK(stopped > 6);
}

// As many nodes as there are: nothing is left. As many as there are edges: the search has just begun.
TEST(limits_of_nodes_at_the_brink) {
    check::Random random(37);
    int stopped = 0;
    for (int round = 0; round < 80; ++round) {
        Problem problem = make_problem(random, random.between(3, 6), random.between(3, 9), 8);
        problem.limits.bound = dugraph::Bound::frequency;
        problem.limits.n_threads = static_cast<int>(random.between(1, 3));
        const auto admitted = problems::all_admitted(problem);
        if (admitted.empty()) continue;
        const dugraph::Result whole = problem.search();
        problem.limits.node_limit = admitted.size();
        CHECK(problem.search().status == dugraph::Status::optimal);
        problem.limits.node_limit = static_cast<std::uint64_t>(
            std::count_if(admitted.begin(), admitted.end(), [](const auto& g) { return g.size() == 1; }));
        const dugraph::Result result = problem.search();
        CHECK(result.counters.visited >= problem.limits.node_limit);
        // What one thread tests at once may be all that is left; else the limit is honoured.
        if (result.status == dugraph::Status::optimal) {
            CHECK(problems::same_list(result, whole));
        } else {
            ++stopped;
            CHECK(result.counters.visited < admitted.size() || !result.frontier.empty());
        }
    }
    CHECK(stopped > 20);
}

// What was not looked at is no better than the bound that a stopped search gives.
TEST(best_open_bound_holds_after_a_stop) {
    check::Random random(33);
    int unseen = 0;
    for (int round = 0; round < 400; ++round) {
        Problem problem = make_problem(random, 6, 9, 8);
        problem.limits.n_subgraphs = 300;
        const dugraph::Result all = problem.search();
        if (all.values.empty() || all.values.size() == problem.limits.n_subgraphs) continue;
        problem.limits.n_subgraphs = random.between(1, 3);
        problem.limits.node_limit = random.between(1, 30);
        problem.limits.bound = static_cast<dugraph::Bound>(random.below(3));
        const dugraph::Result part = problem.search();
        if (part.status == dugraph::Status::optimal) continue;
        std::set<std::vector<std::int32_t>> seen;
        for (std::size_t k = 0; k < part.values.size(); ++k) seen.insert(listed(part, k));
        for (std::size_t k = 0; k < all.values.size(); ++k) {
            if (seen.count(listed(all, k))) continue;
            CHECK(std::max(part.best_open_bound, part.threshold) >= all.values[k]);
            ++unseen;
        }
    }
    CHECK(unseen > 500);
}

// A stop is heard between two subgraphs: after it no more are looked at, however many wait.
TEST(nothing_is_judged_after_a_stop) {
    check::Random random(91);
    Problem problem = make_problem(random, 5, 8, 8);
    problem.kind = problems::Kind::squared_counts;
    problem.min_expected_frequency = 0;
    const dugraph::Prepared prepared = problem.prepared();
    const dugraph::Rows& rows = prepared.rows;
    const std::atomic<bool> stop{false};
    dugraph::SquaredCountsObjective objective(rows, std::get<dugraph::SquaredCounts>(problem.goal()),
                                              problem.limits, stop);
    const dugraph::AlignedVector<double> ones(rows.width, 1.0);
    for (const bool stopped : {false, true}) {
        dugraph::Control control(problem.limits);
        dugraph::TopList top(problem.limits.n_subgraphs, {});
        dugraph::Ranking judge(rows, problem.limits, objective, top, control);
        std::vector<dugraph::Child<decltype(judge)::Mark>> children;
        for (std::int32_t id = 0; id < static_cast<std::int32_t>(rows.n_edges()); ++id)
            children.push_back({id, judge.weigh(ones.data(), id)});
        if (stopped) control.stop(dugraph::Status::interrupted);
        CHECK(judge.meet({}, ones.data(), {}, children) != stopped);
        CHECK(top.entries().empty() == stopped);
    }
}

TEST(the_first_reason_to_stop_counts) {
    dugraph::Control control{dugraph::Limits{}};
    control.stop(dugraph::Status::time_limit);
    control.stop(dugraph::Status::interrupted);
    CHECK(control.status() == dugraph::Status::time_limit);
}
