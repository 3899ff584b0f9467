// The inner loops against plain ones, and what is rounded for screening: never below the truth.
#include "graph/kernels.hpp"

#include <algorithm>

#include "check.hpp"
#include "graph/class_view.hpp"
#include "graph/rows.hpp"
#include "walk/threads.hpp"

namespace {

using Row = dugraph::AlignedVector<double>;

// A padded row, zero at its end.
Row padded_row(check::Random& random, std::size_t n) {
    const std::vector<double> values = random.probabilities(n);
    Row row(dugraph::whole_blocks(n, dugraph::row_block), 0.0);
    std::copy(values.begin(), values.end(), row.begin());
    return row;
}

double plain_sum(const Row& x, const Row& p) {
    long double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * p[i];
    return static_cast<double>(sum);
}

const std::vector<std::size_t> sizes = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 81, 313};

}  // namespace

TEST(products_and_their_sums) {
    check::Random random(11);
    for (const std::size_t n : sizes) {
        const Row x = padded_row(random, n), p = padded_row(random, n);
        Row out(x.size()), again(x.size());
        const double sum = dugraph::product_sum(x.data(), p.data(), x.size());
        CHECK(check::near(sum, plain_sum(x, p), 1e-14));
        CHECK(dugraph::store_product(x.data(), p.data(), x.size(), out.data()) == sum);
        const double top = dugraph::store_product_top(x.data(), p.data(), x.size(), again.data());
        CHECK(out == again && top == *std::max_element(out.begin(), out.end()));
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(out[i] == x[i] * p[i]);
    }
}

TEST(sums_of_two_kinds) {
    check::Random random(15);
    for (const std::size_t n : sizes) {
        const Row x = padded_row(random, n), p = padded_row(random, n);
        Row w(x.size(), 0.0), pos(x.size()), neg(x.size()), up(x.size()), down(x.size());
        std::vector<std::uint8_t> positive(n);
        for (std::size_t i = 0; i < n; ++i) {
            positive[i] = static_cast<std::uint8_t>(random.below(2));
            w[i] = random.below(5) ? random.uniform() * 2 - 1 : 0;
            (positive[i] ? pos : neg)[i] = p[i];
            (w[i] > 0 ? up : down)[i] = std::fabs(w[i]) * p[i];
        }
        const dugraph::ClassView view(positive.data(), n, x.size());
        const dugraph::ClassMass mass = view.masses(x.data(), p.data());
        CHECK(check::near(mass.pos, plain_sum(x, pos), 1e-14) &&
              check::near(mass.neg, plain_sum(x, neg), 1e-14));
        const dugraph::SignedSums sums = dugraph::signed_sums(x.data(), p.data(), w.data(), x.size());
        CHECK(check::near(sums.pos, plain_sum(x, up), 1e-14) &&
              check::near(sums.neg, plain_sum(x, down), 1e-14));
        CHECK(sums.unweighted == dugraph::product_sum(x.data(), p.data(), x.size()));
        const dugraph::WeightedSums weighted = dugraph::weighted_sums(x.data(), p.data(), w.data(), x.size());
        CHECK(check::near(weighted.pos, sums.pos, 1e-14) && check::near(weighted.neg, sums.neg, 1e-14));
        CHECK(weighted.unweighted == sums.unweighted);
        long double most = 0, variance = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const long double half = std::min(x[i] * p[i], 0.5),
                              square = static_cast<long double>(w[i]) * w[i];
            most += square * half * (1 - half);
            variance += square * x[i] * (1 - static_cast<long double>(x[i]));
        }
        CHECK(check::near(weighted.spread, static_cast<double>(most), 1e-13));
        CHECK(check::near(dugraph::weighted_variance(x.data(), w.data(), x.size()),
                          static_cast<double>(variance), 1e-13));
        std::vector<double> of_pos(view.n_pos()), of_neg(view.n_neg());
        view.gather(x.data(), of_pos.data(), of_neg.data());
        std::size_t a = 0, b = 0;
        for (std::size_t i = 0; i < n; ++i) CHECK((positive[i] ? of_pos[a++] : of_neg[b++]) == x[i]);
        CHECK(a == view.n_pos() && b == view.n_neg());
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
        for (const std::size_t n : sizes) {
            const std::size_t byte_width = dugraph::whole_blocks(n, dugraph::byte_block);
            const std::int32_t ids[] = {1, 0};
            std::vector<Row> rows;
            dugraph::AlignedVector<std::uint8_t> bytes(2 * byte_width);
            double scale[2];
            for (std::size_t k = 0; k < 2; ++k) {
                rows.push_back(padded_row(random, n));
                const double top = *std::max_element(rows[k].begin(), rows[k].end());
                std::uint8_t* rounded = bytes.data() + k * byte_width;
                scale[k] = dugraph::round_row(rows[k].data(), top, rows[k].size(), rounded);
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK(rounded[i] <= dugraph::byte_top);
                    CHECK(rounded[i] * scale[k] >= rows[k][i] * (1 - 1e-14));
                    CHECK((rounded[i] == 0) == (rows[k][i] == 0));
                }
            }
            std::int32_t sums[2], plain = 0;
            dugraph::byte_sums(bytes.data(), bytes.data(), ids, 2, byte_width, sums);
            for (std::size_t i = 0; i < byte_width; ++i) plain += bytes[i] * bytes[byte_width + i];
            CHECK(sums[0] == plain);
            CHECK(sums[0] * scale[0] * scale[1] >= plain_sum(rows[0], rows[1]) * (1 - 1e-12));
        }
    }
}

// Exactly, since a number of single precision is one of double precision.
TEST(rows_of_single_precision_are_the_same_numbers) {
    check::Random random(45);
    for (const std::size_t n : sizes) {
        const Row x = padded_row(random, n), w = padded_row(random, n);
        Row p = padded_row(random, n), out(x.size()), narrow_out(x.size());
        const dugraph::AlignedVector<float> narrow(p.begin(), p.end());
        p.assign(narrow.begin(), narrow.end());
        std::vector<std::uint8_t> positive(n);
        for (auto& one : positive) one = random.between(0, 1) != 0;
        const dugraph::ClassView view(positive.data(), n, x.size());
        const dugraph::Row row(narrow.data());
        CHECK(dugraph::product_sum(x.data(), row, x.size()) ==
              dugraph::product_sum(x.data(), p.data(), x.size()));
        CHECK(dugraph::store_product(x.data(), row, x.size(), narrow_out.data()) ==
              dugraph::store_product(x.data(), p.data(), x.size(), out.data()));
        CHECK(out == narrow_out);
        CHECK(dugraph::store_product_top(x.data(), row, x.size(), narrow_out.data()) ==
              dugraph::store_product_top(x.data(), p.data(), x.size(), out.data()));
        CHECK(out == narrow_out);
        const dugraph::ClassMass a = view.masses(x.data(), row), b = view.masses(x.data(), p.data());
        CHECK(a.pos == b.pos && a.neg == b.neg);
        const auto c = dugraph::signed_sums(x.data(), row, w.data(), x.size());
        const auto d = dugraph::signed_sums(x.data(), p.data(), w.data(), x.size());
        CHECK(c.pos == d.pos && c.neg == d.neg && c.unweighted == d.unweighted);
        const auto e = dugraph::weighted_sums(x.data(), row, w.data(), x.size());
        const auto f = dugraph::weighted_sums(x.data(), p.data(), w.data(), x.size());
        CHECK(e.pos == f.pos && e.neg == f.neg && e.spread == f.spread && e.unweighted == f.unweighted);
    }
}

// Numbers of either precision, graph by graph, of which some edges and all graphs are taken in some order:
// the same rows as of a sorted copy.
TEST(rows_are_read_from_where_they_stand) {
    check::Random random(46);
    for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t n_graphs = random.between(1, 70), there = random.between(20, 60), n_edges = 19;
        std::vector<float> given(n_graphs * there);
        for (float& p : given) p = static_cast<float>(random.uniform());
        const std::vector<double> wide(given.begin(), given.end());
        std::vector<std::int64_t> edge_places(n_edges), graph_places(n_graphs);
        for (std::size_t e = 0; e < n_edges; ++e)
            edge_places[e] = static_cast<std::int64_t>((e * 7 + round) % there);
        for (std::size_t i = 0; i < n_graphs; ++i)
            graph_places[i] = static_cast<std::int64_t>(n_graphs - 1 - i);
        std::vector<double> sorted(n_edges * n_graphs);
        std::vector<std::int32_t> edges;
        for (std::size_t e = 0; e < n_edges; ++e) {
            edges.insert(edges.end(), {static_cast<std::int32_t>(e + 1), static_cast<std::int32_t>(e)});
            for (std::size_t i = 0; i < n_graphs; ++i)
                sorted[e * n_graphs + i] = wide[static_cast<std::size_t>(graph_places[i]) * there +
                                                static_cast<std::size_t>(edge_places[e])];
        }
        const auto rows_of = [&](const dugraph::Probabilities& where) {
            return dugraph::Rows({n_graphs, n_edges + 1, n_edges, edges.data(), where, 0.45}, [] {});
        };
        const dugraph::Rows truth = rows_of(dugraph::Probabilities::by_edge(sorted.data(), n_graphs));
        for (const bool narrow : {false, true}) {
            const dugraph::Rows rows =
                rows_of({narrow ? nullptr : wide.data(), narrow ? given.data() : nullptr, 1,
                         static_cast<std::ptrdiff_t>(there), edge_places.data(), graph_places.data()});
            CHECK(rows.canonical == truth.canonical && rows.mass == truth.mass && rows.scale == truth.scale);
            Row one(rows.width), other(rows.width);
            for (std::int32_t id = 0; id < static_cast<std::int32_t>(rows.n_edges()); ++id) {
                rows.copy(id, one.data());
                truth.copy(id, other.data());
                CHECK(one == other);
                CHECK(std::equal(rows.byte_row(id), rows.byte_row(id) + rows.byte_width, truth.byte_row(id)));
                CHECK((rows.row(id).narrow != nullptr) == narrow);
            }
        }
    }
}
