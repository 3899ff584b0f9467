#include "search/cohort.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace dugraph {

namespace {

// More graphs would overflow the 32-bit sums of the rounded rows.
constexpr std::size_t most_graphs = 100'000;

// More than the relative rounding error of a mass along a path: sixteen running sums over n graphs, and the
// products of some hundred edges, in units of 2^-52.
double mass_error(std::size_t n_graphs) { return (static_cast<double>(n_graphs) / 16 + 250) * 2.3e-16; }

void copy_row(const Input& input, std::size_t edge, const RowShape& shape, double* row) {
    const double* from = input.edge_probability + edge * (input.n_pos + input.n_neg);
    std::fill(row, row + shape.size(), 0.0);
    std::copy(from, from + input.n_pos, row);
    std::copy(from + input.n_pos, from + input.n_pos + input.n_neg, row + shape.pos);
}

}  // namespace

Cohort::Cohort(const Input& input)
    : n_pos(input.n_pos),
      n_neg(input.n_neg),
      n_nodes(input.n_nodes),
      shape(row_shape(input.n_pos, input.n_neg)),
      limit((input.min_expected_frequency + frequency_tolerance) *
            static_cast<double>(input.n_pos + input.n_neg)),
      surely_admitted(limit * (1 + mass_error(input.n_pos + input.n_neg))),
      surely_not(limit * (1 - mass_error(input.n_pos + input.n_neg))),
      incident(input.n_nodes) {
    if (n_pos == 0 || n_neg == 0) throw std::invalid_argument("both classes need a graph");
    if (n_graphs() > most_graphs) throw std::invalid_argument("more than 100,000 graphs");
    AlignedVector<double> ones(shape.size(), 1.0), row(shape.size());
    std::vector<Mass> all(input.n_edges);
    for (std::size_t e = 0; e < input.n_edges; ++e) {
        copy_row(input, e, shape, row.data());
        all[e] = store_product(ones.data(), row.data(), shape.pos, shape.neg, row.data());
        if (admitted(all[e])) canonical.push_back(static_cast<std::int32_t>(e));
    }
    // Rare edges first: they have all others to extend with, but few that stay admitted; the frequent ones
    // come last, with few left to try.
    std::stable_sort(canonical.begin(), canonical.end(),
                     [&](std::int32_t a, std::int32_t b) { return all[a].total() < all[b].total(); });
    rows_.resize(n_edges() * shape.size());
    byte_rows_.resize(n_edges() * shape.byte_size());
    for (std::size_t id = 0; id < n_edges(); ++id) {
        const auto e = static_cast<std::size_t>(canonical[id]);
        double* to = rows_.data() + id * shape.size();
        copy_row(input, e, shape, to);
        certain = certain && std::all_of(to, to + shape.size(), [](double p) { return p == 0 || p == 1; });
        const double top = *std::max_element(to, to + shape.size());
        scale.push_back(round_row(to, top, shape, byte_rows_.data() + id * shape.byte_size()));
        mass.push_back(all[e]);
        node_a.push_back(input.edges[2 * e]);
        node_b.push_back(input.edges[2 * e + 1]);
        incident[static_cast<std::size_t>(node_a.back())].push_back(
            {static_cast<std::int32_t>(id), node_b.back()});
        incident[static_cast<std::size_t>(node_b.back())].push_back(
            {static_cast<std::int32_t>(id), node_a.back()});
    }
}

Mass Cohort::canonical_product(std::vector<std::int32_t>& ids, double* out) const {
    std::sort(ids.begin(), ids.end(),
              [&](std::int32_t a, std::int32_t b) { return canonical[a] < canonical[b]; });
    std::copy(row(ids[0]), row(ids[0]) + shape.size(), out);
    Mass mass_of_product = mass[ids[0]];
    for (std::size_t k = 1; k < ids.size(); ++k) {
        mass_of_product = store_product(out, row(ids[k]), shape.pos, shape.neg, out);
    }
    return mass_of_product;
}

}  // namespace dugraph
