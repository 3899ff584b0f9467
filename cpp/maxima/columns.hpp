// Subgraphs waiting to be multiplied with the weights of all relabelings: their containment probabilities in
// single precision, side by side, and what goes with them.
#pragma once

#include <cmath>
#include <vector>

#include "graph/rows.hpp"
#include "maxima/denominator.hpp"
#include "maxima/floors.hpp"
#include "maxima/screen.hpp"

namespace dugraph {

// What all threads of a test read.
struct TestView {
    const Relabelings& test;
    const Denominator& denominator;
    const Screen& screen;
};

// The exact numbers of one subgraph, by its canonical product.
class CloseLook {
  public:
    CloseLook(const Rows& rows, const TestView& view)
        : rows_(rows), view_(view), x_(rows.width), sums_(view.denominator.n_cells()) {}

    // ids: the subgraph's edges. O(n size).
    void at(const std::vector<std::int32_t>& ids) {
        sorted_ = ids;
        rows_.canonical_product(sorted_, x_.data());
        view_.denominator.cell_sums(x_.data(), sums_.data());
        length_ = std::sqrt(dot(x_.data(), x_.data(), view_.test.n_graphs));
        edges_.clear();
        for (const std::int32_t id : sorted_) edges_.push_back(rows_.canonical[id]);
    }
    const std::vector<std::int32_t>& edges() const { return edges_; }  // canonical
    Denominator::Square square(std::size_t contrast) const {
        return view_.denominator.square(x_.data(), sums_.data(), contrast);
    }
    // The statistic of a row, `denominator` being the root of the square. O(n).
    double statistic(std::size_t row, double denominator) const {
        const std::size_t n = view_.test.n_graphs;
        const double product = view_.test.numerator(dot(view_.test.weights + row * n, x_.data(), n));
        // A product this small is rounding error; negative ones are one-sided and do not count.
        return product <= zero_share * view_.screen.row_length(row) * length_ ? 0 : product / denominator;
    }

  private:
    static constexpr double zero_share = 1e-12;

    const Rows& rows_;
    const TestView& view_;
    AlignedVector<double> x_;
    std::vector<double> sums_;
    std::vector<std::int32_t> sorted_, edges_;
    double length_ = 0;
};

class Columns {
  public:
    // What is known of a subgraph in a contrast.
    struct Facts {
        float denominator = 0, margin = 0;  // denominator 0: so is the statistic, whatever the labels
    };

    Columns(const Rows& rows, const TestView& view, std::size_t capacity)
        : rows_(rows),
          view_(view),
          close_(rows, view),
          ids_(capacity),
          product_(rows.width),
          columns_(capacity * view.screen.width()),
          sums_(view.denominator.n_cells()),
          means_(sums_.size()),
          facts_(capacity * view.test.n_contrasts) {}

    std::size_t count() const { return count_; }
    bool full() const { return count_ == ids_.size(); }
    void clear() { count_ = 0; }
    const float* data() const { return columns_.data(); }
    const std::vector<std::int32_t>& ids(std::size_t k) const { return ids_[k]; }
    const Facts& facts(std::size_t k, std::size_t contrast) const {
        return facts_[k * view_.test.n_contrasts + contrast];
    }

    // Adds path + id, x being the row of the path. O(n), and O(n rank) for t.
    void add(const std::vector<std::int32_t>& path, const double* x, std::int32_t id) {
        const std::size_t k = count_++, n = view_.test.n_graphs;
        ids_[k].assign(path.begin(), path.end());
        ids_[k].push_back(id);
        const double mass = store_product(x, rows_.row(id), rows_.width, product_.data());
        view_.denominator.cell_sums(product_.data(), mass, sums_.data());
        const double whole = dot(product_.data(), product_.data(), n);
        double square = whole;
        for (std::size_t b = 0; b < sums_.size(); ++b) {
            const double size = view_.denominator.sizes()[b];
            means_[b] = view_.screen.centres() && size > 0 ? sums_[b] / size : 0;
            square -= means_[b] * means_[b] * size;
        }
        float* column = columns_.data() + k * view_.screen.width();
        const std::int64_t* cells = view_.denominator.cells();
        for (std::size_t i = 0; i < n; ++i) column[i] = static_cast<float>(product_[i] - means_[cells[i]]);
        const double margin =
            view_.screen.margin(std::sqrt(std::max(square, 0.0) + 1e-14 * whole), std::sqrt(whole));
        for (std::size_t contrast = 0; contrast < view_.test.n_contrasts; ++contrast) {
            Facts& facts = facts_[k * view_.test.n_contrasts + contrast];
            auto by = view_.denominator.square(product_.data(), sums_.data(), contrast);
            if (by.is_doubtful()) {
                close_.at(ids_[k]);
                by = close_.square(contrast);
            }
            facts.denominator =
                by.is_zero() ? 0 : static_cast<float>(std::sqrt(by.value) * (1 - Floors::rounding));
            facts.margin = static_cast<float>(margin * (1 + Floors::rounding));
        }
    }

  private:
    const Rows& rows_;
    const TestView& view_;
    CloseLook close_;
    std::size_t count_ = 0;
    std::vector<std::vector<std::int32_t>> ids_;
    AlignedVector<double> product_;
    AlignedVector<float> columns_;
    std::vector<double> sums_, means_;
    std::vector<Facts> facts_;
};

}  // namespace dugraph
