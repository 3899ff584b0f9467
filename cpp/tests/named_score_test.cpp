// Named scores without tables, against tables of them: shape, edges and levels.
#include "measures/named_score.hpp"

#include <algorithm>
#include <limits>

#include "problems.hpp"

namespace {

using dugraph::NamedScore;
constexpr double infinity = std::numeric_limits<double>::infinity();

NamedScore random_score(check::Random& random, std::size_t largest) {
    const auto name = static_cast<dugraph::ScoreName>(random.below(5));
    const std::size_t p = random.between(1, largest), q = random.below(3) ? random.between(1, largest) : p;
    const NamedScore score(name, p, q);
    if (random.below(3)) return score;
    return {name, p, q, score.top() * (0.1 + 0.8 * random.uniform())};
}

std::vector<double> table_of(const NamedScore& score) {
    std::vector<double> table;
    for (std::size_t a = 0; a <= score.n_pos(); ++a)
        for (std::size_t b = 0; b <= score.n_neg(); ++b) table.push_back(score(a, b));
    return table;
}

// Rule 3.
bool one_level(const NamedScore& score, double lower, double higher) {
    return higher == lower || higher - lower < 1e-12 * score.top();
}

}  // namespace

TEST(named_scores_have_their_shape) {
    check::Random random(81);
    for (int round = 0; round < 300; ++round) {
        const NamedScore score = random_score(random, 30);
        const double hair = 1e-13 * score.top();
        const std::vector<double> table = table_of(score);
        CHECK(*std::max_element(table.begin(), table.end()) == score.top());
        CHECK(*std::min_element(table.begin(), table.end()) == 0);
        for (std::size_t a = 0; a <= score.n_pos(); ++a) {
            std::vector<double> row(score.n_neg() + 1);
            score.row(a, 0, row.size(), row.data());
            for (std::size_t b = 0; b <= score.n_neg(); ++b) {
                CHECK(row[b] == score(a, b));
                const bool falling = b < score.falling(a);
                if (b > 0 && falling) CHECK(score(a, b) <= score(a, b - 1) + hair);
                if (b > 0 && b - 1 >= score.falling(a)) CHECK(score(a, b) + hair >= score(a, b - 1));
                if (a > 0 && b < score.falling(a - 1)) CHECK(score(a, b) + hair >= score(a - 1, b));
                if (a > 0 && !falling) CHECK(score(a, b) <= score(a - 1, b) + hair);
                double worldwise = 0;
                for (std::size_t k = 0; k <= a; ++k)
                    for (std::size_t l = 0; l <= b; ++l) worldwise = std::max(worldwise, score(k, l));
                CHECK(std::max(score(a, 0), score(0, b)) + hair >= worldwise);
            }
        }
    }
}

TEST(staircases_hold_the_scores_that_reach) {
    check::Random random(82);
    for (int round = 0; round < 1000; ++round) {
        const NamedScore score = random_score(random, 40);
        const std::vector<double> table = table_of(score);
        const double level = table[random.below(table.size())];
        const std::size_t kind = random.below(4);
        const double s = kind == 0   ? level
                         : kind == 1 ? std::nextafter(level, infinity)
                                     : level * random.uniform();
        const std::size_t begin = random.below(score.n_neg() + 1),
                          end = random.between(begin, score.n_neg() + 1);
        dugraph::Staircase reached(score, s, begin, end);
        for (std::size_t a = random.below(score.n_pos() + 1); a <= score.n_pos(); ++a) {
            reached.step_to(a);
            for (std::size_t b = begin; b < end; ++b)
                CHECK((b < reached.left || b >= reached.right) == (score(a, b) >= s));
        }
    }
}

// Rule 3 by sorting the whole table.
TEST(levels_without_a_table_are_those_of_the_table) {
    check::Random random(83);
    std::size_t n_merged = 0;
    for (int round = 0; round < 60; ++round) {
        const NamedScore score = random_score(random, round % 4 ? 60 : 400);
        std::vector<double> table = table_of(score);
        std::sort(table.begin(), table.end());
        for (int k = 0; k < 30; ++k) {
            const std::size_t at = random.below(table.size());
            std::size_t first = at, last = at;
            while (first > 0 && one_level(score, table[first - 1], table[first])) --first;
            while (last + 1 < table.size() && one_level(score, table[last], table[last + 1])) ++last;
            n_merged += table[first] < table[last];
            if (table[at] <= 0) continue;
            CHECK(score.level_start(table[at]) == table[first] ||
                  (first == 0 && score.level_start(table[at]) <= 0));
            CHECK(score.level_start(table[last]) <= table[at]);
            // Between two levels: what reaches the upper one.
            const double between = table[at] * (1 - 1e-3 * random.uniform());
            const auto next = std::lower_bound(table.begin(), table.end(), between);
            std::size_t start = static_cast<std::size_t>(next - table.begin());
            while (start > 0 && one_level(score, table[start - 1], table[start])) --start;
            const double found = score.level_start(between);
            CHECK(std::lower_bound(table.begin(), table.end(), found) ==
                  std::lower_bound(table.begin(), table.end(), table[start]));
        }
    }
    CHECK(n_merged > 50);
}
