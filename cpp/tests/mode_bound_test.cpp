// The mode bound against exact modes. Its extreme case is one level that gathers many cells far from the most
// likely one, while every other cell is a level of its own; laws are binomial, which fall most slowly.
#include "search/mode_bound.hpp"

#include <algorithm>

#include "problems.hpp"

namespace {

const std::atomic<bool> go_on{false};

struct Laws {
    std::vector<long double> pos, neg;  // distributions of the two supports
    dugraph::ClassMass mass;
};

std::vector<long double> binomial(std::size_t m, double mean) {
    return problems::distribution(
        std::vector<long double>(m, static_cast<long double>(mean) / static_cast<long double>(m)));
}

std::size_t most_likely(const std::vector<long double>& pmf) {
    return static_cast<std::size_t>(std::max_element(pmf.begin(), pmf.end()) - pmf.begin());
}

// The gathered cells are one level, the others have one each: half of them below it, the rest above if asked.
struct Gathered {
    std::vector<std::int32_t> level_of;
    std::vector<double> levels;
    std::int32_t level;
};

Gathered gather(const std::vector<bool>& chosen, bool others_above) {
    Gathered result;
    const std::size_t others = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), false));
    result.level = static_cast<std::int32_t>(others_above ? others / 2 : others);
    std::int32_t next = 0;
    for (const bool is_chosen : chosen) {
        if (next == result.level && !is_chosen) ++next;
        result.level_of.push_back(is_chosen ? result.level : next++);
    }
    for (std::size_t k = 0; k <= others + 1; ++k) result.levels.push_back(static_cast<double>(k));
    return result;
}

// The highest of the most likely levels, ties within 1e-12.
std::int32_t true_mode(const Laws& laws, const Gathered& score) {
    std::vector<long double> weight(score.levels.size(), 0);
    for (std::size_t cell = 0; cell < score.level_of.size(); ++cell)
        weight[static_cast<std::size_t>(score.level_of[cell])] +=
            laws.pos[cell / laws.neg.size()] * laws.neg[cell % laws.neg.size()];
    const long double most = *std::max_element(weight.begin(), weight.end());
    std::size_t level = weight.size() - 1;
    while (weight[level] < most - 1e-12L) --level;
    return static_cast<std::int32_t>(level);
}

// Whether the gathered level is the mode; then no table may rule it out.
bool check_mode(const Laws& laws, const Gathered& score, std::size_t cells, double room = 1) {
    const std::size_t p = laws.pos.size() - 1, q = laws.neg.size() - 1;
    const std::int32_t mode = true_mode(laws, score);
    const dugraph::ScoreGrid grid_of_score(
        {nullptr, score.level_of.data(), score.levels.data(), score.levels.size()}, p, q);
    const dugraph::ClassMass top{std::min(laws.mass.pos * room, static_cast<double>(p)),
                                 std::min(laws.mass.neg * room, static_cast<double>(q))};
    const dugraph::ModeBound bound(top, grid_of_score);
    const dugraph::MassGrid grid(top, p, q, 0, cells);
    for (const std::int32_t level : {mode, std::max(0, mode - 1), std::min(mode + 1, score.level)}) {
        const dugraph::MassTable table(grid, bound.bounds(grid, level, {1, go_on}));
        CHECK(table.own(laws.mass) >= dugraph::step_bound(grid_of_score, level, mode));
    }
    return mode == score.level;
}

}  // namespace

// The outermost tail that is still as likely as the most likely cell, on either side, in either class. From
// 400 graphs on the modes come in blocks.
TEST(tails_may_be_the_mode) {
    check::Random random(61);
    int modes = 0;
    for (int round = 0; round < 800; ++round) {
        const std::size_t m = round % 40 ? random.between(3, 40) : random.between(400, 1000);
        const double mean =
            static_cast<double>(random.below(m)) + (random.below(4) ? random.uniform() : 0.97);
        Laws laws{binomial(m, mean), {1}, {mean, 0}};
        // The other class has one graph, which tells nothing or contains the subgraph with this probability.
        const double z = random.below(2) ? 0 : 0.5;
        laws.neg = {1 - z, z};
        laws.mass.neg = z;
        const bool right = random.below(2), both_columns = z > 0 && random.below(2);
        const long double needed = laws.pos[most_likely(laws.pos)];
        std::vector<bool> chosen((m + 1) * 2, false);
        long double sum = 0;
        for (std::size_t k = 0; k <= m && sum < needed; ++k) {
            const std::size_t a = right ? m - k : k;
            sum += laws.pos[a] * (both_columns ? 2 : 1);
            chosen[2 * a] = true;
            if (both_columns) chosen[2 * a + 1] = true;
        }
        if (random.below(2)) {  // the same with the classes exchanged
            std::vector<bool> turned;
            for (std::size_t b = 0; b < 2; ++b)
                for (std::size_t a = 0; a <= m; ++a) turned.push_back(chosen[2 * a + b]);
            chosen = turned;
            std::swap(laws.pos, laws.neg);
            std::swap(laws.mass.pos, laws.mass.neg);
        }
        const double room = random.below(2) ? 1 : 1 + random.uniform();
        modes += check_mode(laws, gather(chosen, random.below(2)), random.below(2) ? 17 : 257, room);
    }
    CHECK(modes > 250);
}

// Few cells of one level, near the most likely one or far from it.
TEST(few_cells_may_be_the_mode) {
    check::Random random(62);
    int modes = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t p = random.between(1, 14), q = random.between(1, 14);
        Laws laws;
        const bool equal = random.below(2);
        for (const auto& [m, pmf, mass] :
             {std::tuple{p, &laws.pos, &laws.mass.pos}, {q, &laws.neg, &laws.mass.neg}}) {
            std::vector<double> x = random.probabilities(m);
            if (equal) x.assign(m, random.below(3) ? random.uniform() : 0.5);
            *pmf = problems::distribution({x.begin(), x.end()});
            for (const double value : x) *mass += value;
        }
        std::vector<bool> chosen((p + 1) * (q + 1), false);
        const std::size_t a = most_likely(laws.pos), b = most_likely(laws.neg);
        for (std::size_t k = random.between(2, 6); k > 0; --k) {
            const std::size_t i = std::min(p, a + 4 - std::min(a + 4, random.below(9))),
                              j = std::min(q, b + 4 - std::min(b + 4, random.below(9)));
            chosen[i * (q + 1) + j] = true;
        }
        modes += check_mode(laws, gather(chosen, random.below(2)), random.below(2) ? 9 : 65);
    }
    CHECK(modes > 500);
}

// Cells so unlikely that their ratios are left out, which together make the difference.
TEST(what_the_mode_bound_leaves_out_is_allowed_for) {
    const std::size_t m = 600;
    int modes = 0;
    const double mean = 300.5;
    const Laws laws{binomial(m, mean), binomial(m, mean), {mean, mean}};
    const std::size_t top = most_likely(laws.pos);
    for (std::size_t da = 2; da < 5; ++da) {
        for (std::size_t db = 0; db < 5; ++db) {
            std::vector<bool> chosen((m + 1) * (m + 1), false);
            for (std::size_t a = 0; a <= m; ++a) {
                for (std::size_t b = 0; b <= m; ++b) {
                    const auto rare = [&](std::size_t k) { return laws.pos[k] < 1e-4L * laws.pos[top]; };
                    chosen[a * (m + 1) + b] = rare(a) || rare(b) || (a == top + da && b == top + db);
                }
            }
            modes += check_mode(laws, gather(chosen, false), 33);
        }
    }
    CHECK(modes > 2);
}
