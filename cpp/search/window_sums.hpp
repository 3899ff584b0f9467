// Sums of a named score over the supports that a subgraph can have: the windows of its two distributions. The
// same numbers, to the byte, as from a table of the score; see docs/search.md.
#pragma once

#include <cstdint>
#include <vector>

#include "search/named_score.hpp"
#include "search/programs.hpp"

namespace dugraph {

// The work arrays of one thread. Windows of w graphs have O(w^2) cells, edges between scores O(w).
class WindowSums {
  public:
    explicit WindowSums(const NamedScore& score) : score_(&score) {}

    // E f; cells less likely than `cut` are left out. O(w^2).
    double average(const Programs& programs, double cut);
    // E f^, the paper's bound, and Pr[f^ >= s].
    double worldwise_average(const Programs& programs);
    double worldwise_from(const Programs& programs, double s);

    // Pr[f >= s] and Pr[f < s], added up as over a table. O(w^2), without a score for most cells.
    double probability_from(const Programs& programs, double s);
    double probability_below(const Programs& programs, double s);
    // Pr[f >= s] in any order of addition. O(w).
    double screened_from(const Programs& programs, double s);

    // The smallest level whose cumulated probability reaches `quantile` less the tolerance of rule 8.
    double quantile(const Programs& programs, double quantile);
    // The highest level whose probability is within `tie` of the largest. Scores that the window holds are
    // merged among themselves, and the level has the value that it has in the whole table. O(w^2 log w).
    double mode(const Programs& programs, double tie);
    // Whether a level from s on may have a probability of at least `least`, which has a margin.
    bool mode_may_reach(const Programs& programs, double s, double least);

  private:
    struct Cell {
        double score, probability;
    };
    // Takes the cells from s on that are at least as likely as `cut`; returns what the others weigh together.
    double collect(const Programs& programs, double s, double cut);
    // Takes away cells whose level cannot be as likely as `least`, and puts the others in order.
    void keep_crowded(double least);
    // Makes levels of the cells: their highest score, their probability.
    void merge_cells();

    const NamedScore* score_;
    std::vector<double> row_, sums_left_, sums_right_;
    std::vector<std::int32_t> reaches_;
    std::vector<Cell> cells_;
    std::vector<double> crowds_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace dugraph
