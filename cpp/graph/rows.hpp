// The admitted edges of uncertain graphs, laid out for the search, independent of classes.
//
// Edges get search ids in the order in which the search takes them as first edges; `canonical` maps an id
// back. Edges that are not admitted cannot be part of an admitted subgraph and have no id.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/memory.hpp"
#include "walk/problem.hpp"

namespace dugraph {

// Relative margin between screening (products along a path, bounds) and listed values; far above any rounding
// error.
inline constexpr double screen_margin = 1e-9;
// Rule 8 of the docs: a subgraph is admitted if it exceeds the limit by more than this.
inline constexpr double frequency_tolerance = 1e-12;

class Rows {
  public:
    // `poll` is called periodically and may throw to cancel. Needs memory for the admitted rows and a few
    // more. O(n_edges n_graphs).
    Rows(const Graphs& graphs, const std::function<void()>& poll);

    std::size_t n_edges() const { return canonical.size(); }
    Row row(std::int32_t id) const {
        const std::size_t first = static_cast<std::size_t>(id) * width;
        return narrow_ ? Row(narrow_rows_.data() + first) : Row(rows_.data() + first);
    }
    void copy(std::int32_t id, double* to) const;
    const std::uint8_t* byte_row(std::int32_t id) const {
        return byte_rows_.data() + static_cast<std::size_t>(id) * byte_width;
    }
    const std::uint8_t* byte_rows() const { return byte_rows_.data(); }
    // The id of a canonical edge; -1 if it is not admitted.
    std::int32_t id_of(std::int32_t canonical_edge) const;

    // The product of the rows of a subgraph in ascending canonical order, used for every listed value and
    // every close admission; returns its sum. Sorts `ids` by canonical index.
    double canonical_product(std::vector<std::int32_t>& ids, double* out) const;
    bool admitted(double canonical_mass) const { return canonical_mass > limit; }

    std::size_t n_graphs, n_nodes;
    std::size_t width, byte_width;             // of a padded row, and of a rounded one
    bool certain = true;                       // all probabilities are 0 or 1
    double limit;                              // an admitted subgraph's mass exceeds this
    double surely_admitted, surely_not;        // masses along a path outside this range are conclusive
    std::vector<std::int32_t> canonical;       // id -> canonical edge index
    std::vector<std::int32_t> node_a, node_b;  // id -> its two nodes
    std::vector<double> scale;                 // id -> scale of its rounded row
    std::vector<double> mass;                  // id -> its sum over the graphs: expected number of graphs
    struct Incidence {
        std::int32_t id;
        std::int32_t other;  // the edge's other node
    };
    std::vector<std::vector<Incidence>> incident;  // node -> its edges, by id

  private:
    bool narrow_;  // whether rows are in single precision, as in the input
    AlignedVector<double> rows_;
    AlignedVector<float> narrow_rows_;  // one of the two
    AlignedVector<std::uint8_t> byte_rows_;
    std::vector<std::int32_t> ids_;  // canonical edge index -> id
};

}  // namespace dugraph
