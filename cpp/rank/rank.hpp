// The best subgraphs by any objective: workers that share a list of the best.
#pragma once

#include "rank/ranking.hpp"
#include "rank/search.hpp"
#include "walk/workers.hpp"

namespace dugraph {

inline void fill_list(const TopList& top, std::size_t n_subgraphs, Result& result) {
    for (const Entry& entry : top.entries()) {
        result.edge_index.insert(result.edge_index.end(), entry.edges.begin(), entry.edges.end());
        result.indptr.push_back(static_cast<std::int64_t>(result.edge_index.size()));
        result.values.push_back(entry.value);
    }
    if (result.values.size() == n_subgraphs) result.threshold = result.values.back();
}

// Like search() (search.hpp), for an existing objective, in the calling thread and the threads it starts.
template <Objective T>
Result rank(T& objective, const Prepared& prepared, const Frontier& frontier, const Threshold& start,
            const std::vector<Entry>& known, const Limits& limits, Control& control) {
    Result result;
    TopList top(limits.n_subgraphs, start);
    for (const Entry& entry : known) top.offer(entry);
    const auto make_judge = [&] { return Ranking<T>(prepared.rows, limits, objective, top, control); };
    auto remains =
        run_workers<Ranking<T>>(prepared, limits, frontier, control, result.setup_seconds, make_judge);
    fill_list(top, limits.n_subgraphs, result);
    result.frontier = std::move(remains.frontier);
    // A limit may be noticed after the last subgraph: then nothing is open, and the answer is proven
    // nevertheless.
    result.status = result.frontier.empty() ? Status::optimal : control.status();
    std::vector<typename T::Statistic> open;
    for (const auto& mark : remains.marks) open.push_back(mark.statistic);
    result.best_open_bound = objective.open_bound(open);
    result.counters = control.counters();
    result.seconds = control.seconds();
    return result;
}

}  // namespace dugraph
