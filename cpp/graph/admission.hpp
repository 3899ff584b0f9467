// Decides whether a subgraph is admitted: by its mass along the path, or by the canonical product if the mass
// is too close to the limit. One per thread. O(1), or O(n size) in the rare close case.
#pragma once

#include <vector>

#include "graph/rows.hpp"

namespace dugraph {

class Admission {
  public:
    explicit Admission(const Rows& rows) : rows_(rows), product_(rows.width) {}

    // Whether path + id is admitted; `mass` is the sum of its product along the path.
    bool operator()(double mass, const std::vector<std::int32_t>& path, std::int32_t id) {
        if (mass > rows_.surely_admitted) return true;
        if (mass <= rows_.surely_not) return false;
        sorted_ = path;
        sorted_.push_back(id);
        return rows_.admitted(rows_.canonical_product(sorted_, product_.data()));
    }

  private:
    const Rows& rows_;
    AlignedVector<double> product_;
    std::vector<std::int32_t> sorted_;
};

}  // namespace dugraph
