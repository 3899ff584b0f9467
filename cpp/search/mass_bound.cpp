#include "search/mass_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

// All tables together may take this share of the search's work: little, until they are seen to help. Where
// the search is about to end, little is lost.
constexpr double first_share = 0.1, share_if_useless = 0.15, share_if_useful = 0.6;
// A coarse table that does not help says little about the finest one, which is worth this share once.
constexpr double share_of_finest = 0.6;
// Work grows by this factor between two tables: old ones are kept, so there must be few.
constexpr double pause = 1.1;
// Cells along a side of the grid.
constexpr std::size_t finest = 257, coarsest = 33;

}  // namespace

MassBound::MassBound(ClassMass top, std::size_t n_pos, std::size_t n_neg, double limit, bool in_use,
                     bool coarse_is_cheap, Workforce workforce, CellBounds cell_bounds, Past past)
    : top_(top),
      n_pos_(n_pos),
      n_neg_(n_neg),
      limit_(limit),
      in_use_(in_use),
      workforce_(workforce),
      cell_bounds_(std::move(cell_bounds)),
      finest_(std::min(finest, MassGrid::enough_cells(n_pos + n_neg))),
      coarsest_(coarse_is_cheap ? std::min(coarsest, finest_) : finest_),
      past_(past) {
    if (in_use_ && past_.tables) earned_ = past_.tables->take();
}

MassBound::~MassBound() {
    if (!in_use_ || !past_.tables) return;
    if (!tables_.empty()) {
        earned_.table = std::move(tables_.back());
        earned_.level = level_;
        earned_.cells = cells_;
    }
    past_.tables->put(std::move(earned_));
}

// Sums over the envelope laws; tables of the mode take about as long.
double MassBound::cost(std::size_t cells) const {
    const auto window = [](std::size_t m) {
        return std::min(static_cast<double>(m + 1), 9 * std::sqrt(static_cast<double>(m)));
    };
    const double pos = window(n_pos_), neg = window(n_neg_), side = static_cast<double>(cells);
    return 1.5e-10 * side * (2 * pos * static_cast<double>(n_neg_) + 2 * side * neg) +
           2e-8 * side * (pos + neg);
}

// A program in a window, and the rows of a subgraph.
double MassBound::cost(const Effort& effort) const {
    const auto n = static_cast<double>(n_pos_ + n_neg_);
    return static_cast<double>(effort.programs) * (1e-6 + 1.3e-9 * n * std::sqrt(n)) +
           static_cast<double>(effort.met) * (2e-7 + 1e-9 * n);
}

std::unique_ptr<const MassTable> MassBound::make(std::size_t cells, double level,
                                                 const Workforce& workforce) const {
    const MassGrid grid(top_, n_pos_, n_neg_, limit_, cells);
    auto table = std::make_unique<const MassTable>(grid, cell_bounds_(grid, level, workforce));
    return workforce.stop ? nullptr : std::move(table);  // a table cut short means nothing
}

void MassBound::use(std::unique_ptr<const MassTable> table, double level, std::size_t cells) {
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
    level_ = level;
    cells_ = cells;
}

void MassBound::sharpen(double level, const Effort& effort) {
    const auto is_best = [&] {
        return level == level_.load(std::memory_order_relaxed) &&
               cells_.load(std::memory_order_relaxed) == finest_;
    };
    if (!in_use_ || is_best()) return;
    const std::unique_lock lock(sharpening_, std::try_to_lock);
    if (!lock.owns_lock() || is_best()) return;
    // A table of steps against a level says nothing about lower ones.
    if (earned_.table && level >= earned_.level) {
        use(std::move(earned_.table), earned_.level, earned_.cells);
        if (is_best()) return;
    }
    const double share =
        table_.load() ? share_if_useless + (share_if_useful - share_if_useless) * effort.spared : first_share;
    const double done = cost(effort) + cost({past_.met, past_.programs, 0});
    const double allowed = share * done - earned_.spent;
    if (done < earned_.next) return;
    std::size_t cells = finest_;
    if (earned_.was_finest || cost(finest_) > share_of_finest * done - earned_.spent) {
        while (cells > coarsest_ && cost(cells) > allowed) cells = (cells + 1) / 2;
        if (cost(cells) > allowed || (level == level_ && cells <= cells_)) return;
    }
    std::unique_ptr<const MassTable> table = make(cells, level, workforce_);
    if (!table) return;
    use(std::move(table), level, cells);
    earned_.table.reset();
    earned_.was_finest = earned_.was_finest || cells == finest_;
    earned_.spent += cost(cells);
    earned_.next = pause * done;
}

double MassBound::largest(const std::vector<ClassMass>& open, double level) {
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
