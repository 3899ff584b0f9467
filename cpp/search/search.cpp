#include "search/search.hpp"

#include <stdexcept>

#include "search/average_objectives.hpp"
#include "search/frequency_objective.hpp"
#include "search/gain_objective.hpp"
#include "search/level_objectives.hpp"
#include "search/ranking.hpp"
#include "search/workers.hpp"

namespace dugraph {

namespace {

// The class that serves a goal.
template <class Goal>
struct ObjectiveOf;
template <>
struct ObjectiveOf<Expectation> {
    using Type = ExpectationObjective;
};
template <>
struct ObjectiveOf<PhiProbability> {
    using Type = PhiObjective;
};
template <>
struct ObjectiveOf<Quantile> {
    using Type = QuantileObjective;
};
template <>
struct ObjectiveOf<Mode> {
    using Type = ModeObjective;
};
template <>
struct ObjectiveOf<Frequency> {
    using Type = FrequencyObjective;
};
template <>
struct ObjectiveOf<Gain> {
    using Type = GainObjective;
};

void fill_list(const TopList& top, std::size_t n_subgraphs, Result& result) {
    for (const Entry& entry : top.entries()) {
        result.edge_index.insert(result.edge_index.end(), entry.edges.begin(), entry.edges.end());
        result.indptr.push_back(static_cast<std::int64_t>(result.edge_index.size()));
        result.values.push_back(entry.value);
    }
    if (result.values.size() == n_subgraphs) result.threshold = result.values.back();
}

template <Objective T>
void rank(T& objective, const Prepared& prepared, const Frontier& frontier, const Threshold& start,
          const Limits& limits, Control& control, Result& result) {
    TopList top(limits.n_subgraphs, start);
    const auto make_judge = [&] { return Ranking<T>(prepared.rows, limits, objective, top, control); };
    auto remains =
        run_workers<Ranking<T>>(prepared, limits, frontier, control, result.setup_seconds, make_judge);
    fill_list(top, limits.n_subgraphs, result);
    result.frontier = std::move(remains.frontier);
    // A limit may be noticed after the last subgraph: then nothing is open, and the answer is proven after
    // all.
    result.status = result.frontier.empty() ? Status::optimal : control.status();
    std::vector<typename T::Statistic> open;
    for (const auto& mark : remains.marks) open.push_back(mark.statistic);
    result.best_open_bound = objective.open_bound(open);
    result.counters = control.counters();
}

Result drive(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
             const Limits& limits, Control& control) {
    Result result;
    if (prepared.rows.n_edges() == 0 || frontier.empty()) {
        result.frontier.at_start = false;
        return result;
    }
    std::visit(
        [&]<class G>(const G& asked) {
            typename ObjectiveOf<G>::Type objective(prepared.rows, asked, limits, control.stop_flag());
            rank(objective, prepared, frontier, start, limits, control, result);
        },
        goal);
    result.seconds = control.seconds();
    return result;
}

}  // namespace

// The work is done in a thread of its own: the calling thread only watches, so that it can answer an
// interrupt while all others compute.
Result search(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
              const Limits& limits, const Poll& poll) {
    if (limits.n_subgraphs == 0 || limits.max_edges == 0 || limits.n_threads < 1) {
        throw std::invalid_argument("n_subgraphs, max_edges and n_threads must be at least 1");
    }
    Control control(limits);
    Result result;
    FirstFailure failure;
    {
        JoinedThreads driver;
        driver.start([&] {
            try {
                result = drive(prepared, goal, frontier, start, limits, control);
            } catch (...) {
                failure.note();
            }
            control.finish();
        });
        control.watch(poll);
    }
    failure.rethrow();
    return result;
}

}  // namespace dugraph
