// Envelope laws: what a support with a known mean can be at most, and at least (Hoeffding 1956). See
// docs/searching.md.
#pragma once

#include <cstddef>
#include <vector>

namespace dugraph {

// A distribution on begin, begin + 1, ...; what was cut off weighs at most `missing`.
struct Law {
    std::size_t begin = 0;
    std::vector<double> mass;
    double missing = 0;
};

// Dominates every support over m graphs whose mean is at most `mean`: binomial above the mean's ceiling, the
// rest on it.
Law high_law(std::size_t m, double mean, double cut);

// Is dominated by every support over m graphs whose mean is at least `mean`: binomial below its floor, the
// rest on it.
Law low_law(std::size_t m, double mean, double cut);

}  // namespace dugraph
