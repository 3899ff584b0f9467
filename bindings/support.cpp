// Support distributions, the Poisson-binomial pmf of every row of an array, and the score levels of pairs of
// them.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "arrays.hpp"
#include "support/level_masses.hpp"
#include "support/support_distribution.hpp"

namespace nb = nanobind;

namespace dugraph::bindings {

namespace {

using NumpyRows = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

NumpyRows support_distribution(const In<double, 2>& probabilities, double tail) {
    if (!(tail >= 0.0 && tail < 1.0)) throw std::invalid_argument("tail must satisfy 0 <= tail < 1");
    const std::size_t count = probabilities.shape(0), n = probabilities.shape(1);
    std::unique_ptr<double[]> pmf(new double[count * (n + 1)]);
    {
        // Safe without the GIL: the arguments keep the input alive, and the output is not shared yet.
        nb::gil_scoped_release released;
        support_distribution_batch(probabilities.data(), count, n, tail, pmf.get());
    }
    nb::capsule owner(pmf.get(), [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
    return NumpyRows(pmf.release(), {count, n + 1}, owner);
}

LevelMasses score_levels(const In<double, 2>& n_pos_g, const In<double, 2>& n_neg_g,
                         const In<std::int32_t, 2>& level_of, std::size_t n_levels, double tail) {
    const ScoredSupports supports{n_pos_g.shape(0), n_pos_g.shape(1) - 1, n_neg_g.shape(1) - 1, n_levels,
                                  n_pos_g.data(),   n_neg_g.data(),       level_of.data()};
    const auto outside = [n_levels](std::int32_t level) {
        return level < 0 || static_cast<std::size_t>(level) >= n_levels;
    };
    if (n_neg_g.shape(0) != supports.count || level_of.shape(0) != n_pos_g.shape(1) ||
        level_of.shape(1) != n_neg_g.shape(1) ||
        std::any_of(level_of.data(), level_of.data() + level_of.size(), outside)) {
        throw std::invalid_argument("level_of must have a level for each pair of supports");
    }
    nb::gil_scoped_release released;
    return level_masses(supports, tail);
}

}  // namespace

void bind_support(nb::module_& m) {
    m.def("support_distribution", &support_distribution, nb::arg("probabilities").noconvert(),
          nb::arg("tail"),
          "The Poisson-binomial pmf, (count, n + 1), of every row of probabilities, (count, n).");
    nb::class_<LevelMasses>(m, "LevelMasses", "Score levels of positive probability of several subgraphs.")
        .def_prop_ro("level", &array<LevelMasses, std::int64_t, &LevelMasses::level>,
                     "Of one subgraph after the other, ascending.")
        .def_prop_ro("mass", &array<LevelMasses, double, &LevelMasses::mass>, "The probability of each.")
        .def_prop_ro("end", &array<LevelMasses, std::int64_t, &LevelMasses::end>,
                     "Where the levels of each subgraph end.");
    m.def("level_masses", &score_levels, nb::arg("n_pos_g").noconvert(), nb::arg("n_neg_g").noconvert(),
          nb::arg("level_of").noconvert(), nb::arg("n_levels"), nb::arg("tail"),
          "The score levels of pairs of supports, (count, n_pos + 1) and (count, n_neg + 1).");
}

}  // namespace dugraph::bindings
