// The mass bound: an upper bound on the measure of a subgraph and of all its supergraphs from its expected
// supports alone. Tables on a grid with O(1) look-ups. See docs/searching.md for the theory.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/kernels.hpp"
#include "measures/score_grid.hpp"

namespace dugraph {

// The expected supports that subgraphs of two classes can have: none is above `top`, and the sum of both is
// above `limit` if a subgraph is admitted.
struct MassDomain {
    ClassMass top;
    std::size_t n_pos = 0, n_neg = 0;
    double limit = 0;
};

// The grid of expected supports. Its steps grow with the support, as standard deviations do: point i is top
// (i/n)^2. Cell i covers the interval from point i - 1 (exclusive) to point i (inclusive); cell 0 is exactly
// 0.
class MassGrid {
  public:
    MassGrid(const MassDomain& domain, std::size_t cells);

    // Finer grids gain nothing for this number of graphs.
    static std::size_t enough_cells(std::size_t n_graphs) { return 17 + 2 * n_graphs; }

    std::size_t cell_pos(double mass) const { return cell(mass, factor_pos_); }
    std::size_t cell_neg(double mass) const { return cell(mass, factor_neg_); }
    double point_pos(std::size_t i) const { return point(i, factor_pos_); }
    double point_neg(std::size_t j) const { return point(j, factor_neg_); }
    // Lowest and highest means of a cell.
    static std::size_t below(std::size_t i) { return i > 0 ? i - 1 : 0; }
    // Whether a subgraph in this cell can be admitted: judged by its upper corner, so rounding errs on the
    // safe side.
    bool admissible(std::size_t i, std::size_t j) const { return point_pos(i) + point_neg(j) > limit_; }

    std::size_t n_pos, n_neg;
    std::size_t cells;  // along each side

  private:
    std::size_t cell(double mass, double factor) const {
        const auto i = static_cast<std::size_t>(std::ceil(std::sqrt(mass * factor)));
        return i < cells ? i : cells - 1;
    }
    static double point(std::size_t i, double factor) { return static_cast<double>(i * i) / factor; }

    double factor_pos_, factor_neg_, limit_;
};

// Bounds per cell: of a subgraph's own measure, and of the measures of all its admitted supergraphs.
class MassTable {
  public:
    // `own[i * cells + j]` bounds the measure of every subgraph in cell (i, j); the subtree's bound follows
    // as a running maximum over the admissible cells.
    MassTable(const MassGrid& grid, std::vector<double> own);

    double own(const ClassMass& mass) const { return own_[index(mass)]; }
    double subtree(const ClassMass& mass) const { return subtree_[index(mass)]; }

  private:
    std::size_t index(const ClassMass& mass) const {
        return grid_.cell_pos(mass.pos) * grid_.cells + grid_.cell_neg(mass.neg);
    }
    MassGrid grid_;
    std::vector<double> own_, subtree_;
};

// Threads that may help to build a table, and the flag that cancels it; its entries are then invalid.
struct Workforce {
    int n_threads;
    const std::atomic<bool>& stop;
};

// Per cell: E g+(high, low) + E g-(low, high), a bound of E g for every subgraph in the cell and g <= max(g+,
// g-), both tables non-negative with g+ rising in a and falling in b, g- the other way. cut: binomial masses
// below it are omitted (and compensated for).
std::vector<double> envelope_expectation(const MassGrid& grid, const std::vector<double>& rising,
                                         const std::vector<double>& falling, double cut,
                                         const Workforce& workforce);

// Per cell: the largest entry of a table of n_pos + 1 rows at whole supports in the cell; minus infinity if
// it has none. For certain graphs the supports of a subgraph are known integers, so this is its value.
std::vector<double> certain_values(const MassGrid& grid, const std::vector<double>& table);

// Quantile and mode are levels, and all that matters is how the best possible one compares with the
// threshold's level: minus infinity stands for below, the level's value for equal, plus infinity for above.
inline double step_bound(const ScoreGrid& score, std::int32_t level, std::int32_t best) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return best < level ? -infinity : best > level ? infinity : score.levels[level];
}

// Per cell: the step bound of a quantile.
std::vector<double> quantile_bounds(const MassGrid& grid, const ScoreGrid& score, std::int32_t level,
                                    double quantile, const Workforce& workforce);

// Probabilities are screened with this margin, which is above the tolerance at jumps (rule 8) and every
// rounding.
inline constexpr double probability_margin = 1e-11;

}  // namespace dugraph
