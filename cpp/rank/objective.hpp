// What a ranking asks of an objective: statistic of a subgraph, bounds from it, judgement of its value.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rank/threshold.hpp"

namespace dugraph {

// A subgraph as the search holds it: products along its path, good for screening only.
template <class Statistic>
struct Screened {
    const double* x;  // containment probabilities, a padded row
    Statistic statistic;
    std::size_t size;  // edges
};

// What came of a closer look at a subgraph.
struct Verdict {
    bool may_enter;          // its value may exceed the threshold: to be recomputed exactly
    double subtree_bound;    // of all its proper supergraphs; +infinity if no bound was asked for
    std::uint64_t programs;  // dynamic programs run
};

// What a thread has done so far. Counted, not timed: so that on one thread equal searches do equal work.
struct Effort {
    std::uint64_t met = 0;       // subgraphs
    std::uint64_t programs = 0;  // dynamic programs run for them
    double spared = 0;           // share of the last subgraphs whose own bound spared a closer look
};

// Every bound carries its margin for rounding. An objective may also have
//   bool rules_out(const Screened<Statistic>&, const Threshold&) const
// which says in O(n) that the subgraph itself cannot enter, where own_bound left that open: it spares
// examine.
template <class T>
concept Objective = requires(T& objective, const T& fixed, typename T::Scratch& scratch,
                             const typename T::Statistic& statistic, const Screened<typename T::Statistic>& g,
                             const Threshold& threshold, const std::vector<typename T::Statistic>& open) {
    { fixed.make_scratch() } -> std::same_as<typename T::Scratch>;  // a thread's work arrays
    // What the bounds need to know of the product of two rows, its sum over all graphs among it. O(n) at
    // most: it is asked at every candidate.
    { fixed.weigh(g.x, g.x) } -> std::same_as<typename T::Statistic>;
    { statistic.mass() } -> std::convertible_to<double>;
    // How good such subgraphs look; only the order of work depends on it.
    { fixed.promise(statistic) } -> std::convertible_to<double>;
    // Bounds from the statistic alone, O(1): of the subgraph's own value, and of all its supergraphs'.
    { fixed.own_bound(statistic) } -> std::convertible_to<double>;
    { fixed.subtree_bound(statistic) } -> std::convertible_to<double>;
    // A closer look: the value screened (first flag), a sharper subtree bound (second flag).
    { fixed.examine(g, threshold, true, true, scratch) } -> std::same_as<Verdict>;
    { fixed.has_closer_bound() } -> std::convertible_to<bool>;  // whether examine() has such a bound
    // The listed value, from the canonical product.
    { fixed.value(g.x, scratch) } -> std::convertible_to<double>;
    // Whether bounds are sharpened from the first subgraph on; those that depend on the threshold wait until
    // the search proper has begun with a good one.
    { T::one_table } -> std::convertible_to<bool>;
    // The threshold may have risen, work has been done: bounds that depend on either may be sharpened.
    objective.raise(threshold, Effort{});
    // The largest value that an unseen supergraph of subgraphs with these statistics can have.
    { objective.open_bound(open) } -> std::convertible_to<double>;
};

}  // namespace dugraph
