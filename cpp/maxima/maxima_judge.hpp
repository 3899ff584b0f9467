// One thread's judgement of subgraphs for a test: their statistics under all relabelings at once, where they
// go, and to which relabelings their supergraphs can still matter.
//
// Per subgraph O(n rows) in single precision, rows being contrasts times relabelings that are still alive; a
// closer look in canonical doubles, O(n), only where a statistic may exceed what is there.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "maxima/columns.hpp"
#include "maxima/tally.hpp"
#include "search/control.hpp"
#include "search/task_pool.hpp"

namespace dugraph {

template <class Tally>
class MaximaJudge {
  public:
    // A row (contrast and relabeling) to which supergraphs can still matter, and how far they can reach.
    struct Alive {
        std::int32_t row;
        float reach;
    };
    struct Mark {
        double mass_of = 0;
        double reach = std::numeric_limits<double>::infinity();  // of supergraphs, under any labels
        std::shared_ptr<const std::vector<Alive>> alive;         // null: all rows
    };
    using Path = std::vector<std::int32_t>;
    using Excluded = std::set<std::vector<std::int32_t>>;  // canonical edges
    // Frequent subgraphs have the larger statistics, and maxima that are high early spare the rare ones.
    static constexpr bool frequent_first = true;

    // least_mass: subgraphs of a smaller sum of containment probabilities are passed over.
    MaximaJudge(const Rows& rows, const TestView& view, const Excluded& excluded, std::size_t max_edges,
                double least_mass, Tally& tally, const Control& control)
        : rows_(rows),
          view_(view),
          excluded_(excluded),
          max_edges_(max_edges),
          least_mass_(least_mass),
          tally_(tally),
          control_(control),
          floors_(view.test, view.reach.squared(), view.reach.knows_labels()),
          waiting_(rows, view, at_once),
          now_(rows, view, at_once),
          close_(rows, view),
          products_(at_once * rows_at_once),
          alive_(at_once),
          all_rows_(view.test.n_rows()) {
        std::iota(all_rows_.begin(), all_rows_.end(), 0);
        floors_.refresh(tally_);
    }

    // Where bounds of single relabelings are likely to spare work below, subgraphs are looked at now; else
    // they wait for company, since many at once are multiplied faster.
    bool meet(const Path& path, const double* x, const Mark& parent, std::vector<Child<Mark>>& children) {
        const bool extended = path.size() + 1 < max_edges_ && view_.reach.knows_labels();
        const std::size_t size_class = view_.test.size_class(path.size() + 2);
        const float usual_floor = floors_.median(size_class);
        present_.clear();
        for (Child<Mark>& child : children) {
            if (child.mark.mass_of < least_mass_) {
                child.mark.reach = -1;
                continue;
            }
            if (parent.alive || (extended && child.mark.mass_of > worth_bounding * rows_.limit &&
                                 view_.reach.usual(child.mark.mass_of) < usual_floor)) {
                present_.push_back(&child);
                continue;
            }
            if (control_.stopped()) return false;
            child.mark.reach = waiting_.add(path, x, child.edge, false);
            if (waiting_.full()) finish();
        }
        ids_.clear();
        if (parent.alive) {
            for (const Alive& alive : *parent.alive) ids_.push_back(alive.row);
        }
        const std::vector<std::int32_t>& ids = parent.alive ? ids_ : all_rows_;
        for (std::size_t first = 0; first < present_.size(); first += at_once) {
            if (control_.stopped()) return false;
            const std::size_t end = std::min(first + at_once, present_.size());
            now_.clear();
            for (std::size_t k = first; k < end; ++k)
                present_[k]->mark.reach = now_.add(path, x, present_[k]->edge, extended);
            look_at(now_, ids, extended ? floors_.of_supergraphs(size_class) : nullptr);
            for (std::size_t k = first; extended && k < end; ++k)
                keep_alive(alive_[k - first], ids.size(), parent, present_[k]->mark);
        }
        return true;
    }

    // Looks at what still waits.
    void finish() {
        look_at(waiting_, all_rows_, nullptr);
        waiting_.clear();
    }

    Mark weigh(const double* x, std::int32_t id) const {
        return {product_sum(x, rows_.row(id), rows_.width), std::numeric_limits<double>::infinity(), {}};
    }
    static double mass(const Mark& mark) { return mark.mass_of; }
    Mark recall(const double* x, std::int32_t id) const { return weigh(x, id); }

    // Whether no proper supergraph of a subgraph of this size can matter to any relabeling.
    bool closed(const Mark& mark, std::size_t size) const {
        const std::size_t size_class = view_.test.size_class(size + 1);
        if (mark.reach < floors_.lowest(size_class)) return true;
        if (!mark.alive) return false;
        const float* floors = floors_.of_supergraphs(size_class);
        return std::all_of(mark.alive->begin(), mark.alive->end(),
                           [&](const Alive& alive) { return alive.reach < floors[alive.row]; });
    }

    double promise(const Mark& mark) const { return mark.mass_of; }
    static std::size_t climbs() { return 0; }
    static bool scouts() { return false; }
    static bool scout(const Path&, const std::vector<Child<Mark>>&) { return true; }
    void sharpen() {}
    static double threshold() { return 0; }
    static double bound(const Mark& mark) { return mark.reach; }
    std::uint64_t take_evaluated() { return std::exchange(evaluated_, 0); }

  private:
    // The statistics of these subgraphs in these rows; and, given the floors of supergraphs, the rows to
    // which those can still matter.
    void look_at(const Columns& columns, const std::vector<std::int32_t>& ids, const float* floors_below) {
        // Not for every handful of rows: it goes through all of them.
        if ((looked_ += ids.size() * columns.count()) >= all_rows_.size()) {
            floors_.refresh(tally_);
            looked_ = 0;
        }
        for (std::size_t k = 0; k < columns.count(); ++k) alive_[k].clear();
        for (std::size_t first = 0; first < ids.size();) {
            // Rows in pieces that stay in the cache, and that do not mix contrasts.
            const std::size_t contrast = static_cast<std::size_t>(ids[first]) / view_.test.n_relabelings;
            const auto next = static_cast<std::int32_t>((contrast + 1) * view_.test.n_relabelings);
            std::size_t end = std::min(first + rows_at_once, ids.size());
            while (ids[end - 1] >= next) --end;
            const std::int32_t* rows = ids.data() + first;
            const std::size_t n_rows = end - first;
            float_products(view_.screen.rows(), rows, n_rows, columns.data(), columns.count(),
                           view_.screen.width(), products_.data());
            for (std::size_t k = 0; k < columns.count(); ++k) {
                const Columns::Facts& facts = columns.facts(k, contrast);
                const float* products = products_.data() + k * n_rows;
                look_for_larger(columns.ids(k), contrast, rows, products, n_rows, facts);
                if (floors_below) note_alive(rows, products, n_rows, facts.reach, floors_below, alive_[k]);
            }
            first = end;
        }
    }

    void look_for_larger(const Path& ids, std::size_t contrast, const std::int32_t* rows,
                         const float* products, std::size_t n_rows, const Columns::Facts& facts) {
        if (facts.denominator == 0) return;
        const std::size_t size_class = view_.test.size_class(ids.size());
        const float* floors = floors_.of_class(size_class);
        const bool together = static_cast<std::size_t>(rows[n_rows - 1] - rows[0]) == n_rows - 1;
        if (together && !any_larger(products, floors + rows[0], n_rows, facts)) return;
        double denominator = 0;
        for (std::size_t k = 0; k < n_rows; ++k) {
            if (std::fabs(products[k]) + facts.margin < floors[rows[k]] * facts.denominator) continue;
            if (denominator == 0) {
                close_.at(ids);
                const auto by = close_.square(contrast);
                if (by.is_zero() || excluded_.contains(close_.edges())) return;
                denominator = std::sqrt(by.value);
            }
            offer(size_class, contrast, static_cast<std::size_t>(rows[k]), denominator);
        }
    }

    // Without a jump, for the compiler to make vectors of it.
    static bool any_larger(const float* products, const float* floors, std::size_t n,
                           const Columns::Facts& facts) {
        int any = 0;
        for (std::size_t k = 0; k < n; ++k)
            any |= std::fabs(products[k]) + facts.margin >= floors[k] * facts.denominator;
        return any;
    }

    void offer(std::size_t size_class, std::size_t contrast, std::size_t row, double denominator) {
        ++evaluated_;
        const std::size_t relabeling = row - contrast * view_.test.n_relabelings;
        tally_.offer({size_class, contrast, relabeling, close_.statistic(row, denominator), close_.edges()});
        floors_.raise(size_class, relabeling, tally_.floor(size_class, relabeling));
    }

    static void note_alive(const std::int32_t* rows, const float* products, std::size_t n_rows,
                           const Reach::ByLabel& reach, const float* floors, std::vector<Alive>& alive) {
        const auto up = static_cast<float>(1 + Floors::rounding);
        const auto slope1 = static_cast<float>(reach.first.slope), at1 = static_cast<float>(reach.first.at_0);
        const auto slope2 = static_cast<float>(reach.second.slope),
                   at2 = static_cast<float>(reach.second.at_0);
        for (std::size_t k = 0; k < n_rows; ++k) {
            const float most = std::max(slope1 * products[k] + at1, slope2 * products[k] + at2) * up;
            if (most >= floors[rows[k]]) alive.push_back({rows[k], most});
        }
    }

    // Lists that leave out little are not worth their memory.
    static void keep_alive(const std::vector<Alive>& alive, std::size_t n_rows, const Mark& parent,
                           Mark& mark) {
        const bool useful = alive.size() * 2 <= n_rows;
        mark.alive = useful ? std::make_shared<const std::vector<Alive>>(alive) : parent.alive;
    }

    // Subgraphs closer to the limit of frequency have few supergraphs.
    static constexpr double worth_bounding = 1.5;
    static constexpr std::size_t at_once = 48, rows_at_once = 32;

    const Rows& rows_;
    const TestView& view_;
    const Excluded& excluded_;
    const std::size_t max_edges_;
    const double least_mass_;
    Tally& tally_;
    const Control& control_;
    Floors floors_;
    Columns waiting_, now_;
    CloseLook close_;
    std::vector<float> products_;
    std::vector<std::vector<Alive>> alive_;
    std::vector<std::int32_t> all_rows_, ids_;
    std::vector<Child<Mark>*> present_;  // those looked at now
    std::uint64_t evaluated_ = 0;
    std::size_t looked_ = 0;  // products since the floors were refreshed
};

}  // namespace dugraph
