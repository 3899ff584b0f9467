// The inner loops against plain ones, and what is rounded for screening: never below the truth.
#include "search/kernels.hpp"

#include <algorithm>

#include "check.hpp"
#include "search/memory.hpp"
#include "search/pair_table.hpp"

namespace {

using Row = dugraph::AlignedVector<double>;

// A padded row, zero behind either class.
Row padded_row(check::Random& random, std::size_t n_pos, std::size_t n_neg, const dugraph::RowShape& shape) {
    const std::vector<double> pos = random.probabilities(n_pos), neg = random.probabilities(n_neg);
    Row row(shape.size(), 0.0);
    std::copy(pos.begin(), pos.end(), row.begin());
    std::copy(neg.begin(), neg.end(), row.begin() + static_cast<std::ptrdiff_t>(shape.pos));
    return row;
}

dugraph::Mass plain_mass(const Row& x, const Row& p, const dugraph::RowShape& shape) {
    long double pos = 0, neg = 0;
    for (std::size_t i = 0; i < shape.pos; ++i) pos += static_cast<long double>(x[i]) * p[i];
    for (std::size_t i = shape.pos; i < shape.size(); ++i) neg += static_cast<long double>(x[i]) * p[i];
    return {static_cast<double>(pos), static_cast<double>(neg)};
}

const std::vector<std::pair<std::size_t, std::size_t>> sizes = {{1, 1},   {1, 40},  {15, 16}, {16, 17},
                                                                {31, 32}, {33, 48}, {64, 65}, {100, 213}};

}  // namespace

TEST(products_and_their_masses) {
    check::Random random(11);
    for (const auto& [n_pos, n_neg] : sizes) {
        const dugraph::RowShape shape = dugraph::row_shape(n_pos, n_neg);
        CHECK(shape.pos >= n_pos && shape.pos % dugraph::row_block == 0);
        CHECK(shape.byte_neg >= n_neg && shape.byte_neg % dugraph::byte_block == 0);
        const Row x = padded_row(random, n_pos, n_neg, shape), p = padded_row(random, n_pos, n_neg, shape);
        Row out(shape.size()), again(shape.size());
        const dugraph::Mass truth = plain_mass(x, p, shape);
        const dugraph::Mass mass = dugraph::product_mass(x.data(), p.data(), shape.pos, shape.neg);
        CHECK(check::near(mass.pos, truth.pos, 1e-14) && check::near(mass.neg, truth.neg, 1e-14));
        const dugraph::Mass stored =
            dugraph::store_product(x.data(), p.data(), shape.pos, shape.neg, out.data());
        CHECK(stored.pos == mass.pos && stored.neg == mass.neg);
        const double top = dugraph::store_product_top(x.data(), p.data(), shape.size(), again.data());
        CHECK(out == again && top == *std::max_element(out.begin(), out.end()));
        for (std::size_t i = 0; i < shape.size(); ++i) CHECK(out[i] == x[i] * p[i]);
        const dugraph::Mass squares = dugraph::square_mass(x.data(), shape.pos, shape.neg);
        CHECK(check::near(squares.total(), plain_mass(x, x, shape).total(), 1e-14));
    }
}

TEST(sums_over_levels) {
    check::Random random(12);
    for (std::size_t n = 1; n < 120; ++n) {
        const std::vector<double> weights = random.probabilities(n), values = random.probabilities(n);
        std::vector<std::int32_t> levels(n);
        for (auto& level : levels) level = static_cast<std::int32_t>(random.below(10));
        long double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += static_cast<long double>(weights[i]) * values[i];
        CHECK(
            check::near(dugraph::dot(weights.data(), values.data(), n), static_cast<double>(product), 1e-13));
        for (const std::int32_t from : {0, 1, 5, 9, 10}) {
            long double truth = 0;
            for (std::size_t i = 0; i < n; ++i) truth += levels[i] >= from ? weights[i] : 0;
            const double sum = dugraph::sum_from(weights.data(), levels.data(), from, n);
            CHECK_WITH(check::near(sum, static_cast<double>(truth), 1e-13), "n = " + std::to_string(n));
        }
    }
}

TEST(rounded_rows_are_never_below) {
    check::Random random(13);
    for (int round = 0; round < 40; ++round) {
        for (const auto& [n_pos, n_neg] : sizes) {
            const dugraph::RowShape shape = dugraph::row_shape(n_pos, n_neg);
            const std::int32_t ids[] = {0, 1};
            std::vector<Row> rows;
            dugraph::AlignedVector<std::uint8_t> bytes(2 * shape.byte_size());
            double scale[2];
            for (int k = 0; k < 2; ++k) {
                rows.push_back(padded_row(random, n_pos, n_neg, shape));
                const double top = *std::max_element(rows[k].begin(), rows[k].end());
                std::uint8_t* rounded = bytes.data() + static_cast<std::size_t>(k) * shape.byte_size();
                scale[k] = dugraph::round_row(rows[k].data(), top, shape, rounded);
                for (std::size_t i = 0; i < shape.pos; ++i) {
                    CHECK(rounded[i] <= dugraph::byte_top);
                    CHECK(rounded[i] * scale[k] >= rows[k][i] * (1 - 1e-14));
                    CHECK((rounded[i] == 0) == (rows[k][i] == 0));
                }
                for (std::size_t i = 0; i < shape.neg; ++i) {
                    CHECK(rounded[shape.byte_pos + i] * scale[k] >= rows[k][shape.pos + i] * (1 - 1e-14));
                }
            }
            dugraph::ByteMass sums[2];
            dugraph::byte_masses(bytes.data(), bytes.data(), ids, 2, shape, sums);
            const dugraph::Mass truth = plain_mass(rows[0], rows[1], shape);
            CHECK(sums[1].pos * scale[0] * scale[1] >= truth.pos * (1 - 1e-12));
            CHECK(sums[1].neg * scale[0] * scale[1] >= truth.neg * (1 - 1e-12));
        }
    }
}

// A cleared bit says that no admitted subgraph holds both edges.
TEST(pair_table_is_never_wrong) {
    check::Random random(14);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n_nodes = random.between(3, 14), n_pos = random.between(1, 40),
                          n_neg = random.between(1, 40);
        std::vector<std::int32_t> edges;
        std::vector<double> probability;
        for (std::size_t a = 1; a < n_nodes; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                edges.insert(edges.end(), {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
                const auto row = random.probabilities(n_pos + n_neg);
                probability.insert(probability.end(), row.begin(), row.end());
            }
        }
        dugraph::Input input;
        input.n_pos = n_pos;
        input.n_neg = n_neg;
        input.n_nodes = n_nodes;
        input.n_edges = edges.size() / 2;
        input.edges = edges.data();
        input.edge_probability = probability.data();
        input.min_expected_frequency = random.uniform() * 0.4;
        const dugraph::Cohort cohort(input);
        const std::atomic<bool> stop{false};
        const dugraph::PairTable pairs(cohort, 2, stop);
        for (std::int32_t a = 0; a < static_cast<std::int32_t>(cohort.n_edges()); ++a) {
            for (std::int32_t b = 0; b < static_cast<std::int32_t>(cohort.n_edges()); ++b) {
                const auto mass =
                    dugraph::product_mass(cohort.row(a), cohort.row(b), cohort.shape.pos, cohort.shape.neg);
                if (a != b && cohort.admitted(mass)) CHECK(pairs.together(pairs.row(a), b));
            }
        }
    }
}
