#include "measures/score_grid.hpp"

#include <algorithm>

namespace dugraph {

namespace {

// Running maximum over the table in place: along a from the start or from the end, then along b likewise.
void run_maximum(std::vector<std::int32_t>& table, std::size_t rows, std::size_t columns, bool a_from_end,
                 bool b_from_end) {
    for (std::size_t step = 1; step < rows; ++step) {
        const std::size_t a = a_from_end ? rows - 1 - step : step;
        const std::size_t before = a_from_end ? a + 1 : a - 1;
        for (std::size_t b = 0; b < columns; ++b) {
            table[a * columns + b] = std::max(table[a * columns + b], table[before * columns + b]);
        }
    }
    for (std::size_t a = 0; a < rows; ++a) {
        std::int32_t* row = table.data() + a * columns;
        for (std::size_t step = 1; step < columns; ++step) {
            const std::size_t b = b_from_end ? columns - 1 - step : step;
            row[b] = std::max(row[b], row[b_from_end ? b + 1 : b - 1]);
        }
    }
}

}  // namespace

ScoreGrid::ScoreGrid(const ClassScore& score, std::size_t n_pos, std::size_t n_neg)
    : rows(n_pos + 1),
      columns(n_neg + 1),
      levels(score.levels),
      n_levels(score.n_levels),
      level_of(score.level_of) {}

const std::vector<std::int32_t>& ScoreGrid::worldwise() const {
    std::call_once(worldwise_made_, [&] {
        worldwise_.assign(level_of, level_of + rows * columns);
        run_maximum(worldwise_, rows, columns, false, false);
    });
    return worldwise_;
}

const MonotoneTables& ScoreGrid::monotone() const {
    std::call_once(monotone_made_, [&] { monotone_ = make_monotone(); });
    return monotone_;
}

MonotoneTables ScoreGrid::make_monotone() const {
    std::vector<std::int32_t> rising(level_of, level_of + rows * columns), falling = rising;
    run_maximum(rising, rows, columns, false, true);
    run_maximum(falling, rows, columns, true, false);
    const auto is_score = [&](const std::vector<std::int32_t>& table) {
        return std::equal(table.begin(), table.end(), level_of);
    };
    // A one-sided score, such as confidence, is its own monotone table, and the other one may be lowest
    // everywhere.
    if (is_score(rising)) {
        std::fill(falling.begin(), falling.end(), 0);
    } else if (is_score(falling)) {
        std::fill(rising.begin(), rising.end(), 0);
    } else {
        // Two-sided: f+ covers the supports with a larger share in the positives, f- the others.
        for (std::size_t a = 0; a < rows; ++a) {
            for (std::size_t b = 0; b < columns; ++b) {
                const std::size_t cell = a * columns + b;
                const bool positive = a * (columns - 1) >= b * (rows - 1);
                rising[cell] = positive ? level_of[cell] : 0;
                falling[cell] = positive ? 0 : level_of[cell];
            }
        }
        run_maximum(rising, rows, columns, false, true);
        run_maximum(falling, rows, columns, true, false);
    }
    return {std::move(rising), std::move(falling)};
}

std::vector<double> ScoreGrid::values(const std::vector<std::int32_t>& table,
                                      const std::vector<double>& value_of_level) {
    std::vector<double> result(table.size());
    std::transform(table.begin(), table.end(), result.begin(),
                   [&](std::int32_t level) { return value_of_level[static_cast<std::size_t>(level)]; });
    return result;
}

}  // namespace dugraph
