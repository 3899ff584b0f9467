#include "search/search.hpp"

#include <stdexcept>

#include "search/average_objectives.hpp"
#include "search/frequency_objective.hpp"
#include "search/gain_objective.hpp"
#include "search/level_objectives.hpp"
#include "search/rank.hpp"
#include "search/squared_counts_objective.hpp"
#include "search/watched.hpp"
#include "search/window_objectives.hpp"

namespace dugraph {

namespace {

// The class that serves a goal.
template <class Goal>
struct ObjectiveOf;
template <>
struct ObjectiveOf<Expectation> {
    using Type = ExpectationObjective;
};
template <>
struct ObjectiveOf<PhiProbability> {
    using Type = PhiObjective;
};
template <>
struct ObjectiveOf<Quantile> {
    using Type = QuantileObjective;
};
template <>
struct ObjectiveOf<Mode> {
    using Type = ModeObjective;
};
template <>
struct ObjectiveOf<NamedExpectation> {
    using Type = WindowExpectationObjective;
};
template <>
struct ObjectiveOf<NamedPhiProbability> {
    using Type = WindowPhiObjective;
};
template <>
struct ObjectiveOf<NamedQuantile> {
    using Type = WindowQuantileObjective;
};
template <>
struct ObjectiveOf<NamedMode> {
    using Type = WindowModeObjective;
};
template <>
struct ObjectiveOf<Frequency> {
    using Type = FrequencyObjective;
};
template <>
struct ObjectiveOf<Gain> {
    using Type = GainObjective;
};
template <>
struct ObjectiveOf<SquaredCounts> {
    using Type = SquaredCountsObjective;
};

Result drive(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
             const std::vector<Entry>& known, const Limits& limits, Control& control) {
    if (prepared.rows.n_edges() == 0 || frontier.empty()) {
        Result nothing;
        nothing.frontier.at_start = false;
        return nothing;
    }
    return std::visit(
        [&]<class G>(const G& asked) {
            typename ObjectiveOf<G>::Type objective(prepared.rows, asked, limits, control.stop_flag());
            return rank(objective, prepared, frontier, start, known, limits, control);
        },
        goal);
}

}  // namespace

Result search(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
              const Limits& limits, const Poll& poll, const std::vector<Entry>& known) {
    if (limits.n_subgraphs == 0 || limits.max_edges == 0 || limits.n_threads < 1) {
        throw std::invalid_argument("n_subgraphs, max_edges and n_threads must be at least 1");
    }
    Control control(limits);
    Result result;
    watched(control, poll, [&] { result = drive(prepared, goal, frontier, start, known, limits, control); });
    return result;
}

}  // namespace dugraph
