// The mass bound during a search: a table by expected supports that is built when it is expected to pay off,
// and rebuilt on a finer grid or for a higher level later. Look-ups are O(1).
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "bounds/mass_table.hpp"
#include "rank/objective.hpp"

namespace dugraph {

class MassBound {
  public:
    // Which tables are built: none, a coarse one before finer ones, or only the finest, if coarser grids
    // would take as long.
    enum class Grids { none, coarse_first, finest };
    // Bounds per cell of a grid against a level, if they are steps against one.
    using CellBounds = std::function<std::vector<double>(const MassGrid&, const Workforce&)>;

    MassBound(const MassDomain& domain, Grids grids, Workforce workforce);
    MassBound(const MassBound&) = delete;

    double own(const ClassMass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->own(mass) : std::numeric_limits<double>::infinity();
    }
    double subtree(const ClassMass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->subtree(mass) : std::numeric_limits<double>::infinity();
    }

    // Builds a better table for this level if it costs a small share of the work done so far. `bounds` is
    // called by one thread at a time.
    void sharpen(std::int32_t level, const Effort& effort, const CellBounds& bounds);

    // The largest subtree bound of open subgraphs against a level, with the table in use where it serves.
    double largest(const std::vector<ClassMass>& open, std::int32_t level, const CellBounds& bounds) const;

  private:
    std::unique_ptr<const MassTable> make(std::size_t cells, const CellBounds& bounds,
                                          const Workforce& workforce) const;
    double cost(std::size_t cells) const;  // of a table, in seconds, roughly
    double cost(const Effort& effort) const;

    const MassDomain domain_;
    const bool in_use_;
    const Workforce workforce_;
    const std::size_t finest_, coarsest_;  // cells along a side of the grid

    std::atomic<const MassTable*> table_{nullptr};
    std::vector<std::unique_ptr<const MassTable>> tables_;  // includes old ones, which threads may be reading
    std::mutex sharpening_;
    bool was_finest_ = false;      // whether there has been a table on the finest grid
    double spent_ = 0, next_ = 0;  // work of the tables so far, and of the search before the next one
    std::atomic<std::int32_t> level_{-1};
    std::atomic<std::size_t> cells_{0};
};

}  // namespace dugraph
