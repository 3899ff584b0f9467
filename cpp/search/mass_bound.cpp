#include "search/mass_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

// All tables together may take this share of the search's time: little, until they are seen to help. Where
// the search is about to end, little is lost.
constexpr double first_share = 0.1, share_if_useless = 0.15, share_if_useful = 0.6;
// Cells along a side of the grid.
constexpr std::size_t finest = 257, coarsest = 33;

}  // namespace

MassBound::MassBound(ClassMass top, std::size_t n_pos, std::size_t n_neg, double limit, bool in_use,
                     bool coarse_is_cheap, Workforce workforce, CellBounds cell_bounds)
    : top_(top),
      n_pos_(n_pos),
      n_neg_(n_neg),
      limit_(limit),
      in_use_(in_use),
      workforce_(workforce),
      cell_bounds_(std::move(cell_bounds)),
      finest_(std::min(finest, MassGrid::enough_cells(n_pos + n_neg))),
      coarsest_(coarse_is_cheap ? std::min(coarsest, finest_) : finest_),
      // What cannot be tried on a coarse grid is tried as if it were cheap, once.
      slowness_(coarse_is_cheap ? 1 : 0.1) {}

// Of the envelope laws' sums on one thread, roughly; what the first table teaches corrects it.
MassBound::Seconds MassBound::expected(std::size_t cells) const {
    const auto window = [](std::size_t m) {
        return std::min(static_cast<double>(m + 1), 9 * std::sqrt(static_cast<double>(m)));
    };
    const double pos = window(n_pos_), neg = window(n_neg_), side = static_cast<double>(cells);
    const double sums = side * (2 * pos * static_cast<double>(n_neg_) + 2 * side * neg);
    return Seconds(slowness_ * (3e-10 * sums + 4e-8 * side * (pos + neg)));
}

std::unique_ptr<const MassTable> MassBound::make(std::size_t cells, std::int32_t level,
                                                 const Workforce& workforce) const {
    const MassGrid grid(top_, n_pos_, n_neg_, limit_, cells);
    auto table = std::make_unique<const MassTable>(grid, cell_bounds_(grid, level, workforce));
    return workforce.stop ? nullptr : std::move(table);  // a table cut short means nothing
}

void MassBound::sharpen(std::int32_t level, double spared) {
    const auto is_best = [&] {
        return level == level_.load(std::memory_order_relaxed) &&
               cells_.load(std::memory_order_relaxed) == finest_;
    };
    if (!in_use_ || is_best()) return;
    const std::unique_lock lock(sharpening_, std::try_to_lock);
    if (!lock.owns_lock() || is_best()) return;
    const auto begin = Clock::now();
    const double share =
        table_.load() ? share_if_useless + (share_if_useful - share_if_useless) * spared : first_share;
    const Seconds allowed = share * (begin - started_) - spent_;
    std::size_t cells = finest_;
    while (cells > coarsest_ && expected(cells) > allowed) cells = (cells + 1) / 2;
    if (expected(cells) > allowed || (level == level_ && cells <= cells_)) return;
    std::unique_ptr<const MassTable> table = make(cells, level, workforce_);
    if (!table) return;
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
    level_ = level;
    cells_ = cells;
    const Seconds took = Clock::now() - begin;
    slowness_ *= took / expected(cells);
    spent_ += took;
}

double MassBound::largest(const std::vector<ClassMass>& open, std::int32_t level) {
    const MassTable* table = level == level_ ? table_.load() : nullptr;
    std::unique_ptr<const MassTable> made;
    if (!table) {
        const std::atomic<bool> go_on{false};  // the search has been stopped, this has not
        made = make((finest_ + 1) / 2, level, {workforce_.n_threads, go_on});
        table = made.get();
    }
    double most = -std::numeric_limits<double>::infinity();
    for (const ClassMass& mass : open) most = std::max(most, table->subtree(mass));
    return most;
}

}  // namespace dugraph
