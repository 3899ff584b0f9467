#include "rank/search.hpp"

#include <stdexcept>
#include <type_traits>

#include "measures/average.hpp"
#include "measures/frequency.hpp"
#include "measures/gain.hpp"
#include "measures/level.hpp"
#include "measures/squares.hpp"
#include "rank/rank.hpp"
#include "walk/watched.hpp"

namespace dugraph {

// The class of each goal: one line per objective. Only their return types are used, so they have no body.
std::type_identity<ExpectationObjective> objective_of(const Expectation&);
std::type_identity<PhiObjective> objective_of(const PhiProbability&);
std::type_identity<QuantileObjective> objective_of(const Quantile&);
std::type_identity<ModeObjective> objective_of(const Mode&);
std::type_identity<FrequencyObjective> objective_of(const Frequency&);
std::type_identity<GainObjective> objective_of(const Gain&);
std::type_identity<SquaredCountsObjective> objective_of(const SquaredCounts&);

namespace {

Result drive(const Prepared& prepared, const Goal& goal, const Frontier& frontier, const Threshold& start,
             const std::vector<Entry>& known, const Limits& limits, Control& control) {
    if (prepared.rows.n_edges() == 0 || frontier.empty()) {
        Result nothing;
        nothing.frontier.at_start = false;
        return nothing;
    }
    return std::visit(
        [&](const auto& asked) {
            typename decltype(objective_of(asked))::type objective(prepared.rows, asked, limits,
                                                                   control.stop_flag());
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
