// Tables in use: whichever were made before, what is said of open work holds for all of it, at the level
// asked.
#include <algorithm>

#include "check.hpp"
#include "search/mass_bound.hpp"

TEST(open_work_is_bounded_at_the_level_that_is_asked_for) {
    check::Random random(94);
    const std::atomic<bool> go_on{false};
    for (int round = 0; round < 60; ++round) {
        const std::size_t p = random.between(2, 30), q = random.between(2, 30);
        const dugraph::ClassMass top{static_cast<double>(p) * 0.9, static_cast<double>(q) * 0.8};
        const double limit = random.uniform() * 0.5 * top.mass();
        // Smaller subgraphs are better, so that the best is never an open one itself.
        const auto worth = [&](double a, double b, std::int32_t level) {
            return 100 * static_cast<double>(level) + 50 - a - b;
        };
        dugraph::MassBound bound(
            top, p, q, limit, true, random.below(2), {1, go_on},
            [&](const dugraph::MassGrid& grid, std::int32_t level, const dugraph::Workforce&) {
                std::vector<double> own;
                for (std::size_t i = 0; i < grid.cells; ++i)
                    for (std::size_t j = 0; j < grid.cells; ++j)
                        own.push_back(worth(grid.point_pos(dugraph::MassGrid::below(i)),
                                            grid.point_neg(dugraph::MassGrid::below(j)), level));
                return own;
            });
        for (int step = 0; step < 6; ++step) {
            if (random.below(2)) {
                const auto done = std::uint64_t{1} << random.between(10, 40);
                bound.sharpen(static_cast<std::int32_t>(random.below(3)), {done, done, random.uniform()});
            }
            std::vector<dugraph::ClassMass> open;
            for (std::size_t k = random.between(1, 4); k > 0; --k)
                open.push_back({top.pos * random.uniform(), top.neg * random.uniform()});
            const auto level = static_cast<std::int32_t>(random.below(3));
            const double most = bound.largest(open, level);
            for (const dugraph::ClassMass& mass : open) {
                for (double share = 1; share > 0 && mass.mass() * share > limit; share -= 0.1)
                    CHECK(most >= worth(mass.pos * share, mass.neg * share, level));
            }
            CHECK(most < 100 * static_cast<double>(level) + 51);  // nor for a higher level
        }
    }
}

TEST(a_slice_begins_with_the_table_of_the_one_before_it) {
    const std::atomic<bool> go_on{false};
    dugraph::KeptTables kept;
    int n_made = 0;
    const auto slice = [&](double level, dugraph::Effort effort, std::uint64_t met_before) {
        dugraph::MassBound bound({20, 20}, 25, 25, 1, true, true, {1, go_on},
                                 [&](const dugraph::MassGrid& grid, double, const dugraph::Workforce&) {
                                     ++n_made;
                                     return std::vector<double>(grid.cells * grid.cells, 7);
                                 },
                                 {met_before, 0, &kept});
        CHECK(bound.own({1, 1}) > 7);  // nothing is known before the level is
        bound.sharpen(level, effort);
        return bound.own({1, 1}) == 7;
    };
    CHECK(!slice(3, {8, 0, 0}, 0));           // eight subgraphs are not worth a table
    CHECK(!slice(3, {8, 0, 0}, 80));          // nor are eighty
    CHECK(slice(3, {8, 0, 0}, 100'000'000));  // but these are, though they were met in other slices
    CHECK(n_made == 1);
    CHECK(slice(3, {8, 0, 0}, 100'000'008));
    CHECK(slice(4, {0, 0, 0}, 100'000'016));  // it serves higher levels, too
    CHECK(n_made == 1);
    CHECK(!slice(2, {8, 0, 0}, 100'000'024));  // not lower ones, and it is too early for another table
    CHECK(slice(3, {8, 0, 0}, 100'000'032));   // it is still there
    CHECK(n_made == 1);
    CHECK(slice(2, {8, 0, 0}, 1'000'000'000));  // now there is one for the lower level
    CHECK(n_made == 2);
    CHECK(slice(2, {8, 0, 0}, 1'000'000'008));
    CHECK(n_made == 2);
}
