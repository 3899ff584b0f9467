// The mode of a score of |a - b| against exact modes, for classes of equal size: equal probabilities, where a
// binomial law is flattest around its mode, and all others.
#include "bounds/folded_mode.hpp"

#include <algorithm>
#include <numeric>

#include "problems.hpp"

namespace {

// The highest of the most likely differences, ties within 1e-12.
std::size_t true_mode(const std::vector<double>& x, const std::vector<double>& z) {
    const auto pos = problems::distribution({x.begin(), x.end()}),
               neg = problems::distribution({z.begin(), z.end()});
    std::vector<long double> weight(pos.size(), 0);
    for (std::size_t a = 0; a < pos.size(); ++a)
        for (std::size_t b = 0; b < neg.size(); ++b) weight[a < b ? b - a : a - b] += pos[a] * neg[b];
    const long double most = *std::max_element(weight.begin(), weight.end());
    std::size_t mode = weight.size() - 1;
    while (weight[mode] < most - 1e-12L) --mode;
    return mode;
}

std::vector<double> leads(std::size_t m) {
    std::vector<double> scores(m + 1);
    std::iota(scores.begin(), scores.end(), 0.0);
    return scores;
}

}  // namespace

TEST(no_mode_of_a_difference_exceeds_that_of_the_means) {
    check::Random random(64);
    int at_bound = 0;
    for (int round = 0; round < 4000; ++round) {
        const std::size_t m = random.between(1, 24);
        std::vector<double> x = random.probabilities(m), z = random.probabilities(m);
        if (random.below(2)) x.assign(m, random.uniform());
        if (random.below(2)) z.assign(m, random.below(3) ? random.uniform() : 0);
        if (random.below(4) == 0) {  // a whole mean, or a hair beside it
            const double mean =
                static_cast<double>(random.below(m + 1)) + 1e-13 * static_cast<double>(random.below(3));
            x.assign(m, std::min(1.0, mean / static_cast<double>(m)));
            z.assign(m, 0.0);
        }
        const dugraph::FoldedMode folded(leads(m));
        const dugraph::ClassMass mass{check::sum(x), check::sum(z)};
        const auto mode = static_cast<double>(true_mode(x, z));
        CHECK(mode <= folded.own_bound(mass));
        at_bound += mode > 2 && mode == folded.own_bound(mass);
        // Of supergraphs, one of which is only just admitted.
        std::vector<double> less_x = x, less_z = z;
        const std::size_t kind = random.below(3);
        const double factor = random.uniform();
        for (double& value : less_x) value *= kind == 0 ? 1 : kind == 1 ? factor : random.uniform();
        for (double& value : less_z) value *= kind == 1 ? 1 : kind == 0 ? factor : random.uniform();
        const double limit = (check::sum(less_x) + check::sum(less_z)) * (1 - 1e-12);
        CHECK(static_cast<double>(true_mode(less_x, less_z)) <= folded.subtree_bound(mass, limit));
    }
    CHECK(at_bound > 300);
}

TEST(only_scores_of_a_difference_are_folded) {
    const std::size_t m = 6;
    std::vector<std::int32_t> level_of;
    for (std::size_t a = 0; a <= m; ++a)
        for (std::size_t b = 0; b <= m; ++b)
            level_of.push_back(static_cast<std::int32_t>(a < b ? b - a : a - b));
    const std::vector<double> levels = leads(m);
    const auto folds = [&](const std::vector<std::int32_t>& of, std::size_t p, std::size_t q) {
        const dugraph::ScoreGrid score({nullptr, of.data(), levels.data(), levels.size()}, p, q);
        return static_cast<bool>(dugraph::FoldedMode(score));
    };
    CHECK(folds(level_of, m, m));
    CHECK(!folds({level_of.begin(), level_of.end() - static_cast<std::ptrdiff_t>(m + 1)}, m - 1, m));
    for (std::size_t cell = 0; cell < level_of.size(); ++cell) {
        std::vector<std::int32_t> other = level_of;
        other[cell] = (other[cell] + 1) % static_cast<std::int32_t>(m + 1);
        CHECK(!folds(other, m, m));
    }
    for (std::int32_t& level : level_of) level = level == 3 ? 2 : level;  // two differences in one level
    CHECK(!folds(level_of, m, m));
}
