// Random small searches, their truth by definition, and what tests of the search share.
#pragma once

#include <atomic>
#include <cstring>
#include <set>

#include "check.hpp"
#include "rank/search.hpp"

namespace problems {

const dugraph::Poll go_on = [](const dugraph::Progress&) { return false; };
inline const std::atomic<bool> no_stop{false};
inline void keep_going() {}

enum class Kind { expectation, phi_probability, quantile, mode, frequency, gain, squared_counts };
inline constexpr std::size_t n_kinds = 7;

struct Problem {
    std::size_t n_nodes = 0, n_graphs = 0, n_edges = 0, n_pos = 0;
    std::vector<std::int32_t> edges, level_of;
    std::vector<double> probability, levels, weights, contrasts;
    std::vector<std::uint8_t> positive;
    Kind kind = Kind::expectation;
    double quantile = 0.5, min_expected_frequency = 0;
    std::int32_t first_level = 0;
    dugraph::Limits limits;

    std::size_t n_neg() const { return n_graphs - n_pos; }
    dugraph::Graphs graphs() const {
        return {n_graphs,
                n_nodes,
                n_edges,
                edges.data(),
                dugraph::Probabilities::by_edge(probability.data(), n_graphs),
                min_expected_frequency};
    }
    dugraph::Goal goal() const;
    dugraph::Prepared prepared() const { return dugraph::Prepared(graphs(), keep_going); }
    dugraph::Result search(const dugraph::Poll& poll = go_on) const {
        return dugraph::search(prepared(), goal(), {}, {}, limits, poll);
    }
};

Problem make_problem(check::Random& random, std::size_t n_nodes, std::size_t n_edges,
                     std::size_t largest_class);
// New classes of the same sizes, in any order, and a new table of levels or new weights.
void relabel(check::Random& random, Problem& problem);

// Of the support over graphs with these containment probabilities, by the plain recursion.
std::vector<long double> distribution(const std::vector<long double>& x);
// By the definition, in extended precision; minus infinity if not admitted.
double true_value(const Problem& problem, const std::vector<std::int32_t>& subgraph);
bool connected(const Problem& problem, const std::vector<std::int32_t>& subgraph);
// Every admitted connected subgraph within max_edges.
std::set<std::vector<std::int32_t>> all_admitted(const Problem& problem);

std::vector<std::int32_t> listed(const dugraph::Result& result, std::size_t k);
// Every entry is connected, admitted and worth what is said, in the order of the ranking.
void check_list(const Problem& problem, const dugraph::Result& result);
bool same_list(const dugraph::Result& a, const dugraph::Result& b);

}  // namespace problems
