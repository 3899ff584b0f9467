// What tests of screening share: a subgraph as a search holds it, and the screens that it has to pass.
#pragma once

#include "graph/memory.hpp"
#include "graph/rows.hpp"
#include "problems.hpp"
#include "rank/objective.hpp"

namespace screens {

using Row = dugraph::AlignedVector<double>;

inline Row padded(const std::vector<double>& x) {
    Row row(dugraph::whole_blocks(x.size(), dugraph::row_block), 0.0);
    std::copy(x.begin(), x.end(), row.begin());
    return row;
}

// An edge that is in every graph almost surely: no subgraph has larger expected supports.
inline problems::Problem one_edge(check::Random& random, std::size_t largest_class) {
    problems::Problem problem = problems::make_problem(random, 2, 1, largest_class);
    problem.min_expected_frequency = 0;
    problem.probability.assign(problem.n_graphs, 0.999);
    return problem;
}

inline dugraph::ClassScore score_of(const problems::Problem& problem) {
    return {problem.positive.data(), problem.level_of.data(), problem.levels.data(), problem.levels.size()};
}

// The finest tables, for this value of the threshold, as if there had been work without end.
template <class T>
void make_tables(T& objective, double value) {
    for (int k = 0; k < 40; ++k)
        objective.raise({value, 1}, {std::uint64_t{1} << k, std::uint64_t{1} << k, 1.0});
}

// Everything that may stop a subgraph on its way lets it pass, since its value ties with the threshold. `x`
// is its product along a path; the value comes from the canonical one.
template <class T>
void check_screens(const T& objective, const Row& x, double value, typename T::Scratch& scratch) {
    const Row ones(x.size(), 1.0);
    const auto statistic = objective.weigh(x.data(), ones.data());
    for (const std::size_t size : {1, 2}) {  // of the worst entry: one of as many edges may still enter
        const dugraph::Threshold threshold{value, size};
        CHECK(!threshold.excludes(objective.own_bound(statistic), size));
        // A supergraph by edges that are certain has the same value.
        CHECK(!threshold.excludes(objective.subtree_bound(statistic), size));
        if constexpr (requires { objective.rules_out({x.data(), statistic, size}, threshold); })
            CHECK(!objective.rules_out({x.data(), statistic, size}, threshold));
        const dugraph::Verdict verdict = objective.examine({x.data(), statistic, size}, threshold, true,
                                                           objective.has_closer_bound(), scratch);
        CHECK(verdict.may_enter);
        CHECK(verdict.subtree_bound >= value);
    }
}

}  // namespace screens
