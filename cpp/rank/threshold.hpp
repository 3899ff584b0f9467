// The threshold that a subgraph must exceed to enter the list.
#pragma once

#include <cstddef>
#include <limits>

namespace dugraph {

// The worst entry's value and number of edges, once the list is full. It only rises, so an outdated copy
// costs time, not correctness. A floor that must be exceeded is {floor, 0}.
struct Threshold {
    double value = -std::numeric_limits<double>::infinity();
    std::size_t size = std::numeric_limits<std::size_t>::max();

    // Whether no subgraph of at least `size_of_subgraph` edges and a value of at most `bound` can enter. At
    // equal value fewer edges win, so equality decides only when there are more.
    bool excludes(double bound, std::size_t size_of_subgraph) const {
        return bound < value || (bound == value && size_of_subgraph > size);
    }
};

}  // namespace dugraph
