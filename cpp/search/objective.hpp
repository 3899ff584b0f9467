// What the search asks of an objective: bounds that are cheap, and the value itself where they do not decide.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "search/cohort.hpp"
#include "search/top_list.hpp"

namespace dugraph {

// A subgraph as the search holds it: products along its path, good for screening only.
struct Screened {
    const double* x;  // containment probabilities, a padded row
    Mass mass;
    std::size_t size;  // edges
};

// What came of a closer look at a subgraph.
struct Verdict {
    bool may_enter;       // its value may exceed the threshold: to be recomputed exactly
    double subtree_bound;  // of all its proper supergraphs, or +infinity if no bound was asked for
    std::uint64_t programs;  // dynamic programs run
};

// Every bound carries its margin for rounding. `Scratch` holds a thread's work arrays.
template <class T>
concept Objective = requires(T& objective, const T& fixed, typename T::Scratch& scratch, const Mass& mass,
                             const Screened& g, const Threshold& threshold, const std::vector<Mass>& open) {
    { fixed.make_scratch() } -> std::same_as<typename T::Scratch>;
    // Bounds from the expected supports alone, O(1).
    { fixed.own_bound(mass) } -> std::convertible_to<double>;
    { fixed.subtree_bound(mass) } -> std::convertible_to<double>;
    // A closer look: the value screened, and a sharper subtree bound when that is worth its cost.
    { fixed.examine(g, threshold, true, true, scratch) } -> std::same_as<Verdict>;
    // The listed value, from the canonical product.
    { fixed.value(g.x, scratch) } -> std::convertible_to<double>;
    // Whether a subtree that the O(1) bound leaves open should be examined further.
    { fixed.has_program_bound() } -> std::convertible_to<bool>;
    // The threshold has risen: bounds that depend on it may be sharpened.
    objective.raise(threshold);
    // The largest value that an unseen supergraph of subgraphs with these expected supports can have.
    { objective.open_bound(open) } -> std::convertible_to<double>;
};

}  // namespace dugraph
