#include "maxima/null_maxima.hpp"

#include <stdexcept>

#include "maxima/census.hpp"
#include "maxima/maxima_judge.hpp"
#include "search/watched.hpp"
#include "search/workers.hpp"

namespace dugraph {

namespace {

void check(const Prepared& prepared, const Relabelings& test, const Limits& limits) {
    if (test.n_graphs != prepared.rows.n_graphs || test.n_relabelings == 0 || test.n_contrasts == 0 ||
        test.n_classes == 0 || limits.max_edges == 0 || limits.n_threads < 1)
        throw std::invalid_argument(
            "a test needs graphs, relabelings, contrasts, classes, edges and threads");
    for (std::size_t i = 0; i < test.n_graphs; ++i) {
        if (test.cells[i] < 0 || static_cast<std::size_t>(test.cells[i]) >= test.n_cells)
            throw std::invalid_argument("a graph is in a cell that is not there");
    }
}

// All admitted subgraphs past judges of a kind.
template <class J, class MakeJudge>
void walk(const Prepared& prepared, const Limits& limits, Control& control, const MakeJudge& make_judge) {
    if (prepared.rows.n_edges() == 0) return;
    double setup_seconds = 0;
    run_workers<J>(prepared, limits, {}, control, setup_seconds, make_judge);
}

// A walk above these multiples of the limit of frequency comes before the walk over all: frequent subgraphs
// are few, and have the larger statistics, so that high maxima are there before the many are met.
constexpr double multiples_of_limit[] = {4, 2};

// The statistics of all admitted subgraphs, as far as they matter to the tally. Returns the counters of the
// walk over all.
template <class Tally>
Counters test_all(const Prepared& prepared, const Relabelings& test, const std::set<EdgeSet>& excluded,
                  const Limits& limits, Control& control, Tally& tally) {
    const Denominator denominator(test);
    const Screen screen(test);
    const Reach reach(test, denominator, limits.bound != Bound::frequency);
    const TestView view{test, denominator, screen, reach};
    const auto walk_above = [&](double least_mass) {
        walk<MaximaJudge<Tally>>(prepared, limits, control, [&] {
            return MaximaJudge<Tally>(prepared.rows, view, excluded, limits.max_edges, least_mass, tally,
                                      control);
        });
    };
    const bool limited = prepared.rows.limit > screen_margin * static_cast<double>(test.n_graphs);
    if (Tally::rises && reach.in_use() && limited) {
        for (const double times : multiples_of_limit) walk_above(times * prepared.rows.limit);
    }
    const std::uint64_t before = control.counters().visited;
    walk_above(0);
    Counters counters = control.counters();
    counters.visited -= before;
    return counters;
}

}  // namespace

NullMaxima null_maxima(const Prepared& prepared, const Relabelings& test, const std::set<EdgeSet>& excluded,
                       const Limits& limits, const Poll& poll) {
    check(prepared, test, limits);
    Control control(limits);
    RunningMaxima running(test);
    Census::Counts counts(test.n_classes);
    NullMaxima result;
    watched(control, poll, [&] {
        result.counters = test_all(prepared, test, excluded, limits, control, running);
        // The bounds leave subgraphs out, so they are counted apart, which costs little.
        walk<Census>(prepared, limits, control, [&] { return Census(prepared.rows, test, counts, control); });
    });
    running.refresh();
    for (std::size_t r = 0; r < test.n_relabelings; ++r) {
        for (std::size_t k = 0; k < test.n_classes; ++k) result.maxima.push_back(running.floor(k, r));
    }
    result.n_admitted.assign(counts.begin(), counts.end());
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
    watched(control, poll, [&] { result.counters = test_all(prepared, test, {}, limits, control, list); });
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
