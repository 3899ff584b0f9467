#include "bounds/mass_table.hpp"

#include <algorithm>
#include <limits>

#include "bounds/envelope.hpp"
#include "graph/rows.hpp"
#include "walk/threads.hpp"

namespace dugraph {

namespace {

// Laws at every point of one side of the grid.
template <class MakeLaw, class Point>
std::vector<Law> laws(std::size_t cells, std::size_t m, double cut, MakeLaw make, Point point) {
    std::vector<Law> result;
    for (std::size_t i = 0; i < cells; ++i) {
        result.push_back(make(m, std::min(point(i), static_cast<double>(m)), cut));
    }
    return result;
}

double largest(const std::vector<double>& table) { return *std::max_element(table.begin(), table.end()); }

}  // namespace

MassGrid::MassGrid(const MassDomain& domain, std::size_t cells_along)
    : n_pos(domain.n_pos), n_neg(domain.n_neg), cells(cells_along), limit_(domain.limit) {
    const auto steps = static_cast<double>((cells - 1) * (cells - 1));
    // A class in which all edges have mass 0 has a grid too.
    factor_pos_ = steps / std::max(domain.top.pos * (1 + screen_margin), 1e-9);
    factor_neg_ = steps / std::max(domain.top.neg * (1 + screen_margin), 1e-9);
}

MassTable::MassTable(const MassGrid& grid, std::vector<double> own) : grid_(grid), own_(std::move(own)) {
    const std::size_t cells = grid.cells;
    subtree_.resize(own_.size());
    for (std::size_t i = 0; i < cells; ++i) {
        for (std::size_t j = 0; j < cells; ++j) {
            double most =
                grid.admissible(i, j) ? own_[i * cells + j] : -std::numeric_limits<double>::infinity();
            if (i > 0) most = std::max(most, subtree_[(i - 1) * cells + j]);
            if (j > 0) most = std::max(most, subtree_[i * cells + j - 1]);
            subtree_[i * cells + j] = most;
        }
    }
}

std::vector<double> envelope_expectation(const MassGrid& grid, const std::vector<double>& rising,
                                         const std::vector<double>& falling, double cut,
                                         const Workforce& workforce) {
    const std::size_t columns = grid.n_neg + 1, cells = grid.cells;
    const auto at_pos = [&](std::size_t i) { return grid.point_pos(i); };
    const auto at_neg = [&](std::size_t j) { return grid.point_neg(j); };
    const std::vector<Law> high_pos = laws(cells, grid.n_pos, cut, high_law, at_pos),
                           low_pos = laws(cells, grid.n_pos, cut, low_law, at_pos);
    const std::vector<Law> high_neg = laws(cells, grid.n_neg, cut, high_law, at_neg),
                           low_neg = laws(cells, grid.n_neg, cut, low_law, at_neg);
    const double top_rising = largest(rising), top_falling = largest(falling);
    // Supports of the negatives that any law reaches.
    std::size_t first = columns, last = 0;
    for (const auto* side : {&high_neg, &low_neg}) {
        for (const Law& law : *side) {
            first = std::min(first, law.begin);
            last = std::max(last, law.begin + law.mass.size());
        }
    }
    std::vector<double> result(cells * cells);
    parallel_for(cells, workforce.n_threads, workforce.stop, [&](std::size_t i) {
        // E g+(high, b) and E g-(low, b) for every b, then over the laws of b.
        std::vector<double> plus(columns), minus(columns);
        const Law &high = high_pos[i], &low = low_pos[MassGrid::below(i)];
        const auto average = [&](const Law& law, const std::vector<double>& table, std::vector<double>& to) {
            for (std::size_t k = 0; k < law.mass.size(); ++k) {
                const double* row = table.data() + (law.begin + k) * columns;
                for (std::size_t b = first; b < last; ++b) to[b] += law.mass[k] * row[b];
            }
        };
        average(high, rising, plus);
        average(low, falling, minus);
        for (std::size_t j = 0; j < cells; ++j) {
            const Law &b_low = low_neg[MassGrid::below(j)], &b_high = high_neg[j];
            result[i * cells + j] = dot(b_low.mass.data(), plus.data() + b_low.begin, b_low.mass.size()) +
                                    (high.missing + b_low.missing) * top_rising +
                                    dot(b_high.mass.data(), minus.data() + b_high.begin, b_high.mass.size()) +
                                    (low.missing + b_high.missing) * top_falling;
        }
    });
    return result;
}

std::vector<double> certain_values(const MassGrid& grid, const std::vector<double>& table) {
    const std::size_t cells = grid.cells, columns = grid.n_neg + 1;
    // Integer supports from `first` to `last`, with a small margin on either side for the rounding of the
    // grid points.
    struct Range {
        std::size_t first, last;
    };
    const auto ranges = [&](std::size_t m, auto point) {
        std::vector<Range> result;
        for (std::size_t i = 0; i < cells; ++i) {
            const double low = std::ceil(std::max(0.0, point(MassGrid::below(i)) - screen_margin));
            const double high = std::floor(point(i) + screen_margin);
            result.push_back({static_cast<std::size_t>(low), std::min(static_cast<std::size_t>(high), m)});
        }
        return result;
    };
    const auto pos = ranges(grid.n_pos, [&](std::size_t i) { return grid.point_pos(i); });
    const auto neg = ranges(grid.n_neg, [&](std::size_t j) { return grid.point_neg(j); });
    std::vector<double> result(cells * cells, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < cells; ++i) {
        for (std::size_t j = 0; j < cells; ++j) {
            for (std::size_t a = pos[i].first; a <= pos[i].last; ++a) {
                for (std::size_t b = neg[j].first; b <= neg[j].last; ++b) {
                    result[i * cells + j] = std::max(result[i * cells + j], table[a * columns + b]);
                }
            }
        }
    }
    return result;
}

std::vector<double> quantile_bounds(const MassGrid& grid, const ScoreGrid& score, std::int32_t level,
                                    double quantile, const Workforce& workforce) {
    std::vector<double> bounds(grid.cells * grid.cells, step_bound(score, level, level - 1));
    for (const std::int32_t from : {level, level + 1}) {
        if (from == static_cast<std::int32_t>(score.n_levels)) break;
        std::vector<double> counts(score.n_levels, 0.0);
        std::fill(counts.begin() + from, counts.end(), 1.0);
        const std::vector<double> tail =
            envelope_expectation(grid, score.values(score.monotone().rising, counts),
                                 score.values(score.monotone().falling, counts), 1e-16, workforce);
        for (std::size_t i = 0; i < tail.size(); ++i) {
            if (tail[i] * (1 + screen_margin) + probability_margin >= 1 - quantile)
                bounds[i] = step_bound(score, level, from);
        }
    }
    return bounds;
}

}  // namespace dugraph
