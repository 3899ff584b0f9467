// What screens a subgraph never rejects what its exact value would list: at a jump of the measure, too, where
// the value of one subgraph and that of its neighbour, a rounding apart, are levels apart.
#include <algorithm>
#include <memory>

#include "problems.hpp"
#include "search/average_objectives.hpp"
#include "search/frequency_objective.hpp"
#include "search/gain_objective.hpp"
#include "search/level_objectives.hpp"

using problems::Problem;

namespace {

const std::atomic<bool> go_on{false};

// One edge in all graphs, with containment probabilities that a search would have from it.
struct Subgraph {
    dugraph::AlignedVector<double> x;
    dugraph::AlignedVector<double> ones;
};

// Whether everything that may stop a subgraph on its way lets it pass, if its value says that it enters.
template <class T>
void check_screens(T& objective, const Subgraph& g, double value, typename T::Scratch& scratch) {
    const auto statistic = objective.weigh(g.x.data(), g.ones.data());
    for (const std::size_t size : {1, 2}) {  // of the worst entry; one of as many edges may still enter
        const dugraph::Threshold threshold{value, size};
        CHECK(!threshold.excludes(objective.own_bound(statistic), size));
        CHECK(!threshold.excludes(objective.subtree_bound(statistic), size));
        const dugraph::Verdict verdict = objective.examine({g.x.data(), statistic, size}, threshold, true,
                                                           objective.has_closer_bound(), scratch);
        CHECK(verdict.may_enter);
        CHECK(verdict.subtree_bound >= value);  // containment in certain edges changes nothing
    }
}

// Tables without end of work to wait for: the finest, for every level that is asked for.
template <class T>
void make_tables(T& objective, double value) {
    for (int k = 0; k < 40; ++k)
        objective.raise({value, 1}, {std::uint64_t{1} << k, std::uint64_t{1} << k, 1.0});
}

Problem one_edge(check::Random& random, std::size_t largest_class) {
    Problem problem = problems::make_problem(random, 2, 1, largest_class);
    problem.min_expected_frequency = 0;
    return problem;
}

Subgraph along(const Problem& problem, const std::vector<double>& from, const std::vector<double>& to,
               double t) {
    const std::size_t width = dugraph::whole_blocks(problem.n_graphs, dugraph::row_block);
    Subgraph g{dugraph::AlignedVector<double>(width, 0.0), dugraph::AlignedVector<double>(width, 1.0)};
    for (std::size_t i = 0; i < problem.n_graphs; ++i) g.x[i] = from[i] + (to[i] - from[i]) * t;
    return g;
}

// Follows x from one row to another to the place where the value jumps, and looks at both sides of it.
template <class T, class Goal>
bool check_jump(check::Random& random, const Problem& problem, const Goal& goal) {
    dugraph::Limits limits;
    limits.bound = random.below(2) ? dugraph::Bound::mass : dugraph::Bound::worldwise;
    Problem full = problem;  // an edge in every graph, so that no subgraph has larger expected supports
    full.probability.assign(full.n_graphs, 0.999);
    const dugraph::Prepared prepared = full.prepared();
    T objective(prepared.rows, goal, limits, go_on);
    auto scratch = objective.make_scratch();
    std::vector<double> from = random.probabilities(problem.n_graphs),
                        to = random.probabilities(problem.n_graphs);
    if (random.below(2)) {
        from.assign(problem.n_graphs, random.uniform() * 0.5);
        to.assign(problem.n_graphs, 0.5 + random.uniform() * 0.49);
    }
    for (auto* row : {&from, &to})
        for (double& value : *row) value = std::min(value, 0.999);
    const auto value_at = [&](double t) {
        return objective.value(along(problem, from, to, t).x.data(), scratch);
    };
    double low = 0, high = 1;
    const double at_low = value_at(low), at_high = value_at(high);
    if (at_low == at_high) return false;
    for (int k = 0; k < 80; ++k) {
        const double middle = low + (high - low) / 2;
        (value_at(middle) == at_low ? low : high) = middle;
    }
    for (const double t : {low, high}) {
        const Subgraph g = along(problem, from, to, t);
        const double value = objective.value(g.x.data(), scratch);
        make_tables(objective, value);
        check_screens(objective, g, value, scratch);
    }
    return true;
}

}  // namespace

TEST(levels_are_not_screened_out_at_the_jump) {
    check::Random random(91);
    int jumps = 0;
    for (int round = 0; round < 500; ++round) {
        // Enough graphs for windows that leave tails out.
        const Problem problem = one_edge(random, round % 2 ? 12 : 70);
        const dugraph::ClassScore score{problem.positive.data(), problem.level_of.data(),
                                        problem.levels.data(), problem.levels.size()};
        if (round % 4 < 2) {
            jumps += check_jump<dugraph::QuantileObjective>(random, problem,
                                                            dugraph::Quantile{score, problem.quantile});
        } else {
            jumps += check_jump<dugraph::ModeObjective>(random, problem, dugraph::Mode{score});
        }
    }
    CHECK(jumps > 100);
}

// Levels of equal probability by construction, in whatever order they are added up: the highest is the mode,
// and a quantile that is exactly reached is reached.
TEST(ties_of_levels_are_ties) {
    for (const std::size_t m : {1, 3, 5, 9, 25, 63}) {
        Problem problem;
        problem.n_nodes = 2;
        problem.n_edges = problem.n_pos = 1;
        problem.edges = {1, 0};
        problem.n_pos = m;
        problem.n_graphs = 2 * m;
        problem.positive.assign(2 * m, 0);
        std::fill_n(problem.positive.begin(), m, std::uint8_t{1});
        problem.probability.assign(2 * m, 0.5);
        problem.levels = {-1, 0, 1, 2};
        problem.limits.n_subgraphs = 1;
        for (const bool by_parity : {false, true}) {
            problem.level_of.clear();  // quarters: by halves, or by odd and even, of either support
            for (std::size_t a = 0; a <= m; ++a)
                for (std::size_t b = 0; b <= m; ++b)
                    problem.level_of.push_back(by_parity ? static_cast<std::int32_t>(a % 2 + 2 * (b % 2))
                                                         : (2 * a > m) + 2 * (2 * b > m));
            problem.kind = problems::Kind::mode;
            CHECK(problem.search().values[0] == 2);
            problem.kind = problems::Kind::quantile;
            for (const std::size_t k : {0, 1, 2}) {
                for (const double error : {-5e-13, 0.0, 5e-13}) {
                    problem.quantile = 0.25 * static_cast<double>(k + 1) + error;
                    CHECK(problem.search().values[0] == problem.levels[k]);
                }
            }
        }
    }
}

// The other measures have no jumps: their own value is the threshold that they may just tie with.
TEST(averages_are_not_screened_out_at_their_own_value) {
    check::Random random(92);
    for (int round = 0; round < 600; ++round) {
        const Problem problem = one_edge(random, 60);
        const dugraph::ClassScore score{problem.positive.data(), problem.level_of.data(),
                                        problem.levels.data(), problem.levels.size()};
        dugraph::Limits limits;
        limits.bound = static_cast<dugraph::Bound>(random.below(3));
        Problem full = problem;
        full.probability.assign(full.n_graphs, 0.999);
        const dugraph::Prepared prepared = full.prepared();
        std::vector<double> x = random.probabilities(problem.n_graphs);
        for (double& value : x) value = std::min(value, 0.999);
        const Subgraph g = along(problem, x, x, 0);
        const auto check = [&](auto objective) {
            auto scratch = objective->make_scratch();
            const double value = objective->value(g.x.data(), scratch);
            make_tables(*objective, value);
            check_screens(*objective, g, value, scratch);
        };
        using std::make_unique;
        check(make_unique<dugraph::ExpectationObjective>(prepared.rows, dugraph::Expectation{score, 0},
                                                         limits, go_on));
        check(make_unique<dugraph::PhiObjective>(
            prepared.rows, dugraph::PhiProbability{score, problem.first_level}, limits, go_on));
        check(make_unique<dugraph::FrequencyObjective>(prepared.rows, dugraph::Frequency{}, limits, go_on));
        check(make_unique<dugraph::GainObjective>(prepared.rows, dugraph::Gain{problem.weights.data()},
                                                  limits, go_on));
    }
}
