#include "bounds/mass_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

// Share of the work that all tables together may take: small until they are known to help, so that little is
// lost in a short search.
constexpr double first_share = 0.1, share_if_useless = 0.15, share_if_useful = 0.6;
// A coarse table that does not help says little about the finest one, which may take this share once.
constexpr double share_of_finest = 0.6;
// The work grows by this factor between two tables; old tables are kept, so there must be few.
constexpr double pause = 1.1;
// Cells along a side of the grid.
constexpr std::size_t finest = 257, coarsest = 33;

}  // namespace

MassBound::MassBound(const MassDomain& domain, Grids grids, Workforce workforce)
    : domain_(domain),
      in_use_(grids != Grids::none),
      workforce_(workforce),
      finest_(std::min(finest, MassGrid::enough_cells(domain.n_pos + domain.n_neg))),
      coarsest_(grids == Grids::coarse_first ? std::min(coarsest, finest_) : finest_) {}

// Sums over the envelope laws; tables of the mode take about as long.
double MassBound::cost(std::size_t cells) const {
    const auto window = [](std::size_t m) {
        return std::min(static_cast<double>(m + 1), 9 * std::sqrt(static_cast<double>(m)));
    };
    const double pos = window(domain_.n_pos), neg = window(domain_.n_neg), side = static_cast<double>(cells);
    return 1.5e-10 * side * (2 * pos * static_cast<double>(domain_.n_neg) + 2 * side * neg) +
           2e-8 * side * (pos + neg);
}

// A program in a window, and the rows of a subgraph.
double MassBound::cost(const Effort& effort) const {
    const auto n = static_cast<double>(domain_.n_pos + domain_.n_neg);
    return static_cast<double>(effort.programs) * (1e-6 + 1.3e-9 * n * std::sqrt(n)) +
           static_cast<double>(effort.met) * (2e-7 + 1e-9 * n);
}

std::unique_ptr<const MassTable> MassBound::make(std::size_t cells, const CellBounds& bounds,
                                                 const Workforce& workforce) const {
    const MassGrid grid(domain_, cells);
    auto table = std::make_unique<const MassTable>(grid, bounds(grid, workforce));
    return workforce.stop ? nullptr : std::move(table);  // an unfinished table is invalid
}

void MassBound::sharpen(std::int32_t level, const Effort& effort, const CellBounds& bounds) {
    const auto is_best = [&] {
        return level == level_.load(std::memory_order_relaxed) &&
               cells_.load(std::memory_order_relaxed) == finest_;
    };
    if (!in_use_ || is_best()) return;
    const std::unique_lock lock(sharpening_, std::try_to_lock);
    if (!lock.owns_lock() || is_best()) return;
    const double done = cost(effort);
    if (done < next_) return;
    const double share =
        table_.load() ? share_if_useless + (share_if_useful - share_if_useless) * effort.spared : first_share;
    const double allowed = share * done - spent_;
    std::size_t cells = finest_;
    if (was_finest_ || cost(finest_) > share_of_finest * done - spent_) {
        while (cells > coarsest_ && cost(cells) > allowed) cells = (cells + 1) / 2;
        if (cost(cells) > allowed || (level == level_ && cells <= cells_)) return;
    }
    std::unique_ptr<const MassTable> table = make(cells, bounds, workforce_);
    if (!table) return;
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
    level_ = level;
    cells_ = cells;
    was_finest_ = was_finest_ || cells == finest_;
    spent_ += cost(cells);
    next_ = pause * done;
}

double MassBound::largest(const std::vector<ClassMass>& open, std::int32_t level,
                          const CellBounds& bounds) const {
    const MassTable* table = level == level_ ? table_.load() : nullptr;
    std::unique_ptr<const MassTable> made;
    if (!table) {
        const std::atomic<bool> go_on{false};  // the search was stopped, this computation was not
        made = make((finest_ + 1) / 2, bounds, {workforce_.n_threads, go_on});
        table = made.get();
    }
    double most = -std::numeric_limits<double>::infinity();
    for (const ClassMass& mass : open) most = std::max(most, table->subtree(mass));
    return most;
}

}  // namespace dugraph
