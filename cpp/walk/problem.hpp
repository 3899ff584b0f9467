// The input of a search besides its objective, and its progress report: plain numbers, no Python, no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace dugraph {

enum class Bound : int { frequency, worldwise, mass };
enum class Status : int { optimal, time_limit, node_limit, interrupted };

// A view of the edge probabilities: an array of either precision with any strides and any selection and order
// of edges and graphs, so that it need not be transposed or sorted first.
struct Probabilities {
    const double* wide = nullptr;
    const float* narrow = nullptr;   // one of the two
    std::ptrdiff_t edge_stride = 0;  // in numbers
    std::ptrdiff_t graph_stride = 1;
    const std::int64_t* edge_places = nullptr;   // (n_edges,); null: in array order
    const std::int64_t* graph_places = nullptr;  // (n_graphs,); null: in array order

    // A contiguous array of shape (n_edges, n_graphs).
    static Probabilities by_edge(const double* rows, std::size_t n_graphs) {
        return {.wide = rows, .edge_stride = static_cast<std::ptrdiff_t>(n_graphs)};
    }
};

// Uncertain graphs in canonical order (edges by their nodes, graphs by their rows), without any labels. The
// arrays belong to the caller and are needed only until a Prepared has been constructed.
struct Graphs {
    std::size_t n_graphs = 0;
    std::size_t n_nodes = 0;
    std::size_t n_edges = 0;
    const std::int32_t* edges = nullptr;  // (n_edges, 2)
    Probabilities edge_probability;
    double min_expected_frequency = 0;  // min_sup; admitted subgraphs exceed it by more than 1e-12
};

struct Limits {
    std::size_t n_subgraphs = 1;  // t
    std::size_t max_edges = std::numeric_limits<std::size_t>::max();
    Bound bound = Bound::mass;
    int n_threads = 1;
    double time_limit = std::numeric_limits<double>::infinity();  // seconds
    std::uint64_t node_limit = std::numeric_limits<std::uint64_t>::max();
    // Subgraphs of this many edges are visited but left open, so that the work can be distributed.
    std::size_t open_at = std::numeric_limits<std::size_t>::max();
};

struct Counters {
    std::uint64_t visited = 0;              // admitted subgraphs visited
    std::uint64_t candidates = 0;           // extensions whose frequency was tested
    std::uint64_t evaluated = 0;            // dynamic programs run
    std::uint64_t pruned_by_frequency = 0;  // extensions not admitted
    std::uint64_t pruned_by_bound = 0;      // admitted subgraphs whose supergraphs cannot enter the list
};

// Progress of a running search.
struct Progress {
    Counters counters;
    double threshold = 0;
    double best_open_bound = 0;
    double seconds = 0;
};

// Called about fifty times per second in the calling thread; true ends the search with Status::interrupted.
using Poll = std::function<bool(const Progress&)>;

}  // namespace dugraph
