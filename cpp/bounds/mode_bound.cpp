#include "bounds/mode_bound.hpp"

#include <algorithm>
#include <numeric>

#include "graph/rows.hpp"
#include "walk/threads.hpp"

namespace dugraph {

namespace {

// Ratios below this are omitted and compensated for.
constexpr double smallest_ratio = 1e-4;

}  // namespace

// Sums by level; only the levels in use are reset.
struct ModeBound::Bins {
    explicit Bins(std::size_t n_levels) : sum(n_levels) {}
    std::vector<double> sum;
    std::vector<std::int32_t> touched;
};

ModeBound::ModeBound(ClassMass top, const ScoreGrid& score)
    : score_(score),
      pos_(top.pos * (1 + screen_margin), score.rows - 1),
      neg_(top.neg * (1 + screen_margin), score.columns - 1),
      crowded_(score.rows) {
    for (std::size_t a = 0; a < pos_.count; ++a) {
        around_pos_.push_back(ratios_around(score.rows - 1, pos_.low(a), pos_.high(a)));
    }
    for (std::size_t b = 0; b < neg_.count; ++b) {
        around_neg_.push_back(ratios_around(score.columns - 1, neg_.low(b), neg_.high(b)));
    }
    find_crowded();
}

ModeBound::Strips::Strips(double top, std::size_t m)
    : width(std::sqrt(static_cast<double>(m)) / (m < 400 ? 20 : 10)),
      count(static_cast<std::size_t>(top / width) + 1) {}

// To the right the largest mean of a strip has the largest ratios, to the left the smallest one.
ModeBound::Ratios ModeBound::ratios_around(std::size_t m, double low, double high) {
    const auto n = static_cast<double>(m);
    high = std::min(high * (1 + screen_margin), n);
    low *= 1 - screen_margin;
    const auto first = static_cast<std::size_t>(low), last = static_cast<std::size_t>(std::ceil(high));
    double outside = 0;
    // The ratios decrease, so the omitted terms sum to less than a geometric series that starts with the
    // first of them.
    const auto run = [&](std::size_t count, const auto& step_of) {
        std::vector<double> ratios;
        double ratio = 1;
        for (std::size_t s = 0; s < count; ++s) {
            const double step = step_of(static_cast<double>(s));
            ratio *= step;
            if (ratio < smallest_ratio) {
                outside += ratio / (1 - step);
                break;
            }
            ratios.push_back(ratio);
        }
        return ratios;
    };
    const auto right = run(m - last, [&, k = static_cast<double>(last)](double s) {
        return high / (n - high) * ((n - k - s) / (k + s + 1));
    });
    const auto left = run(first, [&, k = static_cast<double>(first)](double s) {
        return (k - s) / (n - k + s + 1) * ((n - low) / low);
    });
    Ratios result{first - left.size(), {left.rbegin(), left.rend()}, 0, outside};
    result.of.insert(result.of.end(), last - first + 1, 1.0);
    result.of.insert(result.of.end(), right.begin(), right.end());
    result.inside = std::accumulate(result.of.begin(), result.of.end(), 0.0);
    return result;
}

// Two cells farther apart than the widest window are never in one window together.
void ModeBound::find_crowded() {
    const auto widest = [](const std::vector<Ratios>& around) {
        std::size_t width = 0;
        for (const Ratios& ratios : around) width = std::max(width, ratios.of.size());
        return width;
    };
    const std::size_t reach_a = widest(around_pos_), reach_b = widest(around_neg_);
    // The cells of each level, row by row.
    const std::size_t n_cells = score_.rows * score_.columns;
    std::vector<std::size_t> begin(score_.n_levels + 1), cells(n_cells);
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        ++begin[static_cast<std::size_t>(score_.level_of[cell]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        cells[next[static_cast<std::size_t>(score_.level_of[cell])]++] = cell;
    const auto close = [&](std::size_t one, std::size_t two) {
        const std::size_t b1 = one % score_.columns, b2 = two % score_.columns;
        return (b1 < b2 ? b2 - b1 : b1 - b2) < reach_b;
    };
    const auto rows_apart = [&](std::size_t one, std::size_t two) {
        return two / score_.columns - one / score_.columns;
    };
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        next[static_cast<std::size_t>(score_.level_of[cell])] = 0;
    for (std::size_t level = 0; level < score_.n_levels; ++level) {
        for (std::size_t k = begin[level]; k < begin[level + 1]; ++k) {
            bool found = false;
            for (std::size_t j = k + 1;
                 !found && j < begin[level + 1] && rows_apart(cells[k], cells[j]) < reach_a; ++j) {
                found = close(cells[k], cells[j]);
            }
            for (std::size_t j = k;
                 !found && j > begin[level] && rows_apart(cells[j - 1], cells[k]) < reach_a; --j) {
                found = close(cells[j - 1], cells[k]);
            }
            if (found) {
                crowded_[cells[k] / score_.columns].push_back(
                    {static_cast<std::int32_t>(cells[k] % score_.columns), static_cast<std::int32_t>(level)});
            }
        }
    }
    for (auto& row : crowded_) {
        std::sort(row.begin(), row.end(),
                  [](const Crowded& x, const Crowded& y) { return x.column < y.column; });
    }
}

// The highest level with a cell that reaches the weight `needed` alone: in the middle, where R is 1, or next
// to it.
std::int32_t ModeBound::alone(const Ratios& a, const Ratios& b, double needed) const {
    std::int32_t best = 0;
    for (std::size_t i = 0; i < a.of.size(); ++i) {
        if (a.of[i] < needed) continue;
        const std::int32_t* row = score_.level_of + (a.begin + i) * score_.columns + b.begin;
        for (std::size_t j = 0; j < b.of.size(); ++j) {
            if (a.of[i] * b.of[j] >= needed) best = std::max(best, row[j]);
        }
    }
    return best;
}

// The highest level above `best` whose cells together reach the weight `needed`, or `best`.
std::int32_t ModeBound::among_crowded(const Ratios& a, const Ratios& b, std::int32_t best, double needed,
                                      Bins& bins) const {
    for (std::size_t i = 0; i < a.of.size(); ++i) {
        const auto& row = crowded_[a.begin + i];
        auto cell = std::lower_bound(
            row.begin(), row.end(), b.begin,
            [](const Crowded& c, std::size_t column) { return static_cast<std::size_t>(c.column) < column; });
        for (; cell != row.end(); ++cell) {
            const std::size_t j = static_cast<std::size_t>(cell->column) - b.begin;
            if (j >= b.of.size()) break;
            if (cell->level <= best) continue;
            double& sum = bins.sum[static_cast<std::size_t>(cell->level)];
            if (sum == 0) bins.touched.push_back(cell->level);
            if ((sum += a.of[i] * b.of[j]) >= needed) best = cell->level;
        }
    }
    for (const std::int32_t level : bins.touched) bins.sum[static_cast<std::size_t>(level)] = 0;
    bins.touched.clear();
    return best;
}

// For every pair of strips the highest level that can be the mode, as far as it is at least `from`.
std::vector<std::int32_t> ModeBound::highest_modes(std::int32_t from, const Workforce& workforce) const {
    // Levels within 1e-12 of the most likely one tie with it (rule 3); a modal cell weighs at least 1 / (rows
    // columns).
    const double tie = screen_margin + 1e-12 * static_cast<double>(score_.rows * score_.columns);
    std::vector<std::int32_t> highest(pos_.count * neg_.count);
    const auto share = static_cast<std::size_t>(workforce.n_threads);
    parallel_for(share, workforce.n_threads, workforce.stop, [&](std::size_t first) {
        Bins bins(score_.n_levels);
        std::vector<double> high(score_.columns);
        for (std::size_t a = first; a < pos_.count && !workforce.stop; a += share) {
            const Ratios& pos = around_pos_[a];
            // Weight of all cells of high level in each column: together they must reach the weight that one
            // level would need.
            std::fill(high.begin(), high.end(), 0.0);
            for (std::size_t i = 0; i < pos.of.size(); ++i) {
                const std::int32_t* row = score_.level_of + (pos.begin + i) * score_.columns;
                for (std::size_t b = 0; b < score_.columns; ++b) high[b] += row[b] >= from ? pos.of[i] : 0.0;
            }
            for (std::size_t b = 0; b < neg_.count; ++b) {
                const Ratios& neg = around_neg_[b];
                const double left_out = pos.outside * (neg.inside + neg.outside) + pos.inside * neg.outside;
                const double needed = 1 - tie - left_out;
                std::int32_t& best = highest[a * neg_.count + b] = alone(pos, neg, needed);
                // Levels above `from` need not be known exactly.
                if (best > from || dot(neg.of.data(), high.data() + neg.begin, neg.of.size()) < needed)
                    continue;
                best = among_crowded(pos, neg, std::max(best, from - 1), needed, bins);
            }
        }
    });
    return highest;
}

std::vector<double> ModeBound::bounds(const MassGrid& grid, std::int32_t level,
                                      const Workforce& workforce) const {
    const std::size_t cells = grid.cells;
    const std::vector<std::int32_t> highest = highest_modes(level, workforce);
    // A cell of the grid takes the highest level of the strips that its means lie in.
    std::vector<double> result(cells * cells);
    std::vector<std::int32_t> along(neg_.count);
    for (std::size_t i = 0; i < cells; ++i) {
        std::fill(along.begin(), along.end(), 0);
        const std::size_t a1 = pos_.of(grid.point_pos(i));
        for (std::size_t a = pos_.of(grid.point_pos(MassGrid::below(i))); a <= a1; ++a) {
            for (std::size_t b = 0; b < neg_.count; ++b)
                along[b] = std::max(along[b], highest[a * neg_.count + b]);
        }
        for (std::size_t j = 0; j < cells; ++j) {
            const auto from =
                along.begin() + static_cast<std::ptrdiff_t>(neg_.of(grid.point_neg(MassGrid::below(j))));
            const auto to = along.begin() + static_cast<std::ptrdiff_t>(neg_.of(grid.point_neg(j)));
            result[i * cells + j] = step_bound(score_, level, *std::max_element(from, to + 1));
        }
    }
    return result;
}

}  // namespace dugraph
