// The search: graphs prepared once, then any number of searches over them.
#include "rank/search.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "goals.hpp"
#include "watcher.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dugraph::bindings {

namespace {

// Probabilities of either precision, (n_graphs, n_edges) or larger, in any order of memory.
using Given = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Places = std::optional<In<std::int64_t, 1>>;

// The indices selected along an axis, or all if none are given. Validated here, since the core trusts them.
std::size_t count_places(const Places& places, std::size_t there) {
    if (!places) return there;
    const std::int64_t* begin = places->data();
    const std::size_t n = places->shape(0);
    if (!std::all_of(begin, begin + n,
                     [&](std::int64_t k) { return 0 <= k && k < static_cast<std::int64_t>(there); }))
        throw std::invalid_argument("index out of range");
    return n;
}

std::unique_ptr<Prepared> prepare(const In<std::int32_t, 2>& edges, const Given& edge_probability,
                                  const Places& graph_places, const Places& edge_places, std::size_t n_nodes,
                                  double min_expected_frequency) {
    if (edges.shape(1) != 2) throw std::invalid_argument("an edge has two nodes");
    const std::size_t n_graphs = count_places(graph_places, edge_probability.shape(0));
    if (count_places(edge_places, edge_probability.shape(1)) != edges.shape(0))
        throw std::invalid_argument("one column of probabilities per edge");
    const bool narrow = edge_probability.dtype() == nb::dtype<float>();
    if (!narrow && edge_probability.dtype() != nb::dtype<double>())
        throw std::invalid_argument("probabilities are float32 or float64");
    const Probabilities where{
        narrow ? nullptr : static_cast<const double*>(edge_probability.data()),
        narrow ? static_cast<const float*>(edge_probability.data()) : nullptr,
        static_cast<std::ptrdiff_t>(edge_probability.stride(1)),
        static_cast<std::ptrdiff_t>(edge_probability.stride(0)),
        edge_places ? edge_places->data() : nullptr,
        graph_places ? graph_places->data() : nullptr,
    };
    const Graphs graphs{n_graphs, n_nodes, edges.shape(0), edges.data(), where, min_expected_frequency};
    // Safe without the GIL: the arguments keep the arrays alive, and signals are checked with the GIL held.
    const nb::gil_scoped_release released;
    return std::make_unique<Prepared>(graphs, [] {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
}

// A list in the form of Found.
struct Known {
    std::vector<Entry> entries;
};

Known make_known(const In<std::int64_t, 1>& indptr, const In<std::int32_t, 1>& edge_index,
                 const In<double, 1>& values) {
    const std::size_t n = values.shape(0);
    const std::int64_t* ptr = indptr.data();
    if (indptr.shape(0) != n + 1 || ptr[0] != 0 || !std::is_sorted(ptr, ptr + n + 1) ||
        static_cast<std::size_t>(ptr[n]) != edge_index.shape(0))
        throw std::invalid_argument("a list needs the edges of each subgraph");
    Known known;
    for (std::size_t k = 0; k < n; ++k)
        known.entries.push_back(
            {values.data()[k], {edge_index.data() + ptr[k], edge_index.data() + ptr[k + 1]}});
    return known;
}

Result search_part(const Prepared& prepared, const HeldGoal& goal, const Frontier& frontier,
                   const Threshold& start, const Known& known, const Limits& limits, nb::object progress) {
    if (!goal.fits(prepared.rows.n_graphs))
        throw std::invalid_argument("the goal is one of another number of graphs");
    return watched_by_python(std::move(progress), [&](const Poll& poll) {
        return search(prepared, goal.goal, frontier, start, limits, poll, known.entries);
    });
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::enum_<Bound>(m, "Bound", "What cuts subtrees: each adds to the one before.")
        .value("frequency", Bound::frequency)
        .value("worldwise", Bound::worldwise)
        .value("mass", Bound::mass);
    nb::enum_<Status>(m, "Status", "How a search ended.")
        .value("optimal", Status::optimal)
        .value("time_limit", Status::time_limit)
        .value("node_limit", Status::node_limit)
        .value("interrupted", Status::interrupted);
    nb::class_<Counters>(m, "Counters", "What a search counts.")
        .def(nb::init<>())
        .def(
            "__init__",
            [](Counters* made, std::uint64_t visited, std::uint64_t candidates, std::uint64_t evaluated,
               std::uint64_t pruned_by_frequency, std::uint64_t pruned_by_bound) {
                new (made) Counters{visited, candidates, evaluated, pruned_by_frequency, pruned_by_bound};
            },
            "n_visited"_a, "n_candidates"_a, "n_evaluated"_a, "n_pruned_by_frequency"_a,
            "n_pruned_by_bound"_a)
        .def_ro("n_visited", &Counters::visited)
        .def_ro("n_candidates", &Counters::candidates)
        .def_ro("n_evaluated", &Counters::evaluated)
        .def_ro("n_pruned_by_frequency", &Counters::pruned_by_frequency)
        .def_ro("n_pruned_by_bound", &Counters::pruned_by_bound)
        .def("__add__", [](const Counters& a, const Counters& b) {
            return Counters{a.visited + b.visited, a.candidates + b.candidates, a.evaluated + b.evaluated,
                            a.pruned_by_frequency + b.pruned_by_frequency,
                            a.pruned_by_bound + b.pruned_by_bound};
        });
    nb::class_<Progress>(m, "Progress", "A look at a running search.")
        .def_ro("counters", &Progress::counters)
        .def_ro("threshold", &Progress::threshold)
        .def_ro("best_open_bound", &Progress::best_open_bound)
        .def_ro("seconds", &Progress::seconds);
    nb::class_<Threshold>(m, "Threshold",
                          "What a subgraph must beat: a value, or fewer edges at the same one.")
        .def(nb::init<>())
        .def(
            "__init__",
            [](Threshold* made, double value, std::size_t size) { new (made) Threshold{value, size}; },
            "value"_a, "size"_a)
        .def_ro("value", &Threshold::value)
        .def_ro("size", &Threshold::size);
    nb::class_<Limits>(m, "Limits", "How much is to be found, and at what expense.")
        .def(
            "__init__",
            [](Limits* made, std::size_t n_subgraphs, std::size_t max_edges, Bound bound, int n_threads,
               double time_limit, std::uint64_t node_limit, std::size_t open_at) {
                new (made) Limits{n_subgraphs, max_edges, bound, n_threads, time_limit, node_limit, open_at};
            },
            nb::kw_only(), "n_subgraphs"_a, "max_edges"_a, "bound"_a, "n_threads"_a, "time_limit"_a,
            "node_limit"_a, "open_at"_a = std::numeric_limits<std::size_t>::max())
        .def_ro("n_subgraphs", &Limits::n_subgraphs)
        .def_ro("max_edges", &Limits::max_edges)
        .def_ro("bound", &Limits::bound)
        .def_ro("n_threads", &Limits::n_threads)
        .def_ro("time_limit", &Limits::time_limit)
        .def_ro("node_limit", &Limits::node_limit);
    nb::class_<OpenTask>(m, "OpenTask",
                         "Supergraphs of path + children[k], begin <= k < end, still to be met; later "
                         "children extend earlier ones.")
        .def(
            "__init__",
            [](OpenTask* made, std::vector<std::int32_t> path, std::vector<std::int32_t> children,
               std::size_t begin,
               std::size_t end) { new (made) OpenTask{std::move(path), std::move(children), begin, end}; },
            "path"_a, "children"_a, "begin"_a, "end"_a)
        .def_ro("path", &OpenTask::path)
        .def_ro("children", &OpenTask::children)
        .def_ro("begin", &OpenTask::begin)
        .def_ro("end", &OpenTask::end);
    nb::class_<Frontier>(m, "Frontier", "Open work; without tasks given, all of it.")
        .def(nb::init<>())
        .def(
            "__init__",
            [](Frontier* made, std::vector<OpenTask> tasks) { new (made) Frontier{false, std::move(tasks)}; },
            "tasks"_a)
        .def_ro("at_start", &Frontier::at_start)
        .def_ro("tasks", &Frontier::tasks)
        .def_prop_ro("empty", &Frontier::empty);
    nb::class_<Result>(m, "Found", "The best of a part of the work, and the work left.")
        .def_prop_ro("indptr", &array<Result, std::int64_t, &Result::indptr>)
        .def_prop_ro("edge_index", &array<Result, std::int32_t, &Result::edge_index>)
        .def_prop_ro("values", &array<Result, double, &Result::values>)
        .def_ro("status", &Result::status)
        .def_ro("threshold", &Result::threshold)
        .def_ro("best_open_bound", &Result::best_open_bound)
        .def_ro("frontier", &Result::frontier)
        .def_ro("counters", &Result::counters)
        .def_ro("seconds", &Result::seconds)
        .def_ro("setup_seconds", &Result::setup_seconds);
    nb::class_<Prepared>(m, "Prepared", "Uncertain graphs laid out for searches, without labels.")
        .def(nb::new_(&prepare), nb::kw_only(), "edges"_a.noconvert(), "edge_probability"_a.noconvert(),
             "graph_places"_a.noconvert().none() = nb::none(),
             "edge_places"_a.noconvert().none() = nb::none(), "n_nodes"_a, "min_expected_frequency"_a)
        .def_prop_ro("n_admitted_edges", [](const Prepared& prepared) { return prepared.rows.n_edges(); });
    nb::class_<Known>(m, "Known", "Subgraphs that were found before, with their values.")
        .def(nb::init<>())
        .def(
            "__init__",
            [](Known* made, const In<std::int64_t, 1>& indptr, const In<std::int32_t, 1>& edge_index,
               const In<double, 1>& values) { new (made) Known(make_known(indptr, edge_index, values)); },
            "indptr"_a.noconvert(), "edge_index"_a.noconvert(), "values"_a.noconvert());
    m.def("search", &search_part, nb::kw_only(), "prepared"_a, "goal"_a, "frontier"_a, "start"_a,
          "known"_a = Known{}, "limits"_a, "progress"_a.none(),
          "The best connected subgraphs of the open work, as far as they beat `start`, and those known.");
}

}  // namespace dugraph::bindings
