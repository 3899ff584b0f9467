// What tests of the mode bound share: laws of two supports, scores with one level that gathers many cells,
// and the check that no table rules out the exact mode.
#pragma once

#include <algorithm>

#include "bounds/mode_bound.hpp"
#include "problems.hpp"

namespace modes {

struct Laws {
    std::vector<long double> pos, neg;  // distributions of the two supports
    dugraph::ClassMass mass;
};

// From its rarer end: the powers of small numbers are beyond extended precision, too.
inline std::vector<long double> binomial(std::size_t m, double mean) {
    const auto n = static_cast<long double>(m);
    const bool turned = 2 * mean > n;
    const long double share = (turned ? n - mean : mean) / n;
    std::vector<long double> pmf{std::pow(1 - share, n)};
    for (std::size_t k = 0; k < m; ++k) {
        const auto a = static_cast<long double>(k);
        pmf.push_back(pmf.back() * (n - a) / (a + 1) * share / (1 - share));
    }
    if (turned) std::reverse(pmf.begin(), pmf.end());
    return pmf;
}

inline std::size_t most_likely(const std::vector<long double>& pmf) {
    return static_cast<std::size_t>(std::max_element(pmf.begin(), pmf.end()) - pmf.begin());
}

// The gathered cells are one level, the others have one each: half of them below it, the rest above if asked.
struct Gathered {
    std::vector<std::int32_t> level_of;
    std::vector<double> levels;
    std::int32_t level;
};

inline Gathered gather(const std::vector<bool>& chosen, bool others_above) {
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
inline std::int32_t true_mode(const Laws& laws, const Gathered& score) {
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
inline bool check_mode(const Laws& laws, const Gathered& score, std::size_t cells, double room = 1) {
    const std::size_t p = laws.pos.size() - 1, q = laws.neg.size() - 1;
    const std::int32_t mode = true_mode(laws, score);
    const dugraph::ScoreGrid grid_of_score(
        {nullptr, score.level_of.data(), score.levels.data(), score.levels.size()}, p, q);
    const dugraph::ClassMass top{std::min(laws.mass.pos * room, static_cast<double>(p)),
                                 std::min(laws.mass.neg * room, static_cast<double>(q))};
    const dugraph::ModeBound bound(top, grid_of_score);
    const dugraph::MassGrid grid({top, p, q, 0}, cells);
    // Against its own level, those beside it, and the highest near the most likely cell, which others may
    // hide.
    std::set<std::int32_t> levels{mode, std::max(0, mode - 1), std::min(mode + 1, score.level)};
    const std::size_t a = most_likely(laws.pos), b = most_likely(laws.neg);
    const auto apart = [](std::size_t k, std::size_t top) { return k < top ? top - k : k - top; };
    for (const std::size_t reach : {1, 2}) {
        std::int32_t highest = 0;
        for (std::size_t cell = 0; cell < score.level_of.size(); ++cell) {
            if (score.level_of[cell] != score.level && apart(cell / (q + 1), a) <= reach &&
                apart(cell % (q + 1), b) <= reach)
                highest = std::max(highest, score.level_of[cell]);
        }
        levels.insert(highest);
    }
    for (const std::int32_t level : levels) {
        const dugraph::MassTable table(grid, bound.bounds(grid, level, {1, problems::no_stop}));
        CHECK(table.own(laws.mass) >= dugraph::step_bound(grid_of_score, level, mode));
    }
    return mode == score.level;
}

}  // namespace modes
