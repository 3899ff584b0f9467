// The goals of a search: one factory for each.
#include "goals.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

namespace dugraph::bindings {

bool HeldGoal::fits(std::size_t n_graphs) const {
    if (weights) return weights->shape(0) == n_graphs;
    if (contrasts) return contrasts->shape(1) == n_graphs;
    return !score || score->positive.shape(0) == n_graphs;
}

namespace {

template <class G>
HeldGoal with_score(G goal, const In<std::uint8_t, 1>& positive, const In<std::int32_t, 2>& level_of,
                    const In<double, 1>& levels) {
    const std::size_t n = positive.shape(0);
    const auto n_pos = static_cast<std::size_t>(
        std::count_if(positive.data(), positive.data() + n, [](std::uint8_t p) { return p != 0; }));
    if (level_of.shape(0) != n_pos + 1 || level_of.shape(1) != n - n_pos + 1)
        throw std::invalid_argument("the score table needs n_pos + 1 rows and n_neg + 1 columns");
    if (levels.shape(0) == 0) throw std::invalid_argument("a score needs a level");
    const auto n_levels = static_cast<std::int32_t>(levels.shape(0));
    if (std::any_of(level_of.data(), level_of.data() + level_of.size(),
                    [&](std::int32_t level) { return level < 0 || level >= n_levels; }))
        throw std::invalid_argument("the score table has a level out of range");
    static_cast<ClassScore&>(goal) = {positive.data(), level_of.data(), levels.data(), levels.shape(0)};
    return {goal, ScoreArrays{positive, level_of, levels}, {}, {}, {}};
}

HeldGoal expectation(const In<std::uint8_t, 1>& positive, const In<std::int32_t, 2>& level_of,
                     const In<double, 1>& levels) {
    return with_score(Expectation{}, positive, level_of, levels);
}

HeldGoal phi_probability(const In<std::uint8_t, 1>& positive, const In<std::int32_t, 2>& level_of,
                         const In<double, 1>& levels, std::int32_t first_level) {
    PhiProbability goal;
    goal.first_level = first_level;
    return with_score(goal, positive, level_of, levels);
}

HeldGoal quantile(const In<std::uint8_t, 1>& positive, const In<std::int32_t, 2>& level_of,
                  const In<double, 1>& levels, double quantile) {
    Quantile goal;
    goal.quantile = quantile;
    return with_score(goal, positive, level_of, levels);
}

HeldGoal mode(const In<std::uint8_t, 1>& positive, const In<std::int32_t, 2>& level_of,
              const In<double, 1>& levels) {
    return with_score(Mode{}, positive, level_of, levels);
}

using Ends = std::pair<std::size_t, std::size_t>;
using Range = std::optional<Ends>;

Ends checked(const Ends& ends, std::size_t most) {
    if (ends.first > ends.second || ends.second > most + 1) throw std::invalid_argument("no such supports");
    return ends;
}

// Scores of pairs of supports, infinite ones as they are.
nb::ndarray<nb::numpy, double, nb::ndim<2>> score_values(ScoreName name, std::size_t n_pos, std::size_t n_neg,
                                                         const Range& rows, const Range& columns) {
    const NamedScore score(name, n_pos, n_neg, std::numeric_limits<double>::infinity());
    const auto [a0, a1] = checked(rows.value_or(Ends(0, n_pos + 1)), n_pos);
    const auto [b0, b1] = checked(columns.value_or(Ends(0, n_neg + 1)), n_neg);
    auto values = std::make_unique<double[]>((a1 - a0) * (b1 - b0));
    for (std::size_t a = a0; a < a1; ++a) score.row(a, b0, b1, values.get() + (a - a0) * (b1 - b0));
    double* const data = values.release();
    const nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<double*>(held); });
    return {data, {a1 - a0, b1 - b0}, owner};
}

double largest_score(ScoreName name, std::size_t n_pos, std::size_t n_neg, std::optional<double> score_cap) {
    return NamedScore(name, n_pos, n_neg, score_cap).top();
}

double level_start(ScoreName name, std::size_t n_pos, std::size_t n_neg, std::optional<double> score_cap,
                   double least) {
    return NamedScore(name, n_pos, n_neg, score_cap).level_start(least);
}

// Row by row, the columns between which a score is below `least`.
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>> score_edges(ScoreName name, std::size_t n_pos,
                                                              std::size_t n_neg,
                                                              std::optional<double> score_cap, double least,
                                                              const Ends& rows, const Ends& columns) {
    const NamedScore score(name, n_pos, n_neg, score_cap);
    const auto [a0, a1] = checked(rows, n_pos);
    const auto [b0, b1] = checked(columns, n_neg);
    auto edges = std::make_unique<std::int64_t[]>(2 * (a1 - a0));
    Staircase reached(score, least, b0, b1);
    for (std::size_t a = a0; a < a1; ++a) {
        reached.step_to(a);
        edges[a - a0] = static_cast<std::int64_t>(reached.left);
        edges[a1 - a0 + a - a0] = static_cast<std::int64_t>(reached.right);
    }
    std::int64_t* const data = edges.release();
    const nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<std::int64_t*>(held); });
    return {data, {2, a1 - a0}, owner};
}

HeldGoal frequency() { return {Frequency{}, {}, {}, {}, {}}; }

HeldGoal gain(const In<double, 1>& weights) { return {Gain{weights.data()}, {}, weights, {}, {}}; }

HeldGoal squared_counts(const In<double, 2>& weights, double scale,
                        const std::optional<In<std::uint8_t, 1>>& positive) {
    if (weights.shape(0) == 0) throw std::invalid_argument("a phenotype needs a contrast");
    if (positive && (weights.shape(0) != 1 || weights.shape(1) != positive->shape(0)))
        throw std::invalid_argument("two classes need one contrast");
    const SquaredCounts goal{weights.data(), weights.shape(0), scale, positive ? positive->data() : nullptr};
    return {goal, {}, {}, weights, positive};
}

}  // namespace

void bind_goals(nb::module_& m) {
    nb::enum_<ScoreName>(m, "ScoreName", "The scores that are compiled.")
        .value("confidence", ScoreName::confidence)
        .value("frequency_ratio", ScoreName::frequency_ratio)
        .value("g_test", ScoreName::g_test)
        .value("hsic", ScoreName::hsic)
        .value("information_gain", ScoreName::information_gain);
    m.def("score_values", &score_values, "score"_a, "n_pos"_a, "n_neg"_a, "rows"_a = Range{},
          "columns"_a = Range{},
          "A compiled score for all supports, (n_pos + 1, n_neg + 1), or those of two ranges; not capped.");
    m.def("largest_score", &largest_score, "score"_a, "n_pos"_a, "n_neg"_a, "score_cap"_a.none(),
          "The largest capped score of two classes of these sizes.");
    m.def("level_start", &level_start, "score"_a, "n_pos"_a, "n_neg"_a, "score_cap"_a.none(), "least"_a,
          "The lowest score that is one level with the smallest score >= least.");
    m.def("score_edges", &score_edges, "score"_a, "n_pos"_a, "n_neg"_a, "score_cap"_a.none(), "least"_a,
          "rows"_a, "columns"_a,
          "Of two ranges of supports, where scores reach `least`: in each row before the first number, and "
          "from "
          "the second on; (2, n_rows).");
    nb::class_<HeldGoal>(m, "Goal", "What a search looks for. Scores are tables of levels by supports.")
        .def_static("expectation", &expectation, "positive"_a.noconvert(), "level_of"_a.noconvert(),
                    "levels"_a.noconvert(), "The largest expectation.")
        .def_static("phi_probability", &phi_probability, "positive"_a.noconvert(), "level_of"_a.noconvert(),
                    "levels"_a.noconvert(), "first_level"_a,
                    "The largest probability of the levels from first_level on.")
        .def_static("quantile", &quantile, "positive"_a.noconvert(), "level_of"_a.noconvert(),
                    "levels"_a.noconvert(), "quantile"_a, "The largest quantile.")
        .def_static("mode", &mode, "positive"_a.noconvert(), "level_of"_a.noconvert(), "levels"_a.noconvert(),
                    "The largest mode.")
        .def_static("frequency", &frequency, "The largest expected frequency.")
        .def_static("gain", &gain, "weights"_a.noconvert(), "The largest abs(sum_i w_i x_i).")
        .def_static(
            "squared_counts", &squared_counts, "weights"_a.noconvert(), "scale"_a,
            "positive"_a.noconvert().none() = nb::none(),
            "The largest scale E sum_k (sum_i w_ki I_i)^2; the weights of several contrasts add up to "
            "0. `positive`: the weights are n_neg and -n_pos of these two classes.");
}

}  // namespace dugraph::bindings
