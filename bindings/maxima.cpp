// The significance test: maxima over all subgraphs under many relabelings, and the subgraphs that reach a
// threshold.
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"
#include "maxima/null_maxima.hpp"
#include "watcher.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dugraph::bindings {

namespace {

// Relabelings together with the arrays they refer to.
struct HeldRelabelings {
    Relabelings test;
    In<double, 3> weights;
    In<std::int64_t, 1> cells;
    In<double, 2> cell_scale, basis;
};

HeldRelabelings hold(Statistic statistic, const In<double, 3>& weights, const In<std::int64_t, 1>& cells,
                     const In<double, 2>& cell_scale, const In<double, 2>& basis, std::size_t n_classes,
                     bool one_sided) {
    const std::size_t n = weights.shape(2);
    if (cells.shape(0) != n || basis.shape(1) != n)
        throw std::invalid_argument("weights, cells and covariates must be those of the same graphs");
    if (statistic == Statistic::z && cell_scale.shape(0) != weights.shape(0))
        throw std::invalid_argument("z needs a scale per contrast and cell");
    if (cell_scale.shape(0) == 0) throw std::invalid_argument("there is no scale per cell");
    const Relabelings test{n,
                           weights.shape(1),
                           weights.shape(0),
                           weights.data(),
                           statistic,
                           cell_scale.shape(1),
                           cells.data(),
                           cell_scale.data(),
                           cell_scale.shape(0),
                           basis.shape(0),
                           basis.data(),
                           n_classes,
                           one_sided};
    return {test, weights, cells, cell_scale, basis};
}

NullMaxima find_null_maxima(const Prepared& prepared, const HeldRelabelings& held,
                            const std::vector<EdgeSet>& excluded, const Limits& limits, nb::object progress) {
    const std::set<EdgeSet> left_out(excluded.begin(), excluded.end());
    return watched_by_python(std::move(progress), [&](const Poll& poll) {
        return null_maxima(prepared, held.test, left_out, limits, poll);
    });
}

Reached find_reached(const Prepared& prepared, const HeldRelabelings& held, const In<double, 1>& thresholds,
                     const Limits& limits, nb::object progress) {
    if (thresholds.shape(0) != held.test.n_classes || held.test.n_relabelings != 1)
        throw std::invalid_argument("a list needs one relabeling and a threshold per size class");
    return watched_by_python(std::move(progress), [&](const Poll& poll) {
        return reached(prepared, held.test, thresholds.data(), limits, poll);
    });
}

}  // namespace

void bind_maxima(nb::module_& m) {
    nb::enum_<Statistic>(m, "Statistic", "What is maximised over subgraphs.")
        .value("z", Statistic::z)
        .value("difference", Statistic::difference)
        .value("t", Statistic::t);
    nb::class_<HeldRelabelings>(m, "Relabelings", "Weights of relabelings, and how a statistic is made.")
        .def(nb::new_(&hold), nb::kw_only(), "statistic"_a, "weights"_a.noconvert(), "cells"_a.noconvert(),
             "cell_scale"_a.noconvert(), "basis"_a.noconvert(), "n_classes"_a, "one_sided"_a = false);
    nb::class_<NullMaxima>(m, "NullMaxima", "The largest statistics of relabelings, by size class.")
        .def_prop_ro("maxima", &array<NullMaxima, double, &NullMaxima::maxima>)
        .def_prop_ro("n_admitted", &array<NullMaxima, std::int64_t, &NullMaxima::n_admitted>)
        .def_ro("status", &NullMaxima::status)
        .def_ro("counters", &NullMaxima::counters)
        .def_ro("seconds", &NullMaxima::seconds);
    nb::class_<Reached>(m, "Reached", "Subgraphs whose statistic reaches a threshold.")
        .def_prop_ro("indptr", &array<Reached, std::int64_t, &Reached::indptr>)
        .def_prop_ro("edge_index", &array<Reached, std::int32_t, &Reached::edge_index>)
        .def_prop_ro("values", &array<Reached, double, &Reached::values>)
        .def_prop_ro("contrasts", &array<Reached, std::int64_t, &Reached::contrasts>)
        .def_ro("status", &Reached::status)
        .def_ro("counters", &Reached::counters)
        .def_ro("seconds", &Reached::seconds);
    m.def("null_maxima", &find_null_maxima, nb::kw_only(), "prepared"_a, "relabelings"_a, "excluded"_a,
          "limits"_a, "progress"_a.none(), "The largest statistic of each relabeling in each size class.");
    m.def("reached", &find_reached, nb::kw_only(), "prepared"_a, "relabelings"_a, "thresholds"_a.noconvert(),
          "limits"_a, "progress"_a.none(),
          "All admitted subgraphs whose statistic is at least the threshold of their size class.");
}

}  // namespace dugraph::bindings
