// Which level can be the mode: Newton's inequalities around the modes of the two supports. See
// docs/search.md.
//
// Around its mode k* a support over m graphs falls at least as fast as the binomial with that mode:
//   d(k*+s) <= d(k*) R(k*+s),  R = product of ((k*+1)/(m-k*)) ((m-j)/(j+1)) to the right, likewise to the
//   left.
// A level can be the mode of the score only if its cells (a, b) together reach the weight of the modal cell
// (a*, b*): sum of R(a) R(b) >= 1.
#include <algorithm>
#include <numeric>

#include "search/cohort.hpp"
#include "search/mass_table.hpp"
#include "search/parallel.hpp"

namespace dugraph {

namespace {

// Ratios below this are left out; what they could add is allowed for.
constexpr double smallest_ratio = 1e-5;

struct Ratios {
    std::size_t begin = 0;
    std::vector<double> of;
    double inside = 0;   // sum of the ratios kept
    double outside = 0;  // at least the sum of those left out
};

Ratios ratios_around(std::size_t m, std::size_t mode) {
    const auto n = static_cast<double>(m), top = static_cast<double>(mode);
    double outside = 0;
    // The steps fall as they go on, so what is left out sums to less than a geometric series from the first
    // of it.
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
    const auto right =
        run(m - mode, [&](double s) { return (top + 1) / (n - top) * ((n - top - s) / (top + s + 1)); });
    const auto left =
        run(mode, [&](double s) { return (top - s) / (n - top + s + 1) * ((n - top + 1) / top); });
    Ratios result{mode - left.size(), {left.rbegin(), left.rend()}, 0, outside};
    result.of.push_back(1);
    result.of.insert(result.of.end(), right.begin(), right.end());
    result.inside = std::accumulate(result.of.begin(), result.of.end(), 0.0);
    return result;
}

// Reuses one array of bins, cleaned by the list of the bins touched.
class LevelSums {
  public:
    explicit LevelSums(std::size_t n_levels) : sum_(n_levels) {}

    // The highest level whose cells reach the weight 1 - slack.
    std::int32_t highest(const ScoreGrid& score, const std::vector<bool>& alone, const Ratios& a,
                         const Ratios& b, std::int32_t modal_level, double slack) {
        std::int32_t best = modal_level;
        for (std::size_t i = 0; i < a.of.size(); ++i) {
            const std::int32_t* row = score.level_of + (a.begin + i) * score.columns + b.begin;
            for (std::size_t j = 0; j < b.of.size(); ++j) {
                const std::int32_t level = row[j];
                if (level <= best) continue;
                const double weight = a.of[i] * b.of[j];
                if (weight >= 1 - slack) {
                    best = level;
                } else if (!alone[static_cast<std::size_t>(level)]) {
                    if (sum_[static_cast<std::size_t>(level)] == 0) touched_.push_back(level);
                    if ((sum_[static_cast<std::size_t>(level)] += weight) >= 1 - slack) best = level;
                }
            }
        }
        for (const std::int32_t level : touched_) sum_[static_cast<std::size_t>(level)] = 0;
        touched_.clear();
        return best;
    }

  private:
    std::vector<double> sum_;
    std::vector<std::int32_t> touched_;
};

}  // namespace

std::vector<double> mode_levels(const MassGrid& grid, const ScoreGrid& score, const Workforce& workforce) {
    const std::size_t cells = grid.cells;
    std::vector<std::int32_t> cells_of(score.n_levels);
    for (std::size_t cell = 0; cell < score.rows * score.columns; ++cell) ++cells_of[score.level_of[cell]];
    std::vector<bool> alone(score.n_levels);
    std::transform(cells_of.begin(), cells_of.end(), alone.begin(), [](std::int32_t n) { return n == 1; });

    const auto last = [](double top, std::size_t m) {
        return std::min(static_cast<std::size_t>(std::ceil(top)), m);
    };
    const std::size_t rows = last(grid.point_pos(cells - 1), grid.n_pos) + 1;
    const std::size_t columns = last(grid.point_neg(cells - 1), grid.n_neg) + 1;
    std::vector<Ratios> ratios_neg;
    for (std::size_t b = 0; b < columns; ++b) ratios_neg.push_back(ratios_around(grid.n_neg, b));

    // Levels within 1e-12 of the most likely one tie with it (rule 3), and a modal cell weighs at least 1 /
    // (rows columns).
    const double tie = screen_margin + 1e-12 * static_cast<double>(score.rows * score.columns);
    std::vector<std::int32_t> highest(rows * columns);
    parallel_for(rows, workforce.n_threads, workforce.stop, [&](std::size_t a) {
        LevelSums bins(score.n_levels);
        const Ratios ratios_pos = ratios_around(grid.n_pos, a);
        for (std::size_t b = 0; b < columns; ++b) {
            const Ratios& other = ratios_neg[b];
            const double left_out =
                ratios_pos.outside * (other.inside + other.outside) + ratios_pos.inside * other.outside;
            highest[a * columns + b] = bins.highest(score, alone, ratios_pos, other,
                                                    score.level_of[a * score.columns + b], tie + left_out);
        }
    });

    // A cell of the grid takes the highest level of the modes it may have: from the floor of its lower mean
    // to the ceiling of its upper mean (Darroch).
    std::vector<double> result(cells * cells);
    parallel_for(cells, workforce.n_threads, workforce.stop, [&](std::size_t i) {
        const auto a0 = static_cast<std::size_t>(grid.point_pos(MassGrid::below(i)));
        const std::size_t a1 = last(grid.point_pos(i), rows - 1);
        std::vector<std::int32_t> along(columns);
        for (std::size_t b = 0; b < columns; ++b) {
            for (std::size_t a = std::min(a0, rows - 1); a <= a1; ++a)
                along[b] = std::max(along[b], highest[a * columns + b]);
        }
        for (std::size_t j = 0; j < cells; ++j) {
            const auto b0 = static_cast<std::size_t>(grid.point_neg(MassGrid::below(j)));
            const std::size_t b1 = last(grid.point_neg(j), columns - 1);
            const auto from = along.begin() + static_cast<std::ptrdiff_t>(std::min(b0, columns - 1));
            result[i * cells + j] =
                score.levels[*std::max_element(from, along.begin() + static_cast<std::ptrdiff_t>(b1) + 1)];
        }
    });
    return result;
}

}  // namespace dugraph
