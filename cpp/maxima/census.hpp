// A judge that only counts the subgraphs it meets, by size class. O(n) per candidate, nothing per subgraph.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "maxima/relabelings.hpp"
#include "search/control.hpp"
#include "search/rows.hpp"
#include "search/task_pool.hpp"

namespace dugraph {

class Census {
  public:
    struct Mark {
        double mass_of = 0;
    };
    static constexpr bool frequent_first = false;
    using Counts = std::vector<std::atomic<std::int64_t>>;

    Census(const Rows& rows, const Relabelings& test, Counts& counts, const Control& control)
        : rows_(rows), test_(test), counts_(counts), control_(control) {}

    bool meet(const std::vector<std::int32_t>& path, const double*, const Mark&,
              std::vector<Child<Mark>>& children) {
        if (control_.stopped()) return false;
        counts_[test_.size_class(path.size() + 1)].fetch_add(static_cast<std::int64_t>(children.size()),
                                                             std::memory_order_relaxed);
        return true;
    }
    Mark weigh(const double* x, std::int32_t id) const {
        return {product_sum(x, rows_.row(id), rows_.width)};
    }
    static double mass(const Mark& mark) { return mark.mass_of; }
    Mark recall(const double* x, std::int32_t id) const { return weigh(x, id); }
    static bool closed(const Mark&, std::size_t) { return false; }
    static double promise(const Mark& mark) { return mark.mass_of; }
    static std::size_t climbs() { return 0; }
    static bool scouts() { return false; }
    static bool scout(const std::vector<std::int32_t>&, const std::vector<Child<Mark>>&) { return true; }
    void sharpen() {}
    void finish() {}
    static double threshold() { return 0; }
    static double bound(const Mark&) { return 0; }
    static std::uint64_t take_evaluated() { return 0; }

  private:
    const Rows& rows_;
    const Relabelings& test_;
    Counts& counts_;
    const Control& control_;
};

}  // namespace dugraph
