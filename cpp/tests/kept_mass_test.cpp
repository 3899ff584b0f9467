// The bound by the mass kept, and what the normal law rules out, against exact distributions of subgraphs and
// of supergraphs that leave these bounds no room.
#include "bounds/kept_mass.hpp"

#include <algorithm>
#include <numeric>

#include "measures/average.hpp"
#include "screens.hpp"

namespace {

struct Cohort {
    std::size_t p, q;
    std::vector<std::uint8_t> positive;  // the first p graphs
    std::vector<double> x;

    std::vector<double> part(const std::vector<double>& row, bool pos) const {
        const auto middle = row.begin() + static_cast<std::ptrdiff_t>(p);
        return pos ? std::vector<double>(row.begin(), middle) : std::vector<double>(middle, row.end());
    }
};

// Equal probabilities within a class are Hoeffding's extreme case; the others are all kinds.
Cohort make_cohort(check::Random& random, std::size_t largest) {
    Cohort cohort{random.between(1, largest), random.between(1, largest), {}, {}};
    for (const bool pos : {true, false}) {
        const std::size_t m = pos ? cohort.p : cohort.q;
        std::vector<double> x = random.probabilities(m);
        if (random.below(2)) x.assign(m, 0.2 + 0.75 * random.uniform());
        cohort.x.insert(cohort.x.end(), x.begin(), x.end());
        cohort.positive.insert(cohort.positive.end(), m, pos);
    }
    return cohort;
}

// A supergraph loses most where that raises the score: here, in one class only, all graphs alike, some of
// them wholly, or at random in both.
std::vector<double> supergraph(check::Random& random, const Cohort& cohort) {
    const std::size_t kind = random.below(4);
    const bool in_pos = random.below(2);
    const double factor = random.uniform();
    std::vector<double> row = cohort.x;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (kind < 3 && (cohort.positive[i] == 1) != in_pos) continue;
        row[i] *= kind == 0 ? factor : kind == 1 ? (random.uniform() < factor) : random.uniform();
    }
    return row;
}

// A score with two sides or one, or steps of one corner each, in a handful of levels.
std::vector<std::int32_t> make_levels(check::Random& random, std::size_t p, std::size_t q,
                                      std::int32_t n_levels) {
    const std::size_t kind = random.below(4), s = random.below(p + 1), t = random.below(q + 1);
    std::vector<std::int32_t> level_of;
    for (std::size_t a = 0; a <= p; ++a) {
        for (std::size_t b = 0; b <= q; ++b) {
            const double lean = static_cast<double>(a) / static_cast<double>(p) -
                                static_cast<double>(b) / static_cast<double>(q);
            const double share = kind == 0   ? std::fabs(lean)
                                 : kind == 1 ? (1 + lean) / 2
                                 : kind == 2
                                     ? (a >= s && b <= t)
                                     : (a + b > 0 ? static_cast<double>(a) / static_cast<double>(a + b) : 0);
            level_of.push_back(static_cast<std::int32_t>(share * (n_levels - 1)));
        }
    }
    return level_of;
}

double average(const std::vector<long double>& pos, const std::vector<long double>& neg,
               const std::vector<double>& table) {
    long double total = 0;
    for (std::size_t a = 0; a < pos.size(); ++a)
        for (std::size_t b = 0; b < neg.size(); ++b) total += pos[a] * neg[b] * table[a * neg.size() + b];
    return static_cast<double>(total);
}

std::vector<long double> law(const std::vector<double>& x) {
    return problems::distribution({x.begin(), x.end()});
}

}  // namespace

TEST(no_supergraph_exceeds_the_bound_by_the_mass_kept) {
    check::Random random(71);
    int tight = 0;
    for (int round = 0; round < 3000; ++round) {
        const Cohort cohort = make_cohort(random, 16);
        const std::vector<double> row = supergraph(random, cohort);
        const double limit = check::sum(row) * (1 - 1e-12);  // it is only just admitted
        const std::int32_t n_levels = static_cast<std::int32_t>(random.between(2, 6));
        const auto level_of = make_levels(random, cohort.p, cohort.q, n_levels);
        std::vector<double> levels(static_cast<std::size_t>(n_levels));
        std::iota(levels.begin(), levels.end(), 0.0);
        const dugraph::ScoreGrid score({nullptr, level_of.data(), levels.data(), levels.size()}, cohort.p,
                                       cohort.q);
        const auto first = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(n_levels)));
        const bool indicator = random.below(2);
        const double top = indicator ? 1 : levels.back();
        std::vector<double> value_of_level = levels;
        for (std::size_t k = 0; indicator && k < levels.size(); ++k)
            value_of_level[k] = static_cast<std::int32_t>(k) >= first;
        const auto values_of = [&](const std::vector<std::int32_t>& of) {
            return dugraph::ScoreGrid::values(of, value_of_level);
        };
        const dugraph::KeptMass kept(score, limit, value_of_level);
        const screens::Row x = screens::padded(cohort.x);
        const dugraph::ClassView view(cohort.positive.data(), cohort.x.size(), x.size());
        dugraph::Programs programs(view, levels.size());
        programs.run(x.data(), 0);
        const dugraph::ClassMass mass{check::sum(cohort.part(cohort.x, true)),
                                      check::sum(cohort.part(cohort.x, false))};
        const auto most = kept.most(programs, mass), missing = kept.least_missing(programs, mass);
        const auto pos = law(cohort.part(row, true)), neg = law(cohort.part(row, false));
        const double rising = average(pos, neg, values_of(score.monotone().rising)),
                     falling = average(pos, neg, values_of(score.monotone().falling)),
                     value = average(pos, neg, values_of(level_of));
        CHECK(rising <= most.rising + 1e-12 && falling <= most.falling + 1e-12);
        CHECK(top - rising >= missing.rising - 1e-12 && top - falling >= missing.falling - 1e-12);
        CHECK(value <= most.rising + most.falling + 1e-12);
        tight += value > 0 && value < top * 0.999 && value > 0.98 * (most.rising + most.falling);
    }
    CHECK(tight > 50);
}

// The normal law may differ from a count by Berry and Esseen's error, and no more: at the threshold of its
// own value a subgraph is never ruled out, and mostly it is where the threshold is far above.
TEST(the_normal_law_rules_out_what_is_far_below_the_threshold_only) {
    check::Random random(72);
    int ruled_out = 0, near = 0;
    for (int round = 0; round < 400; ++round) {
        problems::Problem problem = screens::one_edge(random, 90);
        const std::size_t p = problem.n_pos, q = problem.n_neg();
        const double phi = 0.3 + 0.4 * random.uniform();
        problem.levels = {0, 1};
        problem.level_of.clear();
        for (std::size_t a = 0; a <= p; ++a)
            for (std::size_t b = 0; b <= q; ++b)
                problem.level_of.push_back(static_cast<double>(a) >= phi * static_cast<double>(a + b) &&
                                           a > 0);
        const dugraph::Prepared prepared = problem.prepared();
        const dugraph::PhiObjective objective(prepared.rows, {screens::score_of(problem), 1}, {},
                                              problems::no_stop);
        auto scratch = objective.make_scratch();
        const double level = 0.1 + 0.8 * random.uniform();
        std::vector<double> x(problem.n_graphs, level);
        if (random.below(2))
            for (double& value : x) value = random.below(2) ? level : 1 - level;
        const screens::Row row = screens::padded(x), ones(row.size(), 1.0);
        const auto mass = objective.weigh(row.data(), ones.data());
        const double value = objective.value(row.data(), scratch);
        CHECK(!objective.rules_out({row.data(), mass, 1}, {value, 1}));
        for (const double threshold : {0.6, 0.7, 0.8, 0.9, 0.99, 0.9999}) {
            const bool out = objective.rules_out({row.data(), mass, 1}, {threshold, 1});
            CHECK(!out || value < threshold);
            ruled_out += out;
            near += out && value > threshold - 0.25;
        }
    }
    CHECK(ruled_out > 300 && near > 20);
}

// A single pair of supports reaches the level, and only just lies on the steepest line: a slope that is less
// steep by one negative graph would rule out what is not far below the threshold at all.
TEST(the_line_of_the_normal_law_passes_no_pair_of_supports_by) {
    problems::Problem problem;
    problem.n_nodes = 2, problem.n_edges = 1, problem.n_pos = 20, problem.n_graphs = 220;
    problem.edges = {0, 1};
    problem.probability.assign(problem.n_graphs, 0.999);
    problem.positive.assign(problem.n_graphs, 0);
    std::fill_n(problem.positive.begin(), problem.n_pos, std::uint8_t{1});
    problem.levels = {0, 1};
    for (std::size_t a = 0; a <= problem.n_pos; ++a)
        for (std::size_t b = 0; b <= problem.n_neg(); ++b)
            problem.level_of.push_back(a == problem.n_pos && b <= 1);
    const dugraph::Prepared prepared = problem.prepared();
    const dugraph::PhiObjective objective(prepared.rows, {screens::score_of(problem), 1}, {},
                                          problems::no_stop);
    auto scratch = objective.make_scratch();
    std::vector<double> x(problem.n_graphs, 0.0055);
    std::fill_n(x.begin(), problem.n_pos, 1.0);
    const screens::Row row = screens::padded(x), ones(row.size(), 1.0);
    const double value = objective.value(row.data(), scratch);
    CHECK(value > 0.69 && value < 0.70);  // at most one of 200 graphs with a chance of .0055 each
    CHECK(!objective.rules_out({row.data(), objective.weigh(row.data(), ones.data()), 1}, {value, 1}));
}

// None of 400 graphs contains the supergraph with a probability of 2^-400, far below the masses that the low
// law lists.
TEST(masses_left_out_of_the_low_law_are_allowed_for) {
    const std::size_t p = 1, q = 400;
    std::vector<std::int32_t> level_of(2 * (q + 1), 0);
    level_of[q + 1] = 1;  // the positive graph contains it, no negative one does
    const std::vector<double> levels{0, 1};
    const dugraph::ScoreGrid score({nullptr, level_of.data(), levels.data(), levels.size()}, p, q);
    const dugraph::KeptMass kept(score, 201, levels);
    Cohort cohort{p, q, std::vector<std::uint8_t>(p + q, 0), std::vector<double>(p + q, 0.5)};
    cohort.positive[0] = 1;
    cohort.x[0] = 1;
    const screens::Row x = screens::padded(cohort.x);
    const dugraph::ClassView view(cohort.positive.data(), cohort.x.size(), x.size());
    dugraph::Programs programs(view, levels.size());
    programs.run(x.data(), 0);
    CHECK(kept.most(programs, {1, 200}).rising >= std::pow(0.5, 400));
}
