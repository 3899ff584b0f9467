#include "search/window_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/envelope.hpp"
#include "search/parallel.hpp"
#include "search/rows.hpp"

namespace dugraph {

namespace {

// A distribution on a few supports.
struct Atoms {
    std::vector<std::size_t> at;
    std::vector<double> mass;
};

// Bins of a quarter of a standard deviation next to the mean, and ever wider ones far from it. The masses of
// a bin go to its far end: up for a law above the mean, down for one below it.
Atoms outward(const Law& law, std::size_t m, bool high) {
    constexpr double fineness = 4;
    constexpr std::size_t narrow = 20;  // bins
    const std::size_t size = law.mass.size();
    const auto near = static_cast<double>(high ? law.begin : law.begin + size - 1);
    const double deviation = std::sqrt(near * (1 - near / static_cast<double>(m)));
    auto width = std::max<std::size_t>(1, static_cast<std::size_t>(deviation / fineness));
    Atoms atoms;
    for (std::size_t k = 0; k < size;) {
        const std::size_t end = std::min(size, k + (atoms.at.size() ? width : 1));
        double mass = 0;
        for (; k < end; ++k) mass += law.mass[high ? k : size - 1 - k];
        atoms.at.push_back(high ? law.begin + end - 1 : law.begin + size - end);
        atoms.mass.push_back(mass);
        if (atoms.at.size() > narrow) width *= 2;
    }
    return atoms;
}

// Envelope laws at every point of one side of the grid, in a form made from each.
template <class Form>
struct Envelopes {
    Envelopes(const MassGrid& grid, bool positives, double cut, const Form& form) {
        const std::size_t m = positives ? grid.n_pos : grid.n_neg;
        for (std::size_t i = 0; i < grid.cells; ++i) {
            const double mean =
                std::min(positives ? grid.point_pos(i) : grid.point_neg(i), static_cast<double>(m));
            const Law above = high_law(m, mean, cut), below = low_law(m, mean, cut);
            high.push_back(form(above, m, true));
            low.push_back(form(below, m, false));
            missing_high.push_back(above.missing);
            missing_low.push_back(below.missing);
        }
    }
    std::vector<decltype(std::declval<Form>()(Law{}, 0, true))> high, low;
    std::vector<double> missing_high, missing_low;
};

// Probabilities of the supports before each one, or from it on.
struct Cumulated {
    std::size_t begin;
    std::vector<double> sums;
    double before(std::size_t b) const { return b <= begin ? 0 : sums[std::min(b - begin, sums.size() - 1)]; }
    double from(std::size_t b) const {
        return b <= begin ? sums[0] : sums[std::min(b - begin, sums.size() - 1)];
    }
};

}  // namespace

std::vector<double> window_tails(const MassGrid& grid, const NamedScore& score, double s, double cut,
                                 const Workforce& workforce) {
    const std::size_t cells = grid.cells;
    std::vector<std::size_t> left(grid.n_pos + 1), right(grid.n_pos + 1);
    Staircase reached(score, s, 0, grid.n_neg + 1);
    for (std::size_t a = 0; a <= grid.n_pos; ++a) {
        reached.step_to(a);
        left[a] = reached.left;
        right[a] = reached.right;
    }
    const auto as_it_is = [](const Law& law, std::size_t, bool) { return law; };
    // f+ falls in b, so it meets the low law: b < left; f- the high one: b >= right.
    const auto cumulated = [](const Law& law, std::size_t, bool high) {
        Cumulated sums{law.begin, std::vector<double>(law.mass.size() + 1)};
        if (high) {
            std::partial_sum(law.mass.rbegin(), law.mass.rend(), sums.sums.rbegin() + 1);
        } else {
            std::partial_sum(law.mass.begin(), law.mass.end(), sums.sums.begin() + 1);
        }
        return sums;
    };
    const Envelopes pos(grid, true, cut, as_it_is);
    const Envelopes neg(grid, false, cut, cumulated);
    std::vector<double> result(cells * cells);
    parallel_for(cells, workforce.n_threads, workforce.stop, [&](std::size_t i) {
        const Law &high = pos.high[i], &low = pos.low[MassGrid::below(i)];
        for (std::size_t j = 0; j < cells; ++j) {
            const Cumulated &b_low = neg.low[MassGrid::below(j)], &b_high = neg.high[j];
            double sum = pos.missing_high[i] + pos.missing_low[MassGrid::below(i)] + neg.missing_high[j] +
                         neg.missing_low[MassGrid::below(j)];
            for (std::size_t k = 0; k < high.mass.size(); ++k)
                sum += high.mass[k] * b_low.before(left[high.begin + k]);
            for (std::size_t k = 0; k < low.mass.size(); ++k)
                sum += low.mass[k] * b_high.from(right[low.begin + k]);
            result[i * cells + j] = sum;
        }
    });
    return result;
}

std::vector<double> window_expectation(const MassGrid& grid, const NamedScore& score,
                                       const Workforce& workforce) {
    constexpr double cut = 1e-20;
    const std::size_t cells = grid.cells;
    const Envelopes pos(grid, true, cut, outward), neg(grid, false, cut, outward);
    std::vector<double> result(cells * cells);
    parallel_for(cells, workforce.n_threads, workforce.stop, [&](std::size_t i) {
        // `falling`: the side on which f falls in b, where f+ is f, or the other one, where f- is.
        const auto average = [&](const Atoms& a, const Atoms& b, bool falling) {
            double sum = 0;
            for (std::size_t k = 0; k < a.at.size(); ++k) {
                double row = 0;
                for (std::size_t l = 0; l < b.at.size(); ++l) {
                    if ((b.at[l] < score.falling(a.at[k])) == falling)
                        row += b.mass[l] * score(a.at[k], b.at[l]);
                }
                sum += a.mass[k] * row;
            }
            return sum;
        };
        const std::size_t below_i = MassGrid::below(i);
        for (std::size_t j = 0; j < cells; ++j) {
            const std::size_t below_j = MassGrid::below(j);
            const double missing = pos.missing_high[i] + pos.missing_low[below_i] + neg.missing_high[j] +
                                   neg.missing_low[below_j];
            result[i * cells + j] = average(pos.high[i], neg.low[below_j], true) +
                                    average(pos.low[below_i], neg.high[j], false) + missing * score.top();
        }
    });
    return result;
}

std::vector<double> window_certain(const MassGrid& grid, const NamedScore& score) {
    const auto low = [](double mean) {
        return static_cast<std::size_t>(std::ceil(std::max(0.0, mean - screen_margin)));
    };
    const auto high = [](double mean, std::size_t m) {
        return std::min(static_cast<std::size_t>(std::floor(mean + screen_margin)), m);
    };
    std::vector<double> result;
    for (std::size_t i = 0; i < grid.cells; ++i) {
        const std::size_t a0 = std::min(low(grid.point_pos(MassGrid::below(i))), grid.n_pos),
                          a1 = high(grid.point_pos(i), grid.n_pos);
        for (std::size_t j = 0; j < grid.cells; ++j) {
            const std::size_t b0 = std::min(low(grid.point_neg(MassGrid::below(j))), grid.n_neg),
                              b1 = high(grid.point_neg(j), grid.n_neg);
            // Largest where one support is largest and the other one smallest.
            result.push_back(std::max(score(a1, b0), score(a0, b1)));
        }
    }
    return result;
}

std::vector<double> least_modal_probability(const MassGrid& grid) {
    // Of a whole number with variance v the most likely value has a probability of at least 1 / sqrt(1 + 12
    // v).
    const auto least = [&](double low, double high, std::size_t m) {
        const auto n = static_cast<double>(m);
        const double mean = std::clamp(n / 2, low, std::max(low, high));
        const double variance = std::max(0.0, mean * (1 - std::min(1.0, mean / n)));
        return 1 / std::sqrt(1 + 12 * variance * (1 + screen_margin));
    };
    std::vector<double> result;
    for (std::size_t i = 0; i < grid.cells; ++i) {
        const double pos = least(grid.point_pos(MassGrid::below(i)), grid.point_pos(i), grid.n_pos);
        for (std::size_t j = 0; j < grid.cells; ++j)
            result.push_back(pos * least(grid.point_neg(MassGrid::below(j)), grid.point_neg(j), grid.n_neg));
    }
    return result;
}

}  // namespace dugraph
