// What goes into the search and what comes out: plain arrays and numbers, no Python, no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace dugraph {

enum class Measure : int { expectation, quantile, mode, phi_probability, frequency, gain };
enum class Bound : int { frequency, worldwise, mass };
enum class Status : int { optimal, time_limit, node_limit, interrupted };

// A cohort in canonical order (edges by nodes, graphs within a class by their rows), a score as a table of
// levels, and the limits of the search. All arrays stay the caller's.
struct Input {
    std::size_t n_pos = 0;
    std::size_t n_neg = 0;
    std::size_t n_nodes = 0;
    std::size_t n_edges = 0;
    const std::int32_t* edges = nullptr;       // (n_edges, 2)
    const double* edge_probability = nullptr;  // (n_edges, n_pos + n_neg), positive graphs first

    Measure measure = Measure::expectation;
    double quantile = 0.5;
    std::int32_t first_level = 0;  // phi-probability: the lowest level that counts as >= phi
    double square_scale = 0;  // > 0: the score is square_scale (a n_neg - b n_pos)^2, which has a closed form
    const std::int32_t* level_of = nullptr;  // (n_pos + 1, n_neg + 1)
    const double* levels = nullptr;          // ascending
    std::size_t n_levels = 0;

    const double* weights = nullptr;  // gain: absolute weights of the graphs, (n_pos + n_neg,)

    std::size_t n_subgraphs = 1;                              // t
    double floor = -std::numeric_limits<double>::infinity();  // listed is what exceeds it
    double min_expected_frequency = 0;  // min_sup; admitted is what exceeds it by more than 1e-12
    std::size_t max_edges = std::numeric_limits<std::size_t>::max();
    Bound bound = Bound::mass;
    int n_threads = 1;
    double time_limit = std::numeric_limits<double>::infinity();  // seconds
    std::uint64_t node_limit = std::numeric_limits<std::uint64_t>::max();
};

struct Counters {
    std::uint64_t visited = 0;              // admitted subgraphs met
    std::uint64_t candidates = 0;           // extensions whose frequency was tested
    std::uint64_t evaluated = 0;            // dynamic programs run
    std::uint64_t pruned_by_frequency = 0;  // extensions not admitted
    std::uint64_t pruned_by_bound = 0;      // admitted subgraphs whose supergraphs cannot enter the list
};

struct Result {
    std::vector<std::int64_t> indptr{0};   // subgraph k is edge_index[indptr[k] .. indptr[k + 1]), best first
    std::vector<std::int32_t> edge_index;  // canonical edge indices, ascending within a subgraph
    std::vector<double> values;
    Status status = Status::optimal;
    double threshold = -std::numeric_limits<double>::infinity();  // worst value of a full list
    double best_open_bound = -std::numeric_limits<double>::infinity();
    Counters counters;
    double seconds = 0;
    double setup_seconds = 0;
};

// A look at a running search.
struct Progress {
    Counters counters;
    double threshold = 0;
    double best_open_bound = 0;
    double seconds = 0;
};

// Asked some fifty times a second in the calling thread; true ends the search with Status::interrupted.
using Poll = std::function<bool(const Progress&)>;

// The t best connected subgraphs, exactly, unless a limit ends the search first. The answer does not depend
// on the bound, the number of threads or the machine. Throws std::invalid_argument on inconsistent input.
Result search_subgraphs(const Input& input, const Poll& poll);

}  // namespace dugraph
