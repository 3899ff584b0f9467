#include "search/rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace dugraph {

namespace {

// More graphs would overflow the 32-bit sums of the rounded rows.
constexpr std::size_t most_graphs = 100'000;
// Numbers read between two breaths: some milliseconds.
constexpr std::size_t one_breath = 1 << 22;

// More than the relative rounding error of a mass along a path: sixteen running sums over n graphs, and the
// products of some hundred edges, in units of 2^-52.
double mass_error(std::size_t n_graphs) { return (static_cast<double>(n_graphs) / 16 + 250) * 2.3e-16; }

}  // namespace

Rows::Rows(const Graphs& graphs, const std::function<void()>& breathe)
    : n_graphs(graphs.n_graphs),
      n_nodes(graphs.n_nodes),
      width(whole_blocks(n_graphs, row_block)),
      byte_width(whole_blocks(n_graphs, byte_block)),
      limit((graphs.min_expected_frequency + frequency_tolerance) * static_cast<double>(n_graphs)),
      surely_admitted(limit * (1 + mass_error(n_graphs))),
      surely_not(limit * (1 - mass_error(n_graphs))),
      incident(n_nodes),
      ids_(graphs.n_edges, -1) {
    if (n_graphs == 0) throw std::invalid_argument("no graphs");
    if (n_graphs > most_graphs) throw std::invalid_argument("more than 100,000 graphs");
    const AlignedVector<double> ones(width, 1.0);
    AlignedVector<double> row(width, 0.0);
    std::size_t read = 0;
    const auto copy_row = [&](std::size_t edge, double* to) {
        const double* from = graphs.edge_probability + edge * n_graphs;
        std::copy(from, from + n_graphs, to);
        if ((read += n_graphs) >= one_breath) {
            breathe();
            read = 0;
        }
    };
    std::vector<double> all(graphs.n_edges);
    for (std::size_t e = 0; e < graphs.n_edges; ++e) {
        for (const std::int32_t node : {graphs.edges[2 * e], graphs.edges[2 * e + 1]}) {
            if (node < 0 || static_cast<std::size_t>(node) >= n_nodes)
                throw std::invalid_argument("an edge has a node that is not there");
        }
        copy_row(e, row.data());
        all[e] = product_sum(row.data(), ones.data(), width);
        if (admitted(all[e])) canonical.push_back(static_cast<std::int32_t>(e));
    }
    // Rare edges first: they have all others to extend with, but few that stay admitted; the frequent ones
    // come last, with few left to try.
    std::stable_sort(canonical.begin(), canonical.end(),
                     [&](std::int32_t a, std::int32_t b) { return all[a] < all[b]; });
    rows_.resize(n_edges() * width);
    byte_rows_.resize(n_edges() * byte_width);
    for (std::size_t id = 0; id < n_edges(); ++id) {
        const auto e = static_cast<std::size_t>(canonical[id]);
        double* to = rows_.data() + id * width;
        copy_row(e, to);
        certain = certain && std::all_of(to, to + width, [](double p) { return p == 0 || p == 1; });
        const double top = *std::max_element(to, to + width);
        scale.push_back(round_row(to, top, width, byte_rows_.data() + id * byte_width));
        mass.push_back(all[e]);
        node_a.push_back(graphs.edges[2 * e]);
        node_b.push_back(graphs.edges[2 * e + 1]);
        ids_[e] = static_cast<std::int32_t>(id);
        incident[static_cast<std::size_t>(node_a.back())].push_back({ids_[e], node_b.back()});
        incident[static_cast<std::size_t>(node_b.back())].push_back({ids_[e], node_a.back()});
    }
}

std::int32_t Rows::id_of(std::int32_t canonical_edge) const {
    const auto e = static_cast<std::size_t>(canonical_edge);
    return canonical_edge >= 0 && e < ids_.size() ? ids_[e] : -1;
}

double Rows::canonical_product(std::vector<std::int32_t>& ids, double* out) const {
    std::sort(ids.begin(), ids.end(),
              [&](std::int32_t a, std::int32_t b) { return canonical[a] < canonical[b]; });
    std::copy(row(ids[0]), row(ids[0]) + width, out);
    double sum = mass[ids[0]];
    for (std::size_t k = 1; k < ids.size(); ++k) sum = store_product(out, row(ids[k]), width, out);
    return sum;
}

}  // namespace dugraph
