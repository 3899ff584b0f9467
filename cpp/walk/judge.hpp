// What becomes of the subgraphs that a worker meets: the one interface between walking and judging.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "walk/task_pool.hpp"

namespace dugraph {

// What a worker asks of its judge. Ranking (ranking.hpp) is one, with a list of the best behind it;
// MaximaJudge (maxima/maxima_judge.hpp) another, for tests of significance.
template <class J>
concept Judge = requires(J& judge, const J& fixed, const std::vector<std::int32_t>& path, const double* x,
                         std::vector<Child<typename J::Mark>>& children, const typename J::Mark& mark,
                         std::int32_t id, std::size_t size) {
    { judge.meet(path, x, mark, children) } -> std::same_as<bool>;  // admitted subgraphs of one parent
    { fixed.weigh(x, id) } -> std::same_as<typename J::Mark>;       // of a candidate
    { J::mass(mark) } -> std::convertible_to<double>;               // sum of its containment probabilities
    { fixed.recall(x, id) } -> std::same_as<typename J::Mark>;
    { fixed.closed(mark, size) } -> std::same_as<bool>;
    { fixed.promise(mark) } -> std::convertible_to<double>;
    { fixed.climbs() } -> std::same_as<std::size_t>;
    // Whether children are explored from the frequent end: each extends by those behind it all the same.
    { J::frequent_first } -> std::convertible_to<bool>;
    judge.sharpen();  // before a subgraph is extended
    { fixed.threshold() } -> std::convertible_to<double>;
    { J::bound(mark) } -> std::convertible_to<double>;
    judge.finish();  // after the last subgraph of a task
    { judge.take_evaluated() } -> std::same_as<std::uint64_t>;
};

}  // namespace dugraph
