// The mass bound against laws and tables that leave it no room: equal probabilities within a class, which are
// Hoeffding's extreme case, and indicators of tails, at means just inside either end of a cell.
#include <algorithm>

#include "bounds/mass_table.hpp"
#include "modes.hpp"
#include "problems.hpp"

namespace {

using dugraph::MassGrid;

// m probabilities with this mean of their sum: all equal, two points, or as near to certain as it goes.
std::vector<long double> law(check::Random& random, std::size_t m, double mean) {
    const long double share = static_cast<long double>(mean) / static_cast<long double>(m);
    std::vector<long double> x(m, share);
    const std::size_t kind = random.below(4);
    if (kind == 1 || kind == 2) {  // pairs share what they have, a little or as unequally as it goes
        const long double part = kind == 1 ? random.uniform() : 1;
        for (std::size_t i = 0; i + 1 < m; i += 2) {
            const long double more = part * std::min(share, 1 - share);
            x[i] += more;
            x[i + 1] -= more;
        }
    } else if (kind == 3) {
        long double left = mean;
        for (long double& value : x) left -= value = std::min(1.0L, left);
    }
    return x;
}

// A mean in a cell: at its upper end, just above its lower one, or between.
double mean_in_cell(check::Random& random, double low, double high) {
    const std::size_t kind = random.below(3);
    return kind == 0 ? high : low + (high - low) * (kind == 1 ? 1e-6 : random.uniform());
}

struct Case {
    MassGrid grid;
    std::size_t i, j;  // a cell that is not at zero
    std::vector<long double> pos, neg;
    dugraph::ClassMass mass;
};

Case make_case(check::Random& random, bool few_cells) {
    const std::size_t p = random.between(1, 20), q = random.between(1, 20);
    const double top_pos = static_cast<double>(p) * (0.3 + 0.7 * random.uniform()),
                 top_neg = static_cast<double>(q) * (0.3 + 0.7 * random.uniform());
    const MassGrid grid({{top_pos, top_neg}, p, q, 0}, few_cells ? random.between(5, 17) : 33);
    const std::size_t i = random.between(1, grid.cells - 1), j = random.between(1, grid.cells - 1);
    const double a = std::min(mean_in_cell(random, grid.point_pos(i - 1), grid.point_pos(i)), top_pos),
                 b = std::min(mean_in_cell(random, grid.point_neg(j - 1), grid.point_neg(j)), top_neg);
    return {grid,  i, j, problems::distribution(law(random, p, a)), problems::distribution(law(random, q, b)),
            {a, b}};
}

// 1 where f+ (rising in a, falling in b) counts, in the tail from a corner on; likewise f-.
std::vector<double> tail(const MassGrid& grid, std::size_t s, std::size_t t, bool rising) {
    std::vector<double> table;
    for (std::size_t a = 0; a <= grid.n_pos; ++a)
        for (std::size_t b = 0; b <= grid.n_neg; ++b)
            table.push_back((rising ? a >= s && b <= t : a <= s && b >= t) ? 1.0 : 0.0);
    return table;
}

double average(const Case& c, const std::vector<double>& f, const std::vector<double>& g) {
    long double total = 0;
    for (std::size_t a = 0; a < c.pos.size(); ++a)
        for (std::size_t b = 0; b < c.neg.size(); ++b)
            total += c.pos[a] * c.neg[b] * std::max(f[a * c.neg.size() + b], g[a * c.neg.size() + b]);
    return static_cast<double>(total);
}

bool at_most(double value, double bound) { return value <= bound * (1 + 1e-10) + 1e-13; }

}  // namespace

TEST(mass_tables_hold_for_tails_and_equal_probabilities) {
    check::Random random(51);
    for (int round = 0; round < 3000; ++round) {
        const Case c = make_case(random, true);
        const std::vector<double> none((c.grid.n_pos + 1) * (c.grid.n_neg + 1), 0.0);
        std::vector<double> rising = none, falling = none;
        const std::size_t terms = random.between(1, 3);  // sums of tails are all that is monotone
        const std::size_t sides = random.below(3);
        for (std::size_t k = 0; k < terms; ++k) {
            const double weight = random.uniform() + 0.1;
            const auto up =
                           tail(c.grid, random.below(c.grid.n_pos + 2), random.below(c.grid.n_neg + 1), true),
                       down = tail(c.grid, random.below(c.grid.n_pos + 1), random.below(c.grid.n_neg + 2),
                                   false);
            for (std::size_t cell = 0; cell < none.size(); ++cell) {
                rising[cell] += sides != 1 ? weight * up[cell] : 0;
                falling[cell] += sides != 0 ? weight * down[cell] : 0;
            }
        }
        const double cut = random.below(2) ? 1e-20 : 1e-5;  // what is cut off is made up for
        const auto bounds =
            dugraph::envelope_expectation(c.grid, rising, falling, cut, {1, problems::no_stop});
        CHECK(at_most(average(c, rising, falling), bounds[c.i * c.grid.cells + c.j]));
        CHECK(c.grid.cell_pos(c.mass.pos) >= c.i && c.grid.cell_neg(c.mass.neg) >= c.j);
        CHECK(at_most(average(c, rising, falling), dugraph::MassTable(c.grid, bounds).subtree(c.mass)));
    }
}

// Where a quantile lies, by a table of the score's levels; at the jump, too: there quantile is the
// probability below a level, or a hair beside it.
TEST(quantile_tables_hold_at_the_jump) {
    check::Random random(52);
    for (int round = 0; round < 500; ++round) {
        const Case c = make_case(random, false);
        const std::size_t columns = c.grid.n_neg + 1, n_levels = random.between(2, 6);
        std::vector<double> levels;
        for (std::size_t k = 0; k < n_levels; ++k) levels.push_back(static_cast<double>(k));
        std::vector<std::int32_t> level_of;
        const std::size_t kind = random.below(3), s = random.below(c.grid.n_pos + 1);
        for (std::size_t a = 0; a <= c.grid.n_pos; ++a) {
            for (std::size_t b = 0; b < columns; ++b) {
                const double lean = static_cast<double>(a) / static_cast<double>(c.grid.n_pos) -
                                    static_cast<double>(b) / static_cast<double>(c.grid.n_neg);
                const double share = kind == 0 ? (a >= s) : kind == 1 ? std::fabs(lean) : (1 - lean) / 2;
                level_of.push_back(static_cast<std::int32_t>(share * static_cast<double>(n_levels - 1)));
            }
        }
        std::vector<long double> below(n_levels, 0);  // probability up to each level
        for (std::size_t cell = 0; cell < level_of.size(); ++cell)
            for (auto k = static_cast<std::size_t>(level_of[cell]); k < n_levels; ++k)
                below[k] += c.pos[cell / columns] * c.neg[cell % columns];
        const double hair = random.below(2) ? 2e-12 : 1e-9;
        const double quantile =
            random.below(3) ? static_cast<double>(below[random.below(n_levels)]) + hair : random.uniform();
        if (quantile >= 1 || quantile <= 0) continue;
        std::int32_t truth = 0;
        while (below[static_cast<std::size_t>(truth)] < quantile - 1e-12L) ++truth;
        const dugraph::ScoreGrid score({nullptr, level_of.data(), levels.data(), n_levels}, c.grid.n_pos,
                                       c.grid.n_neg);
        for (std::int32_t level = 0; level < static_cast<std::int32_t>(n_levels); ++level) {
            const auto bounds =
                dugraph::quantile_bounds(c.grid, score, level, quantile, {1, problems::no_stop});
            CHECK(bounds[c.i * c.grid.cells + c.j] >= dugraph::step_bound(score, level, truth));
        }
    }
}

// Many graphs, all of one probability at the upper end of a cell: the table has no room but its margins, and
// its law is a product of numbers as large as n log n, each rounded.
TEST(quantile_tables_of_many_graphs_hold_at_the_jump) {
    check::Random random(54);
    int reached = 0;
    for (int round = 0; round < 40; ++round) {
        const std::size_t m = random.between(20'000, 60'000);
        const MassGrid grid({{2'000 + 6'000 * random.uniform(), 0}, m, 1, 0}, 5);  // no power underflows
        const std::size_t i = random.between(1, 4);
        const double mean = grid.point_pos(i);
        const auto pmf = modes::binomial(m, mean);
        // Two levels: the higher one from a support on that is a little above the mean.
        const auto from = static_cast<std::size_t>(
            mean + 2 + random.uniform() * std::sqrt(mean * (1 - mean / static_cast<double>(m))));
        long double high = 0;
        for (std::size_t a = m + 1; a > from; --a) high += pmf[a - 1];
        std::vector<std::int32_t> level_of;
        for (std::size_t cell = 0; cell < 2 * (m + 1); ++cell) level_of.push_back(cell / 2 >= from);
        const std::vector<double> levels{0, 1};
        const dugraph::ScoreGrid score({nullptr, level_of.data(), levels.data(), 2}, m, 1);
        const auto quantile = static_cast<double>(1 - high + 1.1e-12L);  // the lower level does not reach it
        const auto bounds = dugraph::quantile_bounds(grid, score, 1, quantile, {1, problems::no_stop});
        CHECK(bounds[i * grid.cells] >= 1);
        const auto beyond = dugraph::quantile_bounds(grid, score, 1, quantile - 1e-5, {1, problems::no_stop});
        reached += beyond[i * grid.cells] >= 1;
    }
    CHECK(reached == 0);  // nor has it much room
}

// Between certain graphs supports are whole, and a cell knows every pair of them that it holds.
TEST(tables_of_certain_graphs_hold_every_whole_support) {
    check::Random random(53);
    for (int round = 0; round < 200; ++round) {
        const std::size_t p = random.between(1, 12), q = random.between(1, 12);
        const dugraph::ClassMass top{static_cast<double>(random.between(1, p)),
                                     static_cast<double>(random.between(1, q))};
        const double limit = random.uniform() * top.mass();
        const MassGrid grid({top, p, q, limit}, random.between(5, 65));
        std::vector<double> table;
        for (std::size_t cell = 0; cell < (p + 1) * (q + 1); ++cell) table.push_back(random.uniform());
        const dugraph::MassTable bounds(grid, dugraph::certain_values(grid, table));
        for (std::size_t a = 0; a <= static_cast<std::size_t>(top.pos); ++a) {
            for (std::size_t b = 0; b <= static_cast<std::size_t>(top.neg); ++b) {
                const dugraph::ClassMass mass{static_cast<double>(a), static_cast<double>(b)};
                CHECK(bounds.own(mass) >= table[a * (q + 1) + b]);
                if (mass.mass() > limit) CHECK(bounds.subtree(top) >= table[a * (q + 1) + b]);
            }
        }
    }
}
