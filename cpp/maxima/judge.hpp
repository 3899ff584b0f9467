// The judge of a significance test: computes the statistics of subgraphs under all relabelings. One per
// thread.
//
// Per subgraph O(n rows) in single precision, rows being contrasts times relabelings; a recomputation in
// canonical double precision, O(n), only if a statistic may exceed the current maximum.
#pragma once

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "maxima/columns.hpp"
#include "maxima/tally.hpp"
#include "walk/control.hpp"
#include "walk/task_pool.hpp"

namespace dugraph {

template <class Tally>
class MaximaJudge {
  public:
    struct Mark {
        double mass_of = 0;
    };
    using Path = std::vector<std::int32_t>;
    using Excluded = std::set<std::vector<std::int32_t>>;  // canonical edges
    // Frequent subgraphs have larger statistics, and high maxima early on make recomputations unnecessary.
    static constexpr bool frequent_first = true;

    MaximaJudge(const Rows& rows, const TestView& view, const Excluded& excluded, Tally& tally,
                const Control& control)
        : rows_(rows),
          view_(view),
          excluded_(excluded),
          tally_(tally),
          control_(control),
          floors_(view.test),
          waiting_(rows, view, at_once),
          close_(rows, view),
          products_(at_once * rows_at_once) {}

    // Subgraphs are collected and multiplied in batches, which is faster.
    bool meet(const Path& path, const double* x, const Mark&, const std::vector<Child<Mark>>& children) {
        if (control_.stopped()) return false;
        for (const Child<Mark>& child : children) {
            waiting_.add(path, x, child.edge);
            if (!waiting_.full()) continue;
            if (control_.stopped()) return false;
            finish();
        }
        tally_.count(view_.test.size_class(path.size() + 1), children.size());
        return true;
    }

    // Processes the remaining batch.
    void finish() {
        floors_.refresh(tally_);
        // Pieces of rows that fit into the cache and belong to one contrast.
        for (std::size_t contrast = 0; contrast < view_.test.n_contrasts; ++contrast) {
            const std::size_t end = (contrast + 1) * view_.test.n_relabelings;
            for (std::size_t first = contrast * view_.test.n_relabelings; first < end;
                 first += rows_at_once) {
                const std::size_t n_rows = std::min(rows_at_once, end - first);
                float_products(view_.screen.row(first), n_rows, waiting_.data(), waiting_.count(),
                               view_.screen.width(), products_.data());
                for (std::size_t k = 0; k < waiting_.count(); ++k)
                    look_for_larger(waiting_.ids(k), contrast, first, products_.data() + k * n_rows, n_rows,
                                    waiting_.facts(k, contrast));
            }
        }
        waiting_.clear();
    }

    Mark weigh(const double* x, std::int32_t id) const {
        return {product_sum(x, rows_.row(id), rows_.width)};
    }
    static double mass(const Mark& mark) { return mark.mass_of; }
    Mark recall(const double* x, std::int32_t id) const { return weigh(x, id); }

    static bool closed(const Mark&, std::size_t) { return false; }  // every subgraph counts
    double promise(const Mark& mark) const { return mark.mass_of; }
    static std::size_t climbs() { return 0; }
    void sharpen() {}
    static double threshold() { return 0; }
    static double bound(const Mark&) { return std::numeric_limits<double>::infinity(); }
    std::uint64_t take_evaluated() { return std::exchange(evaluated_, 0); }

  private:
    void look_for_larger(const Path& ids, std::size_t contrast, std::size_t first_row, const float* products,
                         std::size_t n_rows, const Columns::Facts& facts) {
        if (facts.denominator == 0) return;
        const std::size_t size_class = view_.test.size_class(ids.size());
        const float* floors = floors_.of_class(size_class) + first_row;
        if (!any_larger(products, floors, n_rows, facts)) return;
        double denominator = 0;
        for (std::size_t k = 0; k < n_rows; ++k) {
            if (view_.test.numerator(products[k]) + facts.margin < floors[k] * facts.denominator) continue;
            if (denominator == 0) {
                close_.at(ids);
                const auto by = close_.square(contrast);
                if (by.is_zero() || excluded_.contains(close_.edges())) return;
                denominator = std::sqrt(by.value);
            }
            offer(size_class, contrast, first_row + k, denominator);
        }
    }

    // Branch-free, so that the compiler can vectorise it.
    bool any_larger(const float* products, const float* floors, std::size_t n,
                    const Columns::Facts& facts) const {
        const Relabelings test = view_.test;
        int any = 0;
        for (std::size_t k = 0; k < n; ++k)
            any |= test.numerator(products[k]) + facts.margin >= floors[k] * facts.denominator;
        return any;
    }

    void offer(std::size_t size_class, std::size_t contrast, std::size_t row, double denominator) {
        ++evaluated_;
        const std::size_t relabeling = row - contrast * view_.test.n_relabelings;
        tally_.offer({size_class, contrast, relabeling, close_.statistic(row, denominator), close_.edges()});
        floors_.raise(size_class, relabeling, tally_.floor(size_class, relabeling));
    }

    static constexpr std::size_t at_once = 48, rows_at_once = 32;

    const Rows& rows_;
    const TestView& view_;
    const Excluded& excluded_;
    Tally& tally_;
    const Control& control_;
    Floors floors_;
    Columns waiting_;
    CloseLook close_;
    std::vector<float> products_;
    std::uint64_t evaluated_ = 0;
};

}  // namespace dugraph
