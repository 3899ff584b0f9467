// Which level can be the mode of a score: Newton's inequalities around the modes of the two supports. See
// docs/search.md.
//
// Around its mode k* a support over m graphs falls at least as fast as the binomial with that mode:
//   d(k*+s) <= d(k*) R(k*+s),  R = product of ((k*+1)/(m-k*)) ((m-j)/(j+1)) to the right, likewise to the
//   left.
// A level can be the mode of the score only if its cells (a, b) together reach the weight of the modal cell
// (a*, b*): sum of R(a) R(b) >= 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/mass_table.hpp"

namespace dugraph {

class ModeBound {
  public:
    // `top`: no subgraph has larger expected supports.
    ModeBound(ClassMass top, const ScoreGrid& score);

    // Per cell of a grid: the step bound of the mode against this level.
    std::vector<double> bounds(const MassGrid& grid, std::int32_t level, const Workforce& workforce) const;

  private:
    // Modes come in blocks of neighbours, so that their number grows like the square root of the graphs'.
    struct Blocks {
        Blocks(double top, std::size_t m);
        std::size_t first(std::size_t block) const { return block * width; }
        std::size_t last(std::size_t block) const { return std::min(block * width + width, n_modes) - 1; }
        std::size_t of(double mean) const {
            return std::min(static_cast<std::size_t>(mean), n_modes - 1) / width;
        }
        std::size_t width, n_modes, count;
    };
    // The largest ratios R around the modes of a block, as far as they are not negligible.
    struct Ratios {
        std::size_t begin = 0;
        std::vector<double> of;
        double inside = 0;   // sum of the ratios kept
        double outside = 0;  // at least the sum of those left out
    };
    // A cell whose level has another cell within the reach of the ratios; the others never add up to
    // anything.
    struct Crowded {
        std::int32_t column;
        std::int32_t level;
    };
    struct Bins;

    static Ratios ratios_around(std::size_t m, std::size_t first, std::size_t last);
    void find_crowded();
    std::int32_t nearby(std::size_t a, std::size_t b) const;
    std::int32_t among_crowded(const Ratios& a, const Ratios& b, std::int32_t best, double needed,
                               Bins& bins) const;
    std::vector<std::int32_t> highest_modes(std::int32_t from, const Workforce& workforce) const;

    const ScoreGrid& score_;
    const Blocks pos_, neg_;  // modes that the cohort's subgraphs can have
    std::vector<Ratios> around_pos_, around_neg_;
    std::vector<std::vector<Crowded>> crowded_;  // by row of the score's table
};

}  // namespace dugraph
