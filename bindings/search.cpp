// The search: a cohort's arrays in, the best subgraphs and the search's account out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "search/prepared.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int dimensions>
using In = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& from) {
    auto* owned = new std::vector<T>(std::move(from));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

nb::dict counters(const dugraph::Counters& from) {
    nb::dict to;
    to["n_visited"] = from.visited;
    to["n_candidates"] = from.candidates;
    to["n_evaluated"] = from.evaluated;
    to["n_pruned_by_frequency"] = from.pruned_by_frequency;
    to["n_pruned_by_bound"] = from.pruned_by_bound;
    return to;
}

// Asks Python, with its lock, whether Ctrl-C was pressed, and shows it the progress. An exception of the
// callback ends the search and is raised after it.
class Watcher {
  public:
    explicit Watcher(nb::object progress) : progress_(std::move(progress)) {}

    bool operator()(const dugraph::Progress& now) {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            const nb::python_error error;  // takes the error out of Python
            interrupted_ = error.matches(PyExc_KeyboardInterrupt);
            if (!interrupted_) failure_ = std::make_unique<nb::python_error>(error);
            return true;
        }
        if (progress_.is_none() || failure_) return false;
        try {
            nb::dict shown = counters(now.counters);
            shown["threshold"] = now.threshold;
            shown["best_open_bound"] = now.best_open_bound;
            shown["seconds"] = now.seconds;
            progress_(shown);
        } catch (nb::python_error& error) {
            // Ctrl-C may hit while the callback runs; it ends the search as it does elsewhere.
            interrupted_ = error.matches(PyExc_KeyboardInterrupt);
            if (interrupted_) return true;
            failure_ = std::make_unique<nb::python_error>(std::move(error));
            return true;
        }
        return false;
    }

    void raise_failure() const {
        if (failure_) throw nb::python_error(*failure_);
    }
    bool interrupted() const { return interrupted_; }

  private:
    nb::object progress_;
    bool interrupted_ = false;
    std::unique_ptr<nb::python_error> failure_;
};

// What both searches are given: a cohort in canonical order and limits.
dugraph::Input cohort_input(const In<std::int32_t, 2>& edges, const In<double, 2>& edge_probability,
                            std::size_t n_pos, std::size_t n_nodes, std::size_t n_subgraphs,
                            double min_expected_frequency, std::size_t max_edges, int bound, int n_threads,
                            double time_limit, std::uint64_t node_limit) {
    if (edge_probability.shape(0) != edges.shape(0))
        throw std::invalid_argument("one row of probabilities per edge");
    if (n_pos >= edge_probability.shape(1)) throw std::invalid_argument("both classes need a graph");
    dugraph::Input input;
    input.n_pos = n_pos;
    input.n_neg = edge_probability.shape(1) - n_pos;
    input.n_nodes = n_nodes;
    input.n_edges = edges.shape(0);
    input.edges = edges.data();
    input.edge_probability = edge_probability.data();
    input.n_subgraphs = n_subgraphs;
    input.min_expected_frequency = min_expected_frequency;
    input.max_edges = max_edges;
    input.bound = static_cast<dugraph::Bound>(bound);
    input.n_threads = n_threads;
    input.time_limit = time_limit;
    input.node_limit = node_limit;
    return input;
}

template <class Search>
nb::dict answer(nb::object progress, const Search& search) {
    Watcher watcher(std::move(progress));
    dugraph::Result result;
    {
        // Safe without the interpreter: the arguments keep the arrays alive, and only the watcher touches
        // Python, after taking its lock.
        nb::gil_scoped_release released;
        result = search([&](const dugraph::Progress& now) { return watcher(now); });
    }
    watcher.raise_failure();
    // Pressed when the search had come to its end: Ctrl-C is not answered by that, and is handed on.
    if (watcher.interrupted() && result.status != dugraph::Status::interrupted) PyErr_SetInterrupt();
    nb::dict answer = counters(result.counters);
    answer["indptr"] = to_numpy(std::move(result.indptr));
    answer["edge_index"] = to_numpy(std::move(result.edge_index));
    answer["values"] = to_numpy(std::move(result.values));
    answer["status"] = static_cast<int>(result.status);
    answer["threshold"] = result.threshold;
    answer["best_open_bound"] = result.best_open_bound;
    answer["seconds"] = result.seconds;
    answer["setup_seconds"] = result.setup_seconds;
    return answer;
}

nb::dict search_subgraphs(const In<std::int32_t, 2>& edges, const In<double, 2>& edge_probability,
                          std::size_t n_pos, std::size_t n_nodes, const In<std::int32_t, 2>& level_of,
                          const In<double, 1>& levels, int measure, double quantile, std::int32_t first_level,
                          double square_scale, std::size_t n_subgraphs, double min_expected_frequency,
                          std::size_t max_edges, int bound, int n_threads, double time_limit,
                          std::uint64_t node_limit, nb::object progress) {
    dugraph::Input input =
        cohort_input(edges, edge_probability, n_pos, n_nodes, n_subgraphs, min_expected_frequency, max_edges,
                     bound, n_threads, time_limit, node_limit);
    input.measure = static_cast<dugraph::Measure>(measure);
    input.quantile = quantile;
    input.first_level = first_level;
    input.square_scale = square_scale;
    input.level_of = level_of.data();
    input.levels = levels.data();
    input.n_levels = levels.shape(0);
    if (input.measure != dugraph::Measure::frequency &&
        (level_of.shape(0) != input.n_pos + 1 || level_of.shape(1) != input.n_neg + 1)) {
        throw std::invalid_argument("the score table needs n_pos + 1 rows and n_neg + 1 columns");
    }
    return answer(std::move(progress),
                  [&](const dugraph::Poll& poll) { return dugraph::search_subgraphs(input, poll); });
}

// A cohort prepared once, by the first of many searches, each with its own weights of the graphs.
class GainSearch {
  public:
    GainSearch(const In<std::int32_t, 2>& edges, const In<double, 2>& edge_probability, std::size_t n_pos,
               std::size_t n_nodes, double min_expected_frequency, std::size_t max_edges, int bound,
               int n_threads)
        : edges_(edges),
          edge_probability_(edge_probability),
          input_(cohort_input(edges, edge_probability, n_pos, n_nodes, 1, min_expected_frequency, max_edges,
                              bound, n_threads, 0, 0)) {
        input_.measure = dugraph::Measure::gain;
    }

    nb::dict find(const In<double, 1>& weights, double floor, std::size_t n_subgraphs, double time_limit,
                  std::uint64_t node_limit, nb::object progress) {
        if (weights.shape(0) != input_.n_pos + input_.n_neg)
            throw std::invalid_argument("one weight per graph");
        dugraph::Input input = input_;
        input.weights = weights.data();
        input.floor = floor;
        input.n_subgraphs = n_subgraphs;
        input.time_limit = time_limit;
        input.node_limit = node_limit;
        return answer(std::move(progress), [&](const dugraph::Poll& poll) {
            return dugraph::search_subgraphs(input, prepared_, poll);
        });
    }

  private:
    In<std::int32_t, 2> edges_;  // kept alive for the first search, which prepares the others
    In<double, 2> edge_probability_;
    dugraph::Input input_;
    std::unique_ptr<const dugraph::Prepared> prepared_;
};

}  // namespace

void bind_search(nb::module_& m) {
    m.def("search_subgraphs", &search_subgraphs, "edges"_a.noconvert(), "edge_probability"_a.noconvert(),
          "n_pos"_a, "n_nodes"_a, "level_of"_a.noconvert(), "levels"_a.noconvert(), "measure"_a, "quantile"_a,
          "first_level"_a, "square_scale"_a, "n_subgraphs"_a, "min_expected_frequency"_a, "max_edges"_a,
          "bound"_a, "n_threads"_a, "time_limit"_a, "node_limit"_a, "progress"_a.none(),
          "The best connected subgraphs of a cohort in canonical order.");
    nb::class_<GainSearch>(m, "GainSearch")
        .def(nb::init<const In<std::int32_t, 2>&, const In<double, 2>&, std::size_t, std::size_t, double,
                      std::size_t, int, int>(),
             "edges"_a.noconvert(), "edge_probability"_a.noconvert(), "n_pos"_a, "n_nodes"_a,
             "min_expected_frequency"_a, "max_edges"_a, "bound"_a, "n_threads"_a)
        .def("find", &GainSearch::find, "weights"_a.noconvert(), "floor"_a, "n_subgraphs"_a, "time_limit"_a,
             "node_limit"_a, "progress"_a.none(), "The subgraphs with the largest gain above a floor.");
}
