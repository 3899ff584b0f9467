// What all supergraphs of a subgraph can be worth at most, given its exact supports in one class: in the
// other class they must keep the mass that admission asks for. See docs/search.md.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "search/programs.hpp"
#include "search/score_grid.hpp"

namespace dugraph {

class KeptMass {
  public:
    using ValuesOf = std::function<std::vector<double>(const std::vector<std::int32_t>& levels)>;

    // The average of g = values_of(level) is to be bounded, g from 0 to top and rising with the level.
    // Supergraphs have a mass above `limit`.
    KeptMass(const ScoreGrid& score, double limit, ValuesOf values_of, double top);

    // With the monotone tables f+ and f- of the score: E g(f+) and E g(f-) of every admitted supergraph are
    // at most these, and E g(f) is at most their sum. `programs` has run on the subgraph, which has these
    // expected supports; what it left out is missing here, too. O(n), and O(n^1.5) for a mass that was not
    // asked for before.
    struct Averages {
        double rising, falling;
    };
    Averages most(const Programs& programs, const ClassMass& mass) const;
    // top - E g(f+) and top - E g(f-) are at least these: no cancellation where an average is close to top.
    Averages least_missing(const Programs& programs, const ClassMass& mass) const;

  private:
    // By the support in one class, the other one's following the low law of the mass it keeps: the average of
    // g, and what it lacks to the top.
    struct Row {
        std::vector<double> average, missing;
    };
    using Rows = std::vector<std::atomic<const Row*>>;  // by the mass kept

    const Row& row(bool rising, double own_mass) const;
    Row make_row(bool rising, double kept) const;

    const ScoreGrid& score_;
    const double limit_, top_, steps_;  // steps to a mass of 1
    const ValuesOf values_of_;
    mutable Rows rising_, falling_;
    mutable std::mutex making_;
    mutable std::deque<Row> made_;
};

}  // namespace dugraph
