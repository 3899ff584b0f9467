// The admitted edges of a cohort, laid out for the search.
//
// Edges get search ids in the order in which the search takes them as first edges; `canonical` maps an id
// back. Edges that are not admitted themselves can be in no admitted subgraph and get no id.
#pragma once

#include <cstdint>
#include <vector>

#include "search/input.hpp"
#include "search/kernels.hpp"
#include "search/memory.hpp"

namespace dugraph {

// Relative margin between what screens (products along a path, bounds) and what is listed: far above any
// rounding.
inline constexpr double screen_margin = 1e-9;
// Rule 8 of the docs: admitted is what exceeds the limit by more than this.
inline constexpr double frequency_tolerance = 1e-12;

class Cohort {
  public:
    explicit Cohort(const Input& input);

    std::size_t n_graphs() const { return n_pos + n_neg; }
    std::size_t n_edges() const { return canonical.size(); }
    const double* row(std::int32_t id) const {
        return rows_.data() + static_cast<std::size_t>(id) * shape.size();
    }
    const std::uint8_t* byte_rows() const { return byte_rows_.data(); }

    // The product of the rows of a subgraph in ascending canonical order: the one routine behind every listed
    // value and every close admission. `ids` are sorted by canonical index here.
    Mass canonical_product(std::vector<std::int32_t>& ids, double* out) const;
    bool admitted(const Mass& canonical_mass) const { return canonical_mass.total() > limit; }

    std::size_t n_pos, n_neg, n_nodes;
    bool certain = true;  // every edge is there or not, with probability 1 or 0
    RowShape shape;
    double limit;                              // an admitted subgraph's mass exceeds this
    double surely_admitted, surely_not;        // masses along a path outside these need no second look
    std::vector<std::int32_t> canonical;       // id -> canonical edge index
    std::vector<std::int32_t> node_a, node_b;  // id -> its two nodes
    std::vector<double> scale;                 // id -> scale of its rounded row
    std::vector<Mass> mass;                    // id -> its expected supports
    struct Incidence {
        std::int32_t id;
        std::int32_t other;  // the edge's other node
    };
    std::vector<std::vector<Incidence>> incident;  // node -> its edges, by id

  private:
    AlignedVector<double> rows_;
    AlignedVector<std::uint8_t> byte_rows_;
};

}  // namespace dugraph
