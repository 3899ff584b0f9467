// Which levels can be the mode of a score, from the rate at which the two support distributions decrease on
// either side of their means. See docs/searching.md.
//
// On either side of its mean mu, a support over m graphs decreases at least as fast as the binomial law of
// that mean:
//   d(k+1) / d(k) <= (mu / (m-mu)) ((m-k) / (k+1)) for k >= mu, likewise to the left.
// R is the product of these ratios, and 1 between the floor and the ceiling of the mean, one of which is the
// mode. A level can be the mode of the score only if its cells (a, b) together reach the weight of the modal
// cell: sum of R(a) R(b) >= 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bounds/mass_table.hpp"

namespace dugraph {

class ModeBound {
  public:
    // `top`: no subgraph has larger expected supports.
    ModeBound(ClassMass top, const ScoreGrid& score);

    // Per cell of a grid: the step bound of the mode against this level.
    std::vector<double> bounds(const MassGrid& grid, std::int32_t level, const Workforce& workforce) const;

  private:
    // Means come in strips of a fraction of a standard deviation.
    struct Strips {
        Strips(double top, std::size_t m);
        double low(std::size_t strip) const { return static_cast<double>(strip) * width; }
        double high(std::size_t strip) const { return static_cast<double>(strip + 1) * width; }
        std::size_t of(double mean) const {
            return std::min(static_cast<std::size_t>(mean / width), count - 1);
        }
        double width;
        std::size_t count;
    };
    // The largest ratios R around the means of a strip, without negligible ones.
    struct Ratios {
        std::size_t begin = 0;
        std::vector<double> of;
        double inside = 0;   // sum of the ratios kept
        double outside = 0;  // at least the sum of those omitted
    };
    // A cell whose level has another cell within the window of the ratios; the others have nothing to add up
    // with.
    struct Crowded {
        std::int32_t column;
        std::int32_t level;
    };
    struct Bins;

    static Ratios ratios_around(std::size_t m, double low, double high);
    void find_crowded();
    std::int32_t alone(const Ratios& a, const Ratios& b, double needed) const;
    std::int32_t among_crowded(const Ratios& a, const Ratios& b, std::int32_t best, double needed,
                               Bins& bins) const;
    std::vector<std::int32_t> highest_modes(std::int32_t from, const Workforce& workforce) const;

    const ScoreGrid& score_;
    const Strips pos_, neg_;  // means that the cohort's subgraphs can have
    std::vector<Ratios> around_pos_, around_neg_;
    std::vector<std::vector<Crowded>> crowded_;  // by row of the score's table
};

}  // namespace dugraph
