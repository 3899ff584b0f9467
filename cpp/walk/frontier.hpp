// Open work as a value: the remainder of a stopped search, from which another search can start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dugraph {

// The supergraphs of path + children[k] for begin <= k < end remain to be visited; these subgraphs themselves
// have been visited. Child k may be extended by all LATER children, so the list is never truncated; only the
// range changes. All edges are canonical indices.
struct OpenTask {
    std::vector<std::int32_t> path;
    std::vector<std::int32_t> children;
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct Frontier {
    bool at_start = true;  // nothing has been visited yet, not even the single edges
    std::vector<OpenTask> tasks;

    bool empty() const { return !at_start && tasks.empty(); }
};

}  // namespace dugraph
