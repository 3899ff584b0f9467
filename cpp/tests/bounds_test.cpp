// Envelope laws and tables of bounds against exact distributions, and the order of the list.
#include <algorithm>
#include <atomic>
#include <thread>

#include "bounds/envelope.hpp"
#include "bounds/mass_table.hpp"
#include "check.hpp"
#include "rank/top_list.hpp"
#include "support/support_distribution.hpp"

namespace {

std::vector<double> spread(const dugraph::Law& law, std::size_t m) {
    std::vector<double> pmf(m + 1, 0.0);
    for (std::size_t k = 0; k < law.mass.size(); ++k) pmf[law.begin + k] = law.mass[k];
    return pmf;
}

}  // namespace

TEST(envelope_laws_enclose_every_support) {
    check::Random random(21);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t m = random.between(1, 60);
        const std::vector<double> x = random.probabilities(m);
        std::vector<double> pmf(m + 1);
        dugraph::support_distribution(x.data(), m, pmf.data());
        const double mean = std::min(check::sum(x), static_cast<double>(m));
        const double cut = random.below(2) ? 1e-20 : 1e-300;
        const double more = mean + (static_cast<double>(m) - mean) * (random.below(2) ? random.uniform() : 0);
        const double less = mean * (random.below(2) ? random.uniform() : 1);
        const dugraph::Law high = dugraph::high_law(m, more, cut), low = dugraph::low_law(m, less, cut);
        const std::vector<double> above = spread(high, m), below = spread(low, m);
        CHECK(check::near(check::sum(above), 1, 1e-12) && check::near(check::sum(below), 1, 1e-12));
        double tail = 0, tail_high = 0, head = 0, head_low = 0;
        for (std::size_t k = 0; k <= m; ++k) {
            tail += pmf[m - k];
            tail_high += above[m - k];
            CHECK(tail_high + high.missing >= tail - 1e-12);
            head += pmf[k];
            head_low += below[k];
            CHECK(head_low + low.missing >= head - 1e-12);
        }
    }
}

// Tables of expectations: no subgraph in a cell exceeds its own bound, no admitted smaller one the subtree's.
TEST(mass_tables_bound_every_expectation) {
    check::Random random(22);
    const std::atomic<bool> stop{false};
    for (int round = 0; round < 60; ++round) {
        const std::size_t p = random.between(1, 12), q = random.between(1, 25);
        const double limit = random.uniform() * static_cast<double>(p + q) * 0.5;
        const dugraph::MassGrid grid({{static_cast<double>(p), static_cast<double>(q)}, p, q, limit},
                                     random.below(2) ? 33 : 129);
        // One random step function that rises in a and falls in b, and one the other way round.
        std::vector<double> rising((p + 1) * (q + 1)), falling(rising.size());
        const double slope = random.uniform() * 3, weight = random.uniform();
        for (std::size_t a = 0; a <= p; ++a) {
            for (std::size_t b = 0; b <= q; ++b) {
                const double lean = static_cast<double>(a) * slope - static_cast<double>(b);
                rising[a * (q + 1) + b] = std::max(0.0, std::floor(lean));
                falling[a * (q + 1) + b] = weight * std::max(0.0, std::floor(-lean));
            }
        }
        const dugraph::MassTable table(
            grid, dugraph::envelope_expectation(grid, rising, falling, 1e-20, dugraph::Workforce{2, stop}));
        const std::vector<double> x = random.probabilities(p), z = random.probabilities(q);
        double larger = std::numeric_limits<double>::infinity();
        for (double factor = 1; factor > 0.3; factor *= 0.9) {  // ever smaller subgraphs
            std::vector<double> x1 = x, z1 = z, pos(p + 1), neg(q + 1);
            for (double& value : x1) value *= factor;
            for (double& value : z1) value *= factor * factor;
            dugraph::support_distribution(x1.data(), p, pos.data());
            dugraph::support_distribution(z1.data(), q, neg.data());
            double value = 0;
            for (std::size_t a = 0; a <= p; ++a) {
                for (std::size_t b = 0; b <= q; ++b)
                    value += pos[a] * neg[b] * std::max(rising[a * (q + 1) + b], falling[a * (q + 1) + b]);
            }
            const dugraph::ClassMass mass{check::sum(x1), check::sum(z1)};
            CHECK(table.own(mass) >= value * (1 - 1e-10));
            larger = std::min(larger, table.subtree(mass));
            if (mass.mass() > limit) CHECK(larger >= value * (1 - 1e-10));
        }
    }
}

TEST(top_list_keeps_the_best_in_order) {
    check::Random random(23);
    for (int round = 0; round < 200; ++round) {
        const std::size_t capacity = random.between(1, 12);
        dugraph::TopList top(capacity, {});
        std::vector<dugraph::Entry> all;
        for (std::size_t k = 0; k < 40; ++k) {
            dugraph::Entry entry{static_cast<double>(random.below(4)), {}};
            for (std::int32_t e = 0; e < 6; ++e)
                if (random.below(2)) entry.edges.push_back(e);
            const bool again = std::any_of(all.begin(), all.end(), [&](const dugraph::Entry& other) {
                return other.edges == entry.edges;
            });
            if (again || entry.edges.empty()) continue;
            all.push_back(entry);
        }
        // From two threads, some entries twice.
        std::thread other([&] {
            for (const auto& entry : all) top.offer(entry);
        });
        for (std::size_t k = all.size(); k > 0; k -= 1) top.offer(all[k - 1]);
        other.join();
        std::sort(all.begin(), all.end());
        CHECK(top.entries().size() == std::min(capacity, all.size()));
        std::size_t rank = 0;
        for (const auto& entry : top.entries()) {
            CHECK(entry.value == all[rank].value && entry.edges == all[rank].edges);
            ++rank;
        }
        dugraph::Threshold threshold;
        std::uint64_t version = 0;
        const bool full = all.size() >= capacity;
        CHECK(top.refresh(threshold, version) == full);
        if (!full) continue;
        CHECK(threshold.value == all[capacity - 1].value && threshold.size == all[capacity - 1].edges.size());
        CHECK(threshold.excludes(threshold.value, threshold.size + 1));
        CHECK(!threshold.excludes(threshold.value, threshold.size));
    }
}
