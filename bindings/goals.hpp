// A goal together with the arrays it refers to.
#pragma once

#include <optional>

#include "arrays.hpp"
#include "measures/named_score.hpp"
#include "rank/goal.hpp"

namespace dugraph::bindings {

struct ScoreArrays {
    In<std::uint8_t, 1> positive;
    In<std::int32_t, 2> level_of;
    In<double, 1> levels;
};

struct HeldGoal {
    Goal goal;
    std::optional<ScoreArrays> score;
    std::optional<In<double, 1>> weights;
    std::optional<In<double, 2>> contrasts;
    std::optional<In<std::uint8_t, 1>> positive;  // of two classes with a closed form

    // Whether the arrays have this number of graphs.
    bool fits(std::size_t n_graphs) const;
};

}  // namespace dugraph::bindings
