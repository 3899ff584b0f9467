#include "maxima/null_maxima.hpp"

#include <stdexcept>

#include "maxima/judge.hpp"
#include "walk/watched.hpp"
#include "walk/workers.hpp"

namespace dugraph {

namespace {

void check(const Prepared& prepared, const Relabelings& test, const Limits& limits) {
    if (test.n_graphs != prepared.rows.n_graphs || test.n_relabelings == 0 || test.n_contrasts == 0 ||
        test.n_classes == 0 || limits.max_edges == 0 || limits.n_threads < 1)
        throw std::invalid_argument(
            "a test needs graphs, relabelings, contrasts, classes, edges and threads");
    for (std::size_t i = 0; i < test.n_graphs; ++i) {
        if (test.cells[i] < 0 || static_cast<std::size_t>(test.cells[i]) >= test.n_cells)
            throw std::invalid_argument("a graph is in a cell out of range");
    }
}

// Computes the statistics of all admitted subgraphs that may change the maxima or the list.
template <class Tally>
void test_all(const Prepared& prepared, const Relabelings& test, const std::set<EdgeSet>& excluded,
              const Limits& limits, Control& control, Tally& tally) {
    if (prepared.rows.n_edges() == 0) return;
    const Denominator denominator(test);
    const Screen screen(test);
    const TestView view{test, denominator, screen};
    double setup_seconds = 0;
    run_workers<MaximaJudge<Tally>>(prepared, limits, {}, control, setup_seconds, [&] {
        return MaximaJudge<Tally>(prepared.rows, view, excluded, tally, control);
    });
}

}  // namespace

NullMaxima null_maxima(const Prepared& prepared, const Relabelings& test, const std::set<EdgeSet>& excluded,
                       const Limits& limits, const Poll& poll) {
    check(prepared, test, limits);
    Control control(limits);
    RunningMaxima running(test);
    NullMaxima result;
    watched(control, poll, [&] { test_all(prepared, test, excluded, limits, control, running); });
    result.counters = control.counters();
    for (std::size_t r = 0; r < test.n_relabelings; ++r) {
        for (std::size_t k = 0; k < test.n_classes; ++k) result.maxima.push_back(running.floor(k, r));
    }
    result.n_admitted = running.n_admitted();
    result.status = control.status();
    result.seconds = control.seconds();
    return result;
}

Reached reached(const Prepared& prepared, const Relabelings& test, const double* thresholds,
                const Limits& limits, const Poll& poll) {
    check(prepared, test, limits);
    Control control(limits);
    ReachedList list(thresholds);
    Reached result;
    watched(control, poll, [&] { test_all(prepared, test, {}, limits, control, list); });
    result.counters = control.counters();
    for (const auto& entry : list.entries()) {
        result.edge_index.insert(result.edge_index.end(), entry.edges.begin(), entry.edges.end());
        result.indptr.push_back(static_cast<std::int64_t>(result.edge_index.size()));
        result.values.push_back(entry.value);
        result.contrasts.push_back(static_cast<std::int64_t>(entry.contrast));
    }
    result.status = control.status();
    result.seconds = control.seconds();
    return result;
}

}  // namespace dugraph
