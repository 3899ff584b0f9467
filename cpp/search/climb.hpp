// A good first threshold: from promising edges straight uphill, before the search proper starts. It meets
// subgraphs that the search will meet again, which changes nothing but the time at which they enter the list.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "search/control.hpp"
#include "search/judge.hpp"

namespace dugraph {

// Edge ids, the most promising first.
template <Objective T>
std::vector<std::int32_t> by_promise(const Cohort& cohort, const T& objective) {
    std::vector<double> promise;
    for (const Mass& mass : cohort.mass) promise.push_back(objective.promise(mass));
    std::vector<std::int32_t> ids(cohort.n_edges());
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::int32_t a, std::int32_t b) { return promise[a] > promise[b]; });
    return ids;
}

// Adds the most promising extension again and again, as long as it promises more than what it extends.
template <Objective T>
void climb(std::int32_t first, const Cohort& cohort, const T& objective, Judge<T>& judge,
           std::size_t max_edges, const Control& control) {
    std::vector<std::int32_t> path{first};
    std::vector<std::uint8_t> in_subgraph(cohort.n_nodes);
    in_subgraph[cohort.node_a[first]] = in_subgraph[cohort.node_b[first]] = 1;
    AlignedVector<double> x(cohort.row(first), cohort.row(first) + cohort.shape.size());
    double height = objective.promise(cohort.mass[first]);
    while (path.size() < max_edges && !control.stopped()) {
        std::int32_t best = -1;
        for (std::size_t node = 0; node < cohort.n_nodes; ++node) {
            if (!in_subgraph[node]) continue;
            for (const auto& edge : cohort.incident[node]) {
                if (std::find(path.begin(), path.end(), edge.id) != path.end()) continue;
                const Mass mass =
                    product_mass(x.data(), cohort.row(edge.id), cohort.shape.pos, cohort.shape.neg);
                if (!judge.admitted(mass, path, edge.id)) continue;
                judge.consider(path, x.data(), edge.id, mass);
                const double promise = objective.promise(mass);
                if (promise > height) {
                    height = promise;
                    best = edge.id;
                }
            }
        }
        if (best < 0) return;
        store_product(x.data(), cohort.row(best), cohort.shape.pos, cohort.shape.neg, x.data());
        in_subgraph[cohort.node_a[best]] = in_subgraph[cohort.node_b[best]] = 1;
        path.push_back(best);
    }
}

}  // namespace dugraph
