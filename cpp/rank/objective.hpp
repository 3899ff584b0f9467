// Requirements of a ranking on an objective: a statistic of a subgraph, bounds derived from it, and its
// value.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rank/threshold.hpp"

namespace dugraph {

// A subgraph during the search: products along its path, accurate enough for screening only.
template <class Statistic>
struct Screened {
    const double* x;  // containment probabilities, a padded row
    Statistic statistic;
    std::size_t size;  // edges
};

// Result of a closer examination of a subgraph.
struct Verdict {
    bool may_enter;          // its value may exceed the threshold and must be recomputed exactly
    double subtree_bound;    // of all its proper supergraphs; +infinity if no bound was requested
    std::uint64_t programs;  // dynamic programs run
};

// Work done by a thread. Counted, not timed, so that equal searches on one thread do equal work.
struct Effort {
    std::uint64_t met = 0;       // subgraphs
    std::uint64_t programs = 0;  // dynamic programs run for them
    double spared = 0;           // share of recent subgraphs decided by their own bound
};

// Every bound carries its margin for rounding. An objective may also have
//   bool rules_out(const Screened<Statistic>&, const Threshold&) const
// which decides in O(n), if own_bound is inconclusive, whether the subgraph itself can be excluded without
// examine.
template <class T>
concept Objective = requires(T& objective, const T& fixed, typename T::Scratch& scratch,
                             const typename T::Statistic& statistic, const Screened<typename T::Statistic>& g,
                             const Threshold& threshold, const std::vector<typename T::Statistic>& open) {
    { fixed.make_scratch() } -> std::same_as<typename T::Scratch>;  // a thread's work arrays
    // The statistics of the product of two rows that the bounds need, including its sum over all graphs. O(n)
    // at most, since it is computed for every candidate.
    { fixed.weigh(g.x, g.x) } -> std::same_as<typename T::Statistic>;
    { statistic.mass() } -> std::convertible_to<double>;
    // How promising such subgraphs are; affects only the order of work.
    { fixed.promise(statistic) } -> std::convertible_to<double>;
    // Bounds from the statistic alone, O(1): of the subgraph's own value, and of all its supergraphs'.
    { fixed.own_bound(statistic) } -> std::convertible_to<double>;
    { fixed.subtree_bound(statistic) } -> std::convertible_to<double>;
    // A closer examination: screens the value (first flag), computes a tighter subtree bound (second flag).
    { fixed.examine(g, threshold, true, true, scratch) } -> std::same_as<Verdict>;
    { fixed.has_closer_bound() } -> std::convertible_to<bool>;  // whether examine() has such a bound
    // The listed value, from the canonical product.
    { fixed.value(g.x, scratch) } -> std::convertible_to<double>;
    // Whether bounds are tightened from the first subgraph on; those that depend on the threshold wait until
    // the main search begins.
    { T::one_table } -> std::convertible_to<bool>;
    // Called when the threshold may have risen or work has been done: bounds that depend on either may be
    // tightened.
    objective.raise(threshold, Effort{});
    // Upper bound on the value of unvisited supergraphs of subgraphs with these statistics.
    { objective.open_bound(open) } -> std::convertible_to<double>;
};

}  // namespace dugraph
