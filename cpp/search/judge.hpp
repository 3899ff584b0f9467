// One thread's judgement of subgraphs: admitted or not, into the list or not, worth extending or not. Every
// test is tried only where the cheaper ones have not decided.
#pragma once

#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include "search/cohort.hpp"
#include "search/task_pool.hpp"
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
    bool may_enter;          // its value may exceed the threshold: to be recomputed exactly
    double subtree_bound;    // of all its proper supergraphs; +infinity if no bound was asked for
    std::uint64_t programs;  // dynamic programs run
};

// What the search asks of an objective. Every bound carries its margin for rounding.
template <class T>
concept Objective = requires(T& objective, const T& fixed, typename T::Scratch& scratch, const Mass& mass,
                             const Screened& g, const Threshold& threshold, const std::vector<Mass>& open) {
    { fixed.make_scratch() } -> std::same_as<typename T::Scratch>;  // a thread's work arrays
    // How good subgraphs with these expected supports look; only the order of work depends on it.
    { fixed.promise(mass) } -> std::convertible_to<double>;
    // Bounds from the expected supports alone, O(1).
    { fixed.own_bound(mass) } -> std::convertible_to<double>;
    { fixed.subtree_bound(mass) } -> std::convertible_to<double>;
    // A closer look: the value screened (first flag), a sharper subtree bound (second flag).
    { fixed.examine(g, threshold, true, true, scratch) } -> std::same_as<Verdict>;
    { fixed.has_program_bound() } -> std::convertible_to<bool>;  // whether examine() has such a bound
    // The listed value, from the canonical product and its mass.
    { fixed.value(g.x, mass, scratch) } -> std::convertible_to<double>;
    // The threshold has risen: bounds that depend on it may be sharpened.
    objective.raise(threshold);
    // The largest value that an unseen supergraph of subgraphs with these expected supports can have.
    { objective.open_bound(open) } -> std::convertible_to<double>;
};

template <Objective T>
class Judge {
  public:
    Judge(const Input& input, const Cohort& cohort, T& objective, TopList& top)
        : input_(input),
          cohort_(cohort),
          objective_(objective),
          top_(top),
          scratch_(objective.make_scratch()),
          product_(cohort.shape.size()) {}

    // Whether g + id is admitted, from its mass along the path; by the canonical product where that is too
    // close.
    bool admitted(const Mass& mass, const std::vector<std::int32_t>& path, std::int32_t id) {
        if (mass.total() > cohort_.surely_admitted) return true;
        if (mass.total() <= cohort_.surely_not) return false;
        set_sorted(path, id);
        return cohort_.admitted(cohort_.canonical_product(sorted_, product_.data()));
    }

    // g + id has just been met, x being the row of g (none for a single edge): enters it into the list if it
    // belongs there and bounds its supergraphs.
    Child consider(const std::vector<std::int32_t>& path, const double* x, std::int32_t id,
                   const Mass& mass) {
        const std::size_t size = path.size() + 1;
        top_.refresh(threshold_, version_);
        Child child{id, mass, objective_.subtree_bound(mass)};
        const bool want_value = !threshold_.excludes(objective_.own_bound(mass), size);
        const bool want_bound = objective_.has_program_bound() && size < input_.max_edges &&
                                !threshold_.excludes(child.bound, size + 1) && program_pays();
        if (!want_value && !want_bound) return child;
        const double* row = cohort_.row(id);
        if (x) {
            store_product(x, row, cohort_.shape.pos, cohort_.shape.neg, product_.data());
            row = product_.data();
        }
        const Verdict verdict =
            objective_.examine({row, mass, size}, threshold_, want_value, want_bound, scratch_);
        evaluated_ += verdict.programs;
        child.bound = std::min(child.bound, verdict.subtree_bound);
        if (want_bound) note_program(closed(child, size));
        if (verdict.may_enter) enter(path, id);
        return child;
    }

    // Whether no proper supergraph of a child of this size can enter the list any more.
    bool closed(const Child& child, std::size_t size) const {
        return threshold_.excludes(child.bound, size + 1);
    }

    // Bounds that depend on the threshold may be sharpened now.
    void sharpen() {
        top_.refresh(threshold_, version_);
        objective_.raise(threshold_);
    }

    double threshold() const { return threshold_.value; }
    std::uint64_t take_evaluated() { return std::exchange(evaluated_, 0); }

  private:
    void enter(const std::vector<std::int32_t>& path, std::int32_t id) {
        set_sorted(path, id);
        const Mass mass = cohort_.canonical_product(sorted_, product_.data());
        ++evaluated_;
        Entry entry{objective_.value(product_.data(), mass, scratch_), {}};
        for (const std::int32_t edge : sorted_) entry.edges.push_back(cohort_.canonical[edge]);
        top_.offer(std::move(entry));
    }

    void set_sorted(const std::vector<std::int32_t>& path, std::int32_t id) {
        sorted_ = path;
        sorted_.push_back(id);
    }

    // For "worldwise" the program bound is the bound. For "mass" it is tried where the O(1) bound leaves a
    // subtree open, as long as it cuts often enough to pay for its programs.
    bool program_pays() {
        if (input_.bound == Bound::worldwise) return true;
        ++asked_;
        return tried_ < 256 || cut_ * 2 > tried_ || asked_ % 64 == 0;
    }
    void note_program(bool cut) {
        ++tried_;
        cut_ += cut;
        if (tried_ == 4096) {  // forget slowly: deeper parts of the search may differ
            tried_ /= 2;
            cut_ /= 2;
        }
    }

    const Input& input_;
    const Cohort& cohort_;
    T& objective_;
    TopList& top_;
    typename T::Scratch scratch_;
    AlignedVector<double> product_;
    std::vector<std::int32_t> sorted_;
    Threshold threshold_;
    std::uint64_t version_ = 0, evaluated_ = 0, asked_ = 0, tried_ = 0, cut_ = 0;
};

}  // namespace dugraph
