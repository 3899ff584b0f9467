// Quantile and mode where they jump: there the values of two subgraphs that are a rounding apart are levels
// apart, and nothing that screens may mistake one for the other.
#include <algorithm>

#include "measures/level.hpp"
#include "screens.hpp"

using problems::Problem;

namespace {

std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to, double t) {
    std::vector<double> x;
    for (std::size_t i = 0; i < from.size(); ++i) x.push_back(from[i] + (to[i] - from[i]) * t);
    return x;
}

// Follows x from one row to another up to a place where the value jumps, and looks at both sides of it.
template <class T, class Goal>
bool check_jump(check::Random& random, const Problem& problem, const Goal& goal, std::vector<double> from,
                std::vector<double> to) {
    dugraph::Limits limits;
    limits.bound = random.below(2) ? dugraph::Bound::mass : dugraph::Bound::worldwise;
    const dugraph::Prepared prepared = problem.prepared();
    T objective(prepared.rows, goal, limits, problems::no_stop);
    auto scratch = objective.make_scratch();
    for (auto* row : {&from, &to})
        for (double& p : *row) p = std::min(p, 0.999);
    const auto value_at = [&](double t) {
        return objective.value(screens::padded(between(from, to, t)).data(), scratch);
    };
    double low = 0, high = 1;
    const double at_high = value_at(high);
    if (value_at(low) == at_high) return false;
    for (int k = 0; k < 80; ++k) {
        const double middle = low + (high - low) / 2;
        (value_at(middle) == at_high ? high : low) = middle;
    }
    for (const double t : {low, high}) {
        screens::make_tables(objective, value_at(t));
        screens::check_screens(objective, screens::padded(between(from, to, t)), value_at(t), scratch);
    }
    // A hair away from the jump the value is that of the definition.
    for (const double t : {std::max(low - 1e-8, 0.0), std::min(high + 1e-8, 1.0)}) {
        Problem moved = problem;
        moved.probability = between(from, to, t);
        CHECK(value_at(t) == problems::true_value(moved, {0}));
    }
    return true;
}

}  // namespace

TEST(levels_are_not_mistaken_at_the_jump) {
    check::Random random(91);
    int jumps = 0;
    for (int round = 0; round < 500; ++round) {
        // Enough graphs for windows that leave tails out.
        Problem problem = screens::one_edge(random, round % 2 ? 12 : 70);
        problem.kind = round % 4 < 2 ? problems::Kind::quantile : problems::Kind::mode;
        const dugraph::ClassScore score = screens::score_of(problem);
        const std::size_t n = problem.n_graphs;
        std::vector<double> from = random.probabilities(n), to = random.probabilities(n);
        if (random.below(2)) {
            from.assign(n, random.uniform() * 0.5);
            to.assign(n, 0.5 + random.uniform() * 0.49);
        }
        const dugraph::Quantile quantile{score, problem.quantile};
        jumps += problem.kind == problems::Kind::quantile
                     ? check_jump<dugraph::QuantileObjective>(random, problem, quantile, from, to)
                     : check_jump<dugraph::ModeObjective>(random, problem, dugraph::Mode{score}, from, to);
    }
    CHECK(jumps > 100);
}

// One level gathers all cells far from the middle, of which windows leave some out; each other cell is a
// level of its own. The mode jumps where the far cells together are as likely as the most likely cell.
TEST(far_cells_are_not_mistaken_at_the_jump_of_the_mode) {
    check::Random random(95);
    for (std::size_t far = 13; far < 25; ++far) {
        const std::size_t m = 70;
        Problem problem = screens::one_edge(random, 1);
        problem.kind = problems::Kind::mode;
        problem.n_pos = m;
        problem.n_graphs = 2 * m;
        problem.probability.assign(2 * m, 0.999);
        problem.positive.assign(m, 1);
        problem.positive.resize(2 * m, 0);
        problem.weights.assign(2 * m, 0);
        const auto is_far = [&](std::size_t k) { return k + far < m / 2 || k > m / 2 + far; };
        const auto highest = static_cast<std::int32_t>((m + 1) * (m + 1));
        problem.level_of.clear();
        for (std::int32_t cell = 0; cell < highest; ++cell) {
            const auto a = static_cast<std::size_t>(cell) / (m + 1),
                       b = static_cast<std::size_t>(cell) % (m + 1);
            problem.level_of.push_back(is_far(a) || is_far(b) ? highest : cell);
        }
        problem.levels.clear();
        for (std::int32_t level = 0; level <= highest; ++level) problem.levels.push_back(level);
        const dugraph::Mode goal{screens::score_of(problem)};
        CHECK(check_jump<dugraph::ModeObjective>(random, problem, goal, std::vector<double>(2 * m, 0.5),
                                                 std::vector<double>(2 * m, 0.8)));
    }
}

// Levels of equal probability by construction, in whatever order they are added up: the highest is the mode,
// and a quantile that is exactly reached is reached.
TEST(ties_of_levels_are_ties) {
    for (const std::size_t m : {1, 3, 5, 9, 25, 63}) {
        Problem problem;
        problem.n_nodes = 2;
        problem.n_edges = 1;
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
