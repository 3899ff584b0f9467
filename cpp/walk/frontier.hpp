// Open work as a value: what a stopped search leaves, and what a search can start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dugraph {

// The supergraphs of path + children[k] for begin <= k < end are still to be met; these subgraphs themselves
// have been. Child k may be extended by the LATER children, too: so the list is never cut at its end, only
// ranged. All edges are canonical indices.
struct OpenTask {
    std::vector<std::int32_t> path;
    std::vector<std::int32_t> children;
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct Frontier {
    bool at_start = true;  // nothing has been met yet, not even the single edges
    std::vector<OpenTask> tasks;

    bool empty() const { return !at_start && tasks.empty(); }
};

}  // namespace dugraph
