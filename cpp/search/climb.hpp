// A good first threshold: from promising edges straight uphill, before the search proper starts. It meets
// subgraphs that the search will meet again, which changes nothing but the time at which they enter the list.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "search/admission.hpp"
#include "search/control.hpp"
#include "search/task_pool.hpp"

namespace dugraph {

// Edge ids, the most promising first.
template <class Judge>
std::vector<std::int32_t> by_promise(const Rows& rows, const double* ones, const Judge& judge) {
    std::vector<std::int32_t> ids(rows.n_edges());
    std::iota(ids.begin(), ids.end(), 0);
    std::vector<double> promise;
    for (const std::int32_t id : ids) promise.push_back(judge.promise(ones, id));
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::int32_t a, std::int32_t b) { return promise[a] > promise[b]; });
    return ids;
}

// Adds the most promising extension again and again, as long as it promises more than what it extends.
// O(n degree) per edge added and node touched.
template <class Judge>
void climb(std::int32_t first, const Rows& rows, Judge& judge, Admission& admission, std::size_t max_edges,
           const Control& control) {
    std::vector<std::int32_t> path{first};
    std::vector<std::int32_t> nodes{rows.node_a[first], rows.node_b[first]};
    AlignedVector<double> x(rows.row(first), rows.row(first) + rows.width);
    const AlignedVector<double> ones(rows.width, 1.0);
    double height = judge.promise(ones.data(), first);
    std::vector<Child<typename Judge::Mark>> met;
    while (path.size() < max_edges) {
        met.clear();
        for (const std::int32_t node : nodes) {
            for (const auto& edge : rows.incident[static_cast<std::size_t>(node)]) {
                if (std::find(path.begin(), path.end(), edge.id) != path.end()) continue;
                const double mass = product_sum(x.data(), rows.row(edge.id), rows.width);
                if (admission(mass, path, edge.id)) met.push_back({edge.id, mass, {}});
            }
            if (control.stopped()) return;
        }
        if (!judge.meet(path, x.data(), met)) return;
        std::int32_t best = -1;
        for (const auto& child : met) {
            const double promise = judge.promise(x.data(), child.edge);
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
