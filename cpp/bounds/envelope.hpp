// Envelope laws: stochastic upper and lower bounds of a support with a known mean (Hoeffding 1956). See
// docs/searching.md.
#pragma once

#include <cstddef>
#include <vector>

namespace dugraph {

// A distribution on begin, begin + 1, ...; the truncated mass is at most `missing`.
struct Law {
    std::size_t begin = 0;
    std::vector<double> mass;
    double missing = 0;
};

// Dominates every support over m graphs whose mean is at most `mean`: binomial above the ceiling of the mean,
// the remaining mass on the ceiling.
Law high_law(std::size_t m, double mean, double cut);

// Is dominated by every support over m graphs whose mean is at least `mean`: binomial below the floor of the
// mean, the remaining mass on the floor.
Law low_law(std::size_t m, double mean, double cut);

}  // namespace dugraph
