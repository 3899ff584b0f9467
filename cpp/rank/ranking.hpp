// The judge of a search: decides whether subgraphs enter the list and whether to extend them. One per thread.
// Each test runs only if the cheaper ones are inconclusive.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "graph/rows.hpp"
#include "rank/objective.hpp"
#include "rank/top_list.hpp"
#include "walk/control.hpp"
#include "walk/task_pool.hpp"

namespace dugraph {

template <Objective T>
class Ranking {
  public:
    // Data of a visited subgraph that is waiting to be extended.
    struct Mark {
        typename T::Statistic statistic;
        double bound = std::numeric_limits<double>::infinity();  // of all its proper supergraphs
    };
    using Path = std::vector<std::int32_t>;
    static constexpr bool frequent_first = false;

    Ranking(const Rows& rows, const Limits& limits, T& objective, TopList& top, const Control& control)
        : rows_(rows),
          limits_(limits),
          objective_(objective),
          top_(top),
          control_(control),
          scratch_(objective.make_scratch()),
          product_(rows.width) {}

    // Called when the subgraphs path + edge of these children have just been visited; x is the row of the
    // path. Enters them into the list if they belong there and bounds their supergraphs. False if stopped.
    bool meet(const Path& path, const double* x, const Mark& own, std::vector<Child<Mark>>& children) {
        for (Child<Mark>& child : children) {
            if (control_.stopped()) return false;
            if constexpr (T::one_table) {
                sharpen();
            } else {
                top_.refresh(threshold_, version_);
            }
            consider(path, x, child.edge, child.mark);
        }
        if (!path.empty()) note_size(own, path.size(), children);
        return true;
    }

    // The mark of a candidate that has not been evaluated yet. O(n).
    Mark weigh(const double* x, std::int32_t id) const { return {objective_.weigh(x, rows_.row(id))}; }
    static double mass(const Mark& mark) { return mark.statistic.mass(); }

    // The mark of a subgraph that was visited before, as far as it is cheap to compute.
    Mark recall(const double* x, std::int32_t id) const {
        Mark mark = weigh(x, id);
        mark.bound = objective_.subtree_bound(mark.statistic);
        return mark;
    }

    // Whether proper supergraphs of a subgraph of this size can no longer enter the list.
    bool closed(const Mark& mark, std::size_t size) const {
        return threshold_.excludes(mark.bound, size + 1);
    }

    // How promising a subgraph is, and how many edges are worth a climb before the main search.
    double promise(const Mark& mark) const { return objective_.promise(mark.statistic); }
    std::size_t climbs() const { return std::clamp<std::size_t>(limits_.n_subgraphs / 2, 16, 256); }

    // Updates the threshold and, at intervals, lets the objective tighten its bounds.
    void sharpen() {
        top_.refresh(threshold_, version_);
        if (++since_raise_ < raise_every) return;
        since_raise_ = 0;
        objective_.raise(threshold_, effort_);
    }

    void finish() {}
    double threshold() const { return threshold_.value; }
    static double bound(const Mark& mark) { return mark.bound; }
    std::uint64_t take_evaluated() { return std::exchange(evaluated_, 0); }

  private:
    void consider(const Path& path, const double* x, std::int32_t id, Mark& mark) {
        const std::size_t size = path.size() + 1;
        mark.bound = objective_.subtree_bound(mark.statistic);
        bool want_value = !threshold_.excludes(objective_.own_bound(mark.statistic), size);
        ++effort_.met;
        effort_.spared += (static_cast<double>(!want_value) - effort_.spared) / remembered;
        const bool open = objective_.has_closer_bound() && size < limits_.max_edges &&
                          !threshold_.excludes(mark.bound, size + 1);
        const bool pays = open && closer_bound_pays(mark);
        if (!want_value && !pays) return;
        store_product(x, rows_.row(id), rows_.width, product_.data());
        if constexpr (requires(const Screened<typename T::Statistic>& g) {
                          objective_.rules_out(g, threshold_);
                      }) {
            want_value =
                want_value && !objective_.rules_out({product_.data(), mark.statistic, size}, threshold_);
        }
        const bool want_bound = pays || (open && want_value);
        if (!want_value && !want_bound) return;
        const Verdict verdict = objective_.examine({product_.data(), mark.statistic, size}, threshold_,
                                                   want_value, want_bound, scratch_);
        evaluated_ += verdict.programs;
        effort_.programs += verdict.programs;
        mark.bound = std::min(mark.bound, verdict.subtree_bound);
        if (want_bound) note_closer_bound(mark, closed(mark, size));
        if (verdict.may_enter) enter(path, id);
    }

    void enter(const Path& path, std::int32_t id) {
        std::vector<std::int32_t> edges = canonical(path, id);
        ++evaluated_;
        top_.offer({objective_.value(product_.data(), scratch_), std::move(edges)});
    }

    // The canonical edges of path + edge; their product is in product_.
    std::vector<std::int32_t> canonical(const Path& path, std::int32_t id) {
        sorted_ = path;
        sorted_.push_back(id);
        rows_.canonical_product(sorted_, product_.data());
        std::vector<std::int32_t> edges;
        for (const std::int32_t edge : sorted_) edges.push_back(rows_.canonical[edge]);
        return edges;
    }

    // For "worldwise" the closer bound is the only one. For "mass" it is used if the O(1) bound leaves a
    // subtree open and a dynamic program runs anyway, or if the subtree that it may prune is worth a program.
    bool closer_bound_pays(const Mark& mark) {
        if (limits_.bound == Bound::worldwise) return true;
        Slack& at = slack_of(mark);
        const double share = (at.cut + 1) / (at.tried + 2);
        const double programs = effort_.met > 0 ? static_cast<double>(effort_.programs) / effort_.met : 1;
        return share * (at.below + 0.25) * (met_cost + programs) > 1 || ++at.asked % 64 == 0;
    }
    void note_closer_bound(const Mark& mark, bool cut) {
        Slack& at = slack_of(mark);
        at.tried += 1;
        at.cut += cut;
        if (at.tried >= 256) {  // exponential decay: deeper parts of the search may differ
            at.tried /= 2;
            at.cut /= 2;
        }
    }

    // Estimates the number of subgraphs below one with this slack of the mass, from the number of its
    // children and the numbers expected below them.
    void note_size(const Mark& own, std::size_t size, const std::vector<Child<Mark>>& children) {
        double below = 0;
        for (const Child<Mark>& child : children)
            below += closed(child.mark, size + 1) ? 1 : 1 + slack_of(child.mark).below;
        double& expected = slack_of(own).below;
        expected += (std::min(below, most_below) - expected) / 64;
    }

    // Statistics of subgraphs with this slack of the mass.
    struct Slack {
        double tried = 0, cut = 0, below = 1;
        std::uint64_t asked = 0;
    };
    Slack& slack_of(const Mark& mark) {
        const double share =
            (mark.statistic.mass() - rows_.surely_not) / rows_.surely_not;  // may be infinite
        return slack_[static_cast<std::size_t>(std::clamp(share * 32, 0.0, n_slacks - 1.0))];
    }

    static constexpr std::size_t n_slacks = 64;
    static constexpr double most_below = 1e6;
    static constexpr double met_cost = 0.15;   // of a visited subgraph, in programs
    static constexpr int raise_every = 16;     // subgraphs
    static constexpr double remembered = 256;  // subgraphs

    const Rows& rows_;
    const Limits& limits_;
    T& objective_;
    TopList& top_;
    const Control& control_;
    typename T::Scratch scratch_;
    AlignedVector<double> product_;
    Path sorted_;
    Threshold threshold_;
    std::uint64_t version_ = 0, evaluated_ = 0;
    std::array<Slack, n_slacks> slack_;
    int since_raise_ = raise_every;  // immediately: earlier parts may have left something
    Effort effort_;
};

}  // namespace dugraph
