// The mode bound against exact modes. Its extreme case is one level that gathers many cells far from the most
// likely one, while every other cell is a level of its own; laws are binomial, which fall most slowly.
#include "bounds/mode_bound.hpp"

#include <algorithm>
#include <tuple>

#include "modes.hpp"

using modes::binomial;
using modes::check_mode;
using modes::gather;
using modes::Laws;
using modes::most_likely;

// The outermost tail that is still as likely as the most likely cell, on either side, in either class; or
// this cell itself. From 400 graphs on the modes come in blocks, whose ends matter for means near 0 and near
// m.
TEST(tails_may_be_the_mode) {
    check::Random random(61);
    int modes = 0;
    for (int round = 0; round < check::rounds(300, 3000); ++round) {
        const std::size_t m = round % 20 ? random.between(3, 40) : random.between(400, 1000);
        double mean = static_cast<double>(random.below(m > 40 && random.below(4) ? 60 : m)) +
                      (random.below(2) ? random.uniform() : 0.97);
        if (random.below(2)) mean = static_cast<double>(m) - mean;
        Laws laws{binomial(m, mean), {1}, {mean, 0}};
        // The other class has one graph, which tells nothing or contains the subgraph with this probability.
        const double z = random.below(2) ? 0 : 0.5;
        laws.neg = {1 - z, z};
        laws.mass.neg = z;
        const bool right = random.below(2), both_columns = z > 0 && random.below(2);
        const long double needed = laws.pos[most_likely(laws.pos)];
        std::vector<bool> chosen((m + 1) * 2, false);
        long double sum = 0;
        const bool itself = random.below(6) == 0;
        for (std::size_t k = 0; k <= m && sum < needed; ++k) {
            const std::size_t a = itself ? most_likely(laws.pos) : right ? m - k : k;
            sum += laws.pos[a] * (both_columns ? 2 : 1);
            chosen[2 * a] = true;
            if (both_columns) chosen[2 * a + 1] = true;
        }
        if (random.below(2)) {  // the same with the classes exchanged
            std::vector<bool> turned;
            for (std::size_t b = 0; b < 2; ++b)
                for (std::size_t a = 0; a <= m; ++a) turned.push_back(chosen[2 * a + b]);
            chosen = turned;
            std::swap(laws.pos, laws.neg);
            std::swap(laws.mass.pos, laws.mass.neg);
        }
        const double room = random.below(2) ? 1 : 1 + random.uniform();
        modes += check_mode(laws, gather(chosen, random.below(2)), random.below(2) ? 17 : 257, room);
    }
    CHECK(modes > 100);
}

// With many graphs a block holds ten modes: its own ones, and tails to either side of it, near 0 and near m.
TEST(every_mode_of_a_block_is_allowed_for) {
    check::Random random(63);
    const std::size_t m = 10000;
    for (int round = 0; round < check::rounds(60, 600); ++round) {
        const double few = 1 + 60 * random.uniform();
        const bool many = random.below(2), right = random.below(2), itself = random.below(3) == 0;
        const double mean = many ? static_cast<double>(m) - few : few;
        const Laws laws{binomial(m, mean), {1, 0}, {mean, 0}};
        const std::size_t mode = most_likely(laws.pos);
        std::vector<bool> chosen(2 * (m + 1), false);
        long double sum = 0;
        for (std::size_t k = 0; k <= m && sum < laws.pos[mode]; ++k) {
            const std::size_t a = itself ? mode : right ? m - k : k;
            sum += laws.pos[a];
            chosen[2 * a] = true;
        }
        CHECK(check_mode(laws, gather(chosen, false), 257, 1.5));
    }
}

// Few cells of one level, near the most likely one or far from it.
TEST(few_cells_may_be_the_mode) {
    check::Random random(62);
    int modes = 0;
    for (int round = 0; round < check::rounds(1500, 15000); ++round) {
        const std::size_t p = random.between(1, 14), q = random.between(1, 14);
        Laws laws;
        const bool equal = random.below(2);
        for (const auto& [m, pmf, mass] :
             {std::tuple{p, &laws.pos, &laws.mass.pos}, {q, &laws.neg, &laws.mass.neg}}) {
            std::vector<double> x = random.probabilities(m);
            if (equal) x.assign(m, random.below(3) ? random.uniform() : 0.5);
            *pmf = problems::distribution({x.begin(), x.end()});
            for (const double value : x) *mass += value;
        }
        std::vector<bool> chosen((p + 1) * (q + 1), false);
        const std::size_t a = most_likely(laws.pos), b = most_likely(laws.neg);
        for (std::size_t k = random.between(2, 6); k > 0; --k) {
            const std::size_t i = std::min(p, a + 4 - std::min(a + 4, random.below(9))),
                              j = std::min(q, b + 4 - std::min(b + 4, random.below(9)));
            chosen[i * (q + 1) + j] = true;
        }
        modes += check_mode(laws, gather(chosen, random.below(2)), random.below(2) ? 9 : 65);
    }
    CHECK(modes > 250);
}

// Two cells as far apart as a window is wide, beside the one graph of the other class.
TEST(two_cells_at_the_ends_of_a_window_add_up) {
    const std::size_t m = 40;
    for (const std::size_t k : {17, 23}) {
        std::vector<bool> in_rows(2 * (m + 1), false), in_columns = in_rows;
        in_rows[2 * k] = in_rows[2 * k + 1] = in_columns[k] = in_columns[m + 1 + k] = true;
        CHECK(check_mode({binomial(m, 20), {0.5, 0.5}, {20, 0.5}}, gather(in_rows, false), 81));
        CHECK(check_mode({{0.5, 0.5}, binomial(m, 20), {0.5, 20}}, gather(in_columns, false), 81));
    }
}

// Cells so unlikely that their ratios are left out, which together make the difference to one cell near the
// mode. The mean lies at the upper end of a strip, 300 to 303: there the bound is closest. Cells up to 304
// count in full, those from 241 to 364 have ratios, and all others belong to the level.
TEST(what_the_mode_bound_leaves_out_is_allowed_for) {
    const std::size_t m = 900;
    const double mean = 302.9;
    const Laws laws{binomial(m, mean), binomial(m, mean), {mean, mean}};
    const auto rare = [](std::size_t k) { return k < 241 || k > 364; };
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{305, 303}, {306, 303}, {303, 305}}) {
        std::vector<bool> chosen;
        for (std::size_t i = 0; i <= m; ++i)
            for (std::size_t j = 0; j <= m; ++j) chosen.push_back(rare(i) || rare(j) || (i == a && j == b));
        CHECK(check_mode(laws, gather(chosen, false), 1025));
    }
}

// Together the cells of high levels weigh more than the most likely one, but each is a level of its own.
TEST(levels_that_only_together_reach_the_modal_weight_are_ruled_out) {
    const std::size_t m = 40;
    const Laws laws{binomial(m, 20), {1, 0}, {20, 0}};
    const auto central = [](std::size_t a) { return a >= 17 && a <= 23; };
    std::vector<std::int32_t> level_of(2 * (m + 1));
    std::int32_t next = 0;
    for (const bool inside : {true, false})
        for (std::size_t a = 0; a <= m; ++a)
            for (std::size_t b = 0; b < 2; ++b)
                if (central(a) == inside) level_of[2 * a + b] = next++;
    std::vector<double> levels;
    for (std::int32_t k = 0; k < next; ++k) levels.push_back(k);
    const dugraph::ScoreGrid score({nullptr, level_of.data(), levels.data(), levels.size()}, m, 1);
    const dugraph::ModeBound bound({20, 0}, score);
    const dugraph::MassGrid grid({{20, 0}, m, 1, 0}, 257);
    const std::int32_t first_outside = level_of[0];
    const dugraph::MassTable table(grid, bound.bounds(grid, first_outside, {1, problems::no_stop}));
    CHECK(table.own(laws.mass) < 0);
}
