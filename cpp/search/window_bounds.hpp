// The mass bound of a named score: as from tables of the score, by its shape instead. See docs/search.md.
#pragma once

#include <functional>
#include <vector>

#include "search/mass_table.hpp"
#include "search/named_score.hpp"

namespace dugraph {

// Per cell: a bound of Pr[f >= s] for every subgraph in it. cut: masses of the envelope laws below it are
// left out (and made up for). O(cells^2 w + n) for envelope laws of w supports.
std::vector<double> window_tails(const MassGrid& grid, const NamedScore& score, double s, double cut,
                                 const Workforce& workforce);

// Per cell: a bound of E f. Neighbouring supports of the envelope laws are taken together, outward.
std::vector<double> window_expectation(const MassGrid& grid, const NamedScore& score,
                                       const Workforce& workforce);

// Per cell: at least the score of all whole supports in it, which is what certain graphs have.
std::vector<double> window_certain(const MassGrid& grid, const NamedScore& score);

// Per cell: no less likely than this is the most likely pair of supports of any subgraph in it.
std::vector<double> least_modal_probability(const MassGrid& grid);

}  // namespace dugraph
