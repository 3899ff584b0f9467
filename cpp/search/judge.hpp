// What becomes of the subgraphs that a worker meets: the one interface between walking and judging.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "search/task_pool.hpp"

namespace dugraph {

// What a worker asks of its judge. Ranking (ranking.hpp) is one, with a list of the best behind it.
template <class J>
concept Judge = requires(J& judge, const J& fixed, const std::vector<std::int32_t>& path, const double* x,
                         std::vector<Child<typename J::Mark>>& children, const typename J::Mark& mark,
                         std::int32_t id, std::size_t size) {
    { judge.meet(path, x, children) } -> std::same_as<bool>;   // admitted subgraphs, all at one parent
    { fixed.weigh(x, id) } -> std::same_as<typename J::Mark>;  // of a candidate
    { J::mass(mark) } -> std::convertible_to<double>;          // sum of its containment probabilities
    { fixed.recall(x, id) } -> std::same_as<typename J::Mark>;
    { fixed.closed(mark, size) } -> std::same_as<bool>;
    { fixed.promise(mark) } -> std::convertible_to<double>;
    { fixed.climbs() } -> std::same_as<std::size_t>;
    judge.sharpen();  // before a subgraph is extended
    { fixed.threshold() } -> std::convertible_to<double>;
    { J::bound(mark) } -> std::convertible_to<double>;
    { judge.take_evaluated() } -> std::same_as<std::uint64_t>;
};

}  // namespace dugraph
