// Support distributions against the plain recursion in extended precision.
#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "support/support_distribution.hpp"

namespace {

// Lengths around which the core changes its ways.
const std::vector<std::size_t> lengths = {1,  2,  3,   4,   5,   7,   8,   9,   16,
                                          17, 50, 127, 128, 191, 192, 193, 200, 300};

std::vector<long double> plain(const std::vector<double>& x) {
    std::vector<long double> pmf{1};
    for (const double value : x) {
        pmf.push_back(0);
        for (std::size_t i = pmf.size() - 1; i > 0; --i) {
            pmf[i] = pmf[i] * (1 - static_cast<long double>(value)) + pmf[i - 1] * value;
        }
        pmf[0] *= 1 - static_cast<long double>(value);
    }
    return pmf;
}

}  // namespace

TEST(support_distribution_is_exact) {
    check::Random random(1);
    for (int round = 0; round < 5; ++round) {
        for (const std::size_t n : lengths) {
            const std::vector<double> x = random.probabilities(n);
            const std::vector<long double> truth = plain(x);
            std::vector<double> pmf(n + 1);
            dugraph::support_distribution(x.data(), n, pmf.data());
            for (std::size_t i = 0; i <= n; ++i) {
                CHECK(check::near(pmf[i], static_cast<double>(truth[i]), 1e-12, 1e-260));
            }
        }
    }
}

TEST(support_distribution_batch_gives_the_same_bytes) {
    check::Random random(2);
    for (const std::size_t n : lengths) {
        for (const std::size_t count : {1, 2, 3, 7, 8, 9, 19}) {
            std::vector<double> x, alone(n + 1), together(count * (n + 1));
            for (std::size_t k = 0; k < count; ++k) {
                const std::vector<double> row = random.probabilities(n);
                x.insert(x.end(), row.begin(), row.end());
            }
            dugraph::support_distribution_batch(x.data(), count, n, 0, together.data());
            for (std::size_t k = 0; k < count; ++k) {
                dugraph::support_distribution(x.data() + k * n, n, alone.data());
                CHECK(std::memcmp(alone.data(), together.data() + k * (n + 1), (n + 1) * sizeof(double)) ==
                      0);
            }
        }
    }
}

TEST(support_distribution_window_leaves_out_at_most_the_tail) {
    check::Random random(3);
    for (const std::size_t n : lengths) {
        for (const double tail : {0.0, 1e-16, 1e-8, 0.3}) {
            const std::vector<double> x = random.probabilities(n);
            const std::vector<long double> truth = plain(x);
            // Used before, as a search does: what stood in the work array must not matter.
            std::vector<double> work(dugraph::support_distribution_work_size(n), 1e300);
            const dugraph::Window window =
                dugraph::support_distribution_window(x.data(), n, tail, work.data());
            CHECK(window.begin < window.end && window.end <= n + 1);
            long double left_out = 0;
            for (std::size_t i = 0; i <= n; ++i) {
                if (i < window.begin || i >= window.end) {
                    left_out += truth[i];
                } else {
                    CHECK(check::near(work[i], static_cast<double>(truth[i]), 1e-12, tail + 1e-260));
                }
            }
            CHECK(static_cast<double>(left_out) <= tail * (1 + 1e-9) + 1e-300);
        }
    }
}
