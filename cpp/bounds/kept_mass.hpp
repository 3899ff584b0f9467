// Bound on all supergraphs of a subgraph, given its exact support distribution in one class: in the other
// class they must retain the mass that admission requires. See docs/searching.md.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "measures/programs.hpp"
#include "measures/score_grid.hpp"

namespace dugraph {

class KeptMass {
  public:
    // The average of g = value_of_level[level] is to be bounded, which rises from 0 or more. Supergraphs have
    // a mass above `limit`.
    KeptMass(const ScoreGrid& score, double limit, std::vector<double> value_of_level);

    // With the monotone tables f+ and f- of the score: E g(f+) and E g(f-) of every admitted supergraph are
    // at most these, and E g(f) is at most their sum. `programs` has run on the subgraph, which has these
    // expected supports; the mass it omitted is omitted here, too. O(n), and O(n^1.5) for a mass that was not
    // requested before.
    struct Averages {
        double rising, falling;
    };
    Averages most(const Programs& programs, const ClassMass& mass) const;
    // top - E g(f+) and top - E g(f-) are at least these: no cancellation where an average is close to top.
    Averages least_missing(const Programs& programs, const ClassMass& mass) const;

  private:
    // By the support in one class, where the other support follows the low law of the retained mass: the
    // average of g, and its distance from the top.
    struct Row {
        std::vector<double> average, missing;
    };
    using Rows = std::vector<std::atomic<const Row*>>;  // by retained mass

    const Row& row(bool rising, double own_mass) const;
    Row make_row(bool rising, double kept) const;

    const ScoreGrid& score_;
    const double limit_, steps_;  // steps to a mass of 1
    const std::vector<double> value_of_level_;
    const double top_;  // its largest value
    mutable Rows rising_, falling_;
    mutable std::mutex making_;
    mutable std::deque<Row> made_;
};

}  // namespace dugraph
