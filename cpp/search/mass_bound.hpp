// The mass bound in use during a search: a table by expected supports that is made when it begins to pay, and
// made anew, on a finer grid or for a higher level, as the search goes on. Look-ups are O(1).
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "search/mass_table.hpp"
#include "search/objective.hpp"
#include "search/problem.hpp"

namespace dugraph {

// A table that serves from its level on, and what tables have cost so far.
struct EarnedTable {
    std::unique_ptr<const MassTable> table;
    double level = std::numeric_limits<double>::quiet_NaN();  // that of no table
    std::size_t cells = 0;
    bool was_finest = false;     // whether there has been a table on the finest grid
    double spent = 0, next = 0;  // work of the tables so far, and of the search before the next one
};

// What a slice of a search leaves to the next one. Of slices at the same time, the first one gets it.
class KeptTables {
  public:
    EarnedTable take() {
        const std::lock_guard lock(access_);
        return std::exchange(kept_, EarnedTable{});
    }
    void put(EarnedTable kept) {
        const std::lock_guard lock(access_);
        kept_ = std::move(kept);
    }

  private:
    std::mutex access_;
    EarnedTable kept_;
};

class MassBound {
  public:
    // Bounds per cell of a grid, of which those of quantile and mode are steps against a level: its number in
    // a table of levels, or its score.
    using CellBounds = std::function<std::vector<double>(const MassGrid&, double level, const Workforce&)>;

    // `top`: no subgraph has larger expected supports. `in_use`: whether there are to be tables at all.
    // `coarse_is_cheap`: whether coarser grids take less time.
    MassBound(ClassMass top, std::size_t n_pos, std::size_t n_neg, double limit, bool in_use,
              bool coarse_is_cheap, Workforce workforce, CellBounds cell_bounds, Past past = {});
    MassBound(const MassBound&) = delete;
    ~MassBound();

    double own(const ClassMass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->own(mass) : std::numeric_limits<double>::infinity();
    }
    double subtree(const ClassMass& mass) const {
        const MassTable* table = table_.load(std::memory_order_acquire);
        return table ? table->subtree(mass) : std::numeric_limits<double>::infinity();
    }

    // A better table, if there is one to be had for a small share of the work done so far.
    void sharpen(double level, const Effort& effort);

    // The largest subtree bound of open subgraphs against a level; with the table in use where it serves.
    double largest(const std::vector<ClassMass>& open, double level);

  private:
    std::unique_ptr<const MassTable> make(std::size_t cells, double level, const Workforce& workforce) const;
    double cost(std::size_t cells) const;  // of a table, in seconds, roughly
    double cost(const Effort& effort) const;
    void use(std::unique_ptr<const MassTable> table, double level, std::size_t cells);

    const ClassMass top_;
    const std::size_t n_pos_, n_neg_;
    const double limit_;
    const bool in_use_;
    const Workforce workforce_;
    const CellBounds cell_bounds_;
    const std::size_t finest_, coarsest_;  // cells along a side of the grid
    const Past past_;

    std::atomic<const MassTable*> table_{nullptr};
    std::vector<std::unique_ptr<const MassTable>> tables_;  // old ones too: threads may be reading them
    std::mutex sharpening_;
    // Those of the table in use; the table in here is one of an earlier slice, until its level is reached.
    EarnedTable earned_;
    std::atomic<double> level_{std::numeric_limits<double>::quiet_NaN()};
    std::atomic<std::size_t> cells_{0};
};

}  // namespace dugraph
