#include "search/score_objective.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

double ScoreObjective::promise(const ClassMass& mass) const {
    const auto a = static_cast<std::size_t>(std::lround(mass.pos)),
               b = static_cast<std::size_t>(std::lround(mass.neg));
    return score_.levels[score_.level_of[std::min(a, score_.rows - 1) * score_.columns +
                                         std::min(b, score_.columns - 1)]];
}

std::vector<double> ScoreObjective::ordinary_scores() const {
    return level_values({score_.level_of, score_.level_of + score_.rows * score_.columns}, score_.levels, 0);
}

std::vector<double> ScoreObjective::cell_bounds(const MassGrid& grid, double level,
                                                const Workforce& workforce) const {
    return rows_.certain ? certain_values(grid, ordinary_scores())
                         : uncertain_bounds(grid, static_cast<std::int32_t>(level), workforce);
}

}  // namespace dugraph
