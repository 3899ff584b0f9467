// The interface between the enumeration of subgraphs (worker) and their evaluation (judge).
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "walk/task_pool.hpp"

namespace dugraph {

// The functions that a worker needs. Ranking (rank/ranking.hpp) maintains a list of the best; MaximaJudge
// (maxima/judge.hpp) serves significance tests.
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
    // Whether children are explored starting with the most frequent; each is still extended by those after
    // it.
    { J::frequent_first } -> std::convertible_to<bool>;
    judge.sharpen();  // before a subgraph is extended
    { fixed.threshold() } -> std::convertible_to<double>;
    { J::bound(mark) } -> std::convertible_to<double>;
    judge.finish();  // after the last subgraph of a task
    { judge.take_evaluated() } -> std::same_as<std::uint64_t>;
};

}  // namespace dugraph
