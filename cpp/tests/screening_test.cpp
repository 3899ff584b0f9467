// What screens a subgraph never rejects what its exact value would list, though one comes from the product
// along a path and the other from the canonical product.
#include <algorithm>
#include <memory>
#include <numeric>

#include "measures/average.hpp"
#include "measures/frequency.hpp"
#include "measures/gain.hpp"
#include "measures/squares.hpp"
#include "screens.hpp"

using problems::Problem;

namespace {

// The same rows multiplied in two orders: equal but for rounding.
struct Products {
    std::vector<double> path, canonical;
};

Products products(check::Random& random, std::size_t n) {
    std::vector<std::vector<double>> rows;
    for (std::size_t k = random.between(2, 5); k > 0; --k) {
        rows.push_back(random.probabilities(n));
        if (random.below(2)) rows.back().assign(n, 0.5 + 0.5 * random.uniform());
        for (double& p : rows.back()) p = std::min(p, 0.999);
    }
    Products x{rows[0], rows.back()};
    for (std::size_t k = 1; k < rows.size(); ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            x.path[i] *= rows[k][i];
            x.canonical[i] *= rows[rows.size() - 1 - k][i];
        }
    }
    return x;
}

}  // namespace

TEST(averages_are_not_screened_out_at_their_own_value) {
    check::Random random(92);
    for (int round = 0; round < 300; ++round) {
        Problem problem = screens::one_edge(random, round % 2 ? 8 : 60);
        if (random.below(2))  // no level is 0 or below
            for (double& level : problem.levels) level += 4;
        if (random.below(2))
            for (double& weight : problem.weights) weight = std::fabs(weight);
        const dugraph::ClassScore score = screens::score_of(problem);
        dugraph::Limits limits;
        limits.bound = static_cast<dugraph::Bound>(random.below(3));
        const dugraph::Prepared prepared = problem.prepared();
        const Products x = products(random, problem.n_graphs);
        if (!prepared.rows.admitted(0.9 * std::accumulate(x.path.begin(), x.path.end(), 0.0))) continue;
        const auto check = [&](auto objective) {
            auto scratch = objective->make_scratch();
            const double value = objective->value(screens::padded(x.canonical).data(), scratch);
            screens::make_tables(*objective, value);
            screens::check_screens(*objective, screens::padded(x.path), value, scratch);
        };
        const auto& rows = prepared.rows;
        const auto& stop = problems::no_stop;
        using std::make_unique;
        check(make_unique<dugraph::ExpectationObjective>(rows, dugraph::Expectation{score}, limits, stop));
        const dugraph::PhiProbability phi{score, std::min(problem.first_level, 3)};
        check(make_unique<dugraph::PhiObjective>(rows, phi, limits, stop));
        check(make_unique<dugraph::FrequencyObjective>(rows, dugraph::Frequency{}, limits, stop));
        check(make_unique<dugraph::GainObjective>(rows, dugraph::Gain{problem.weights.data()}, limits, stop));
    }
}

// So few graphs that no program leaves anything out, which would hide a missing margin.
TEST(likely_scores_are_not_screened_out_at_their_own_value) {
    check::Random random(96);
    dugraph::Limits limits;
    limits.bound = dugraph::Bound::mass;
    int checked = 0;
    for (int round = 0; round < 6000; ++round) {
        const Problem problem = screens::one_edge(random, 6);
        const dugraph::Prepared prepared = problem.prepared();
        const Products x = products(random, problem.n_graphs);
        if (!prepared.rows.admitted(0.9 * std::accumulate(x.path.begin(), x.path.end(), 0.0))) continue;
        const dugraph::PhiProbability goal{screens::score_of(problem), 1};
        dugraph::PhiObjective objective(prepared.rows, goal, limits, problems::no_stop);
        auto scratch = objective.make_scratch();
        const double value = objective.value(screens::padded(x.canonical).data(), scratch);
        if (value <= 0.5) continue;
        screens::check_screens(objective, screens::padded(x.path), value, scratch);
        ++checked;
    }
    CHECK_WITH(checked > 500, std::to_string(checked));
}

// The closed form of squared counts: weights of two classes, and of one contrast whose weights all have one
// sign; probabilities of any kind, and close to 1, where nothing varies and the square is all there is.
TEST(squared_counts_are_not_screened_out_at_their_own_value) {
    check::Random random(95);
    int checked = 0;
    for (int round = 0; round < 2000; ++round) {
        Problem problem = screens::one_edge(random, round % 2 ? 8 : 60);
        const auto p = static_cast<double>(problem.n_pos), q = static_cast<double>(problem.n_neg());
        std::vector<double> classes, one_sided;
        for (std::size_t i = 0; i < problem.n_graphs; ++i) {
            classes.push_back(problem.positive[i] ? q : -p);
            one_sided.push_back(std::fabs(problem.weights[i]));
        }
        dugraph::Limits limits;
        limits.bound = static_cast<dugraph::Bound>(random.below(3));
        const dugraph::Prepared prepared = problem.prepared();
        Products x = products(random, problem.n_graphs);
        if (random.below(2)) {
            const double share = std::pow(10.0, -1 - static_cast<double>(random.below(16)));
            for (std::size_t i = 0; i < problem.n_graphs; ++i) {
                const double rows[3] = {1 - share * random.uniform(), 1 - share * random.uniform(),
                                        1 - share * random.uniform()};
                x.path[i] = rows[0] * rows[1] * rows[2];
                x.canonical[i] = rows[2] * rows[1] * rows[0];
            }
        }
        if (!prepared.rows.admitted(0.9 * std::accumulate(x.path.begin(), x.path.end(), 0.0))) continue;
        const auto check = [&](const dugraph::SquaredCounts& goal) {
            dugraph::SquaredCountsObjective objective(prepared.rows, goal, limits, problems::no_stop);
            auto scratch = objective.make_scratch();
            const double value = objective.value(screens::padded(x.canonical).data(), scratch);
            screens::check_screens(objective, screens::padded(x.path), value, scratch);
            ++checked;
        };
        check({classes.data(), 1, 0.25, nullptr});
        check({classes.data(), 1, 0.25, problem.positive.data()});
        check({one_sided.data(), 1, 0.25, nullptr});
    }
    CHECK(checked > 3000);
}
