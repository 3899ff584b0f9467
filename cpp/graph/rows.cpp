#include "graph/rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace dugraph {

namespace {

// More graphs would overflow the 32-bit sums of the rounded rows.
constexpr std::size_t most_graphs = 100'000;
// Numbers read between two polls: some milliseconds.
constexpr std::size_t poll_every = 1 << 22;
// Edges read together: if the values of a graph are contiguous, each cache line is fetched once.
constexpr std::size_t edges_at_once = 16;

// More than the relative rounding error of a mass along a path: sixteen running sums over n graphs, and the
// products of some hundred edges, in units of 2^-52.
double mass_error(std::size_t n_graphs) { return (static_cast<double>(n_graphs) / 16 + 250) * 2.3e-16; }

template <class T>
void read_rows(const T* from, const Probabilities& where, const std::size_t* edges, std::size_t n_edges,
               std::size_t n_graphs, double* to, std::size_t width) {
    std::ptrdiff_t place[edges_at_once];
    for (std::size_t k = 0; k < n_edges; ++k) {
        const std::size_t e = edges[k];
        place[k] =
            (where.edge_places ? where.edge_places[e] : static_cast<std::ptrdiff_t>(e)) * where.edge_stride;
    }
    for (std::size_t i = 0; i < n_graphs; ++i) {
        const T* graph =
            from + (where.graph_places ? where.graph_places[i] : static_cast<std::ptrdiff_t>(i)) *
                       where.graph_stride;
        for (std::size_t k = 0; k < n_edges; ++k) to[k * width + i] = static_cast<double>(graph[place[k]]);
    }
}

// Calls take(edge, its row) for each of the edges, a few of which are read at a time.
template <class Take>
void each_row(const Graphs& graphs, const std::vector<std::size_t>& edges, std::size_t width,
              const std::function<void()>& poll, Take&& take) {
    const Probabilities& from = graphs.edge_probability;
    AlignedVector<double> some(edges_at_once * width, 0.0);
    std::size_t read = 0;
    for (std::size_t first = 0; first < edges.size(); first += edges_at_once) {
        const std::size_t count = std::min(edges_at_once, edges.size() - first);
        if (from.narrow)
            read_rows(from.narrow, from, &edges[first], count, graphs.n_graphs, some.data(), width);
        else
            read_rows(from.wide, from, &edges[first], count, graphs.n_graphs, some.data(), width);
        for (std::size_t k = 0; k < count; ++k) take(edges[first + k], some.data() + k * width);
        if ((read += count * width) < poll_every) continue;
        poll();
        read = 0;
    }
}

}  // namespace

Rows::Rows(const Graphs& graphs, const std::function<void()>& poll)
    : n_graphs(graphs.n_graphs),
      n_nodes(graphs.n_nodes),
      width(whole_blocks(n_graphs, row_block)),
      byte_width(whole_blocks(n_graphs, byte_block)),
      limit((graphs.min_expected_frequency + frequency_tolerance) * static_cast<double>(n_graphs)),
      surely_admitted(limit * (1 + mass_error(n_graphs))),
      surely_not(limit * (1 - mass_error(n_graphs))),
      incident(n_nodes),
      narrow_(graphs.edge_probability.narrow != nullptr),
      ids_(graphs.n_edges, -1) {
    if (n_graphs == 0) throw std::invalid_argument("no graphs");
    if (n_graphs > most_graphs) throw std::invalid_argument("more than 100,000 graphs");
    const AlignedVector<double> ones(width, 1.0);
    std::vector<std::size_t> edges(graphs.n_edges);
    std::iota(edges.begin(), edges.end(), std::size_t{0});
    for (const std::size_t e : edges) {
        for (const std::int32_t node : {graphs.edges[2 * e], graphs.edges[2 * e + 1]}) {
            if (node < 0 || static_cast<std::size_t>(node) >= n_nodes)
                throw std::invalid_argument("an edge has a node out of range");
        }
    }
    std::vector<double> all(graphs.n_edges);
    each_row(graphs, edges, width, poll,
             [&](std::size_t e, const double* row) { all[e] = product_sum(row, ones.data(), width); });
    std::erase_if(edges, [&](std::size_t e) { return !admitted(all[e]); });
    canonical.assign(edges.begin(), edges.end());
    // Rare edges first: all others may extend them, but few extensions are admitted; frequent edges come
    // last, when few extensions are left.
    std::stable_sort(canonical.begin(), canonical.end(),
                     [&](std::int32_t a, std::int32_t b) { return all[a] < all[b]; });
    for (std::size_t id = 0; id < n_edges(); ++id) {
        const auto e = static_cast<std::size_t>(canonical[id]);
        mass.push_back(all[e]);
        node_a.push_back(graphs.edges[2 * e]);
        node_b.push_back(graphs.edges[2 * e + 1]);
        ids_[e] = static_cast<std::int32_t>(id);
        incident[static_cast<std::size_t>(node_a.back())].push_back({ids_[e], node_b.back()});
        incident[static_cast<std::size_t>(node_b.back())].push_back({ids_[e], node_a.back()});
    }
    scale.resize(n_edges());
    if (narrow_)
        narrow_rows_.resize(n_edges() * width);
    else
        rows_.resize(n_edges() * width);
    byte_rows_.resize(n_edges() * byte_width);
    // In memory order, not by id, so that neighbours are read together.
    each_row(graphs, edges, width, poll, [&](std::size_t e, const double* row) {
        const auto id = static_cast<std::size_t>(ids_[e]);
        if (narrow_)
            std::copy(row, row + width, narrow_rows_.data() + id * width);  // exact: converted from float
        else
            std::copy(row, row + width, rows_.data() + id * width);
        certain = certain && std::all_of(row, row + width, [](double p) { return p == 0 || p == 1; });
        scale[id] =
            round_row(row, *std::max_element(row, row + width), width, byte_rows_.data() + id * byte_width);
    });
}

std::int32_t Rows::id_of(std::int32_t canonical_edge) const {
    const auto e = static_cast<std::size_t>(canonical_edge);
    return canonical_edge >= 0 && e < ids_.size() ? ids_[e] : -1;
}

void Rows::copy(std::int32_t id, double* to) const {
    const Row from = row(id);
    if (from.narrow)
        std::copy(from.narrow, from.narrow + width, to);
    else
        std::copy(from.wide, from.wide + width, to);
}

double Rows::canonical_product(std::vector<std::int32_t>& ids, double* out) const {
    std::sort(ids.begin(), ids.end(),
              [&](std::int32_t a, std::int32_t b) { return canonical[a] < canonical[b]; });
    copy(ids[0], out);
    double sum = mass[ids[0]];
    for (std::size_t k = 1; k < ids.size(); ++k) sum = store_product(out, row(ids[k]), width, out);
    return sum;
}

}  // namespace dugraph
