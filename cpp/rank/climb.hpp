// A good initial threshold: greedy climbs from promising edges before the main search. The subgraphs found
// are visited again by the search, which does not change the result.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/admission.hpp"
#include "walk/control.hpp"
#include "walk/task_pool.hpp"

namespace dugraph {

// The single edges, most promising first.
template <class Judge>
std::vector<Child<typename Judge::Mark>> by_promise(const Rows& rows, const double* ones,
                                                    const Judge& judge) {
    std::vector<std::pair<double, Child<typename Judge::Mark>>> edges;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(rows.n_edges()); ++id) {
        const auto mark = judge.weigh(ones, id);
        edges.push_back({judge.promise(mark), {id, mark}});
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Child<typename Judge::Mark>> sorted;
    for (const auto& edge : edges) sorted.push_back(edge.second);
    return sorted;
}

// Repeatedly adds the most promising extension as long as it improves the promise. O(n degree) per added edge
// and visited node.
template <class Judge>
void climb(const Child<typename Judge::Mark>& start, const Rows& rows, Judge& judge, Admission& admission,
           std::size_t max_edges, const Control& control) {
    const std::int32_t first = start.edge;
    std::vector<std::int32_t> path{first};
    std::vector<std::int32_t> nodes{rows.node_a[first], rows.node_b[first]};
    AlignedVector<double> x(rows.width);
    rows.copy(first, x.data());
    double height = judge.promise(start.mark);
    std::vector<Child<typename Judge::Mark>> met;
    while (path.size() < max_edges) {
        met.clear();
        for (const std::int32_t node : nodes) {
            for (const auto& edge : rows.incident[static_cast<std::size_t>(node)]) {
                if (std::find(path.begin(), path.end(), edge.id) != path.end()) continue;
                const auto mark = judge.weigh(x.data(), edge.id);
                if (admission(judge.mass(mark), path, edge.id)) met.push_back({edge.id, mark});
            }
            if (control.stopped()) return;
        }
        if (!judge.meet(path, x.data(), {}, met)) return;
        std::int32_t best = -1;
        for (const auto& child : met) {
            const double promise = judge.promise(child.mark);
            if (promise > height) {
                height = promise;
                best = child.edge;
            }
        }
        if (best < 0) return;
        store_product(x.data(), rows.row(best), rows.width, x.data());
        for (const std::int32_t node : {rows.node_a[best], rows.node_b[best]}) {
            if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
        }
        path.push_back(best);
    }
}

}  // namespace dugraph
