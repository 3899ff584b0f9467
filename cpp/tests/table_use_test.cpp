// Tables in use: whichever were made before, what is said of open work holds for all of it, at the level
// asked.
#include <algorithm>

#include "bounds/mass_bound.hpp"
#include "check.hpp"

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
        using Grids = dugraph::MassBound::Grids;
        dugraph::MassBound bound({top, p, q, limit}, random.below(2) ? Grids::coarse_first : Grids::finest,
                                 {1, go_on});
        const auto bounds_at = [&](std::int32_t level) {
            return [&, level](const dugraph::MassGrid& grid, const dugraph::Workforce&) {
                std::vector<double> own;
                for (std::size_t i = 0; i < grid.cells; ++i)
                    for (std::size_t j = 0; j < grid.cells; ++j)
                        own.push_back(worth(grid.point_pos(dugraph::MassGrid::below(i)),
                                            grid.point_neg(dugraph::MassGrid::below(j)), level));
                return own;
            };
        };
        for (int step = 0; step < 6; ++step) {
            if (random.below(2)) {
                const auto done = std::uint64_t{1} << random.between(10, 40);
                const auto level = static_cast<std::int32_t>(random.below(3));
                bound.sharpen(level, {done, done, random.uniform()}, bounds_at(level));
            }
            std::vector<dugraph::ClassMass> open;
            for (std::size_t k = random.between(1, 4); k > 0; --k)
                open.push_back({top.pos * random.uniform(), top.neg * random.uniform()});
            const auto level = static_cast<std::int32_t>(random.below(3));
            const double most = bound.largest(open, level, bounds_at(level));
            for (const dugraph::ClassMass& mass : open) {
                for (double share = 1; share > 0 && mass.mass() * share > limit; share -= 0.1)
                    CHECK(most >= worth(mass.pos * share, mass.neg * share, level));
            }
            CHECK(most < 100 * static_cast<double>(level) + 51);  // nor for a higher level
        }
    }
}

TEST(a_table_cut_short_by_a_stop_is_not_used) {
    const std::atomic<bool> stopped{true};
    dugraph::MassBound bound({{9, 8}, 10, 10, 1}, dugraph::MassBound::Grids::finest, {1, stopped});
    const std::uint64_t done = std::uint64_t{1} << 40;
    bound.sharpen(0, {done, done, 1.0}, [](const dugraph::MassGrid& grid, const dugraph::Workforce&) {
        return std::vector<double>(grid.cells * grid.cells, 0.0);
    });
    CHECK(bound.own({4, 4}) == std::numeric_limits<double>::infinity());
}
