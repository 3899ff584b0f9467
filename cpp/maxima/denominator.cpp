#include "maxima/denominator.hpp"

#include <algorithm>

namespace dugraph {

Denominator::Denominator(const Relabelings& test)
    : test_(test), sizes_(test.n_cells), largest_(test.n_scales) {
    for (std::size_t i = 0; i < test.n_graphs; ++i) sizes_[static_cast<std::size_t>(test.cells[i])] += 1;
    for (std::size_t c = 0; c < test.n_scales; ++c) {
        for (std::size_t b = 0; b < test.n_cells; ++b)
            largest_[c] += test.cell_scale[c * test.n_cells + b] * sizes_[b];
    }
}

void Denominator::cell_sums(const double* x, double* sums) const {
    std::fill_n(sums, n_cells(), 0.0);
    for (std::size_t i = 0; i < test_.n_graphs; ++i) sums[test_.cells[i]] += x[i];
}

void Denominator::cell_sums(const double* x, double mass, double* sums) const {
    const auto first = static_cast<std::size_t>(test_.cells[0]);
    if (sizes_[first] < static_cast<double>(test_.n_graphs)) return cell_sums(x, sums);
    std::fill_n(sums, n_cells(), 0.0);
    sums[first] = mass;
}

Denominator::Square Denominator::square(const double* x, const double* sums, std::size_t contrast) const {
    if (test_.statistic == Statistic::difference) return {1, 1};
    if (test_.statistic == Statistic::t) return square_of_residual(x, sums);
    const double* scale = test_.cell_scale + contrast * n_cells();
    double square = 0;
    for (std::size_t b = 0; b < n_cells(); ++b) {
        if (sizes_[b] > 0) square += scale[b] * sums[b] * (1 - sums[b] / sizes_[b]);
    }
    return {square, largest_[contrast]};
}

// |R x|^2: what is left of x after its cell means and its projections on the covariates.
Denominator::Square Denominator::square_of_residual(const double* x, const double* sums) const {
    const std::size_t n = test_.n_graphs;
    std::vector<double> projection(test_.rank);
    for (std::size_t k = 0; k < test_.rank; ++k) {
        for (std::size_t i = 0; i < n; ++i) projection[k] += test_.basis[k * n + i] * x[i];
    }
    double square = 0, whole = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto cell = static_cast<std::size_t>(test_.cells[i]);
        whole += x[i] * x[i];
        if (test_.cell_scale[cell] == 0) continue;
        double residual = x[i] - sums[cell] / sizes_[cell];
        for (std::size_t k = 0; k < test_.rank; ++k) residual -= projection[k] * test_.basis[k * n + i];
        square += residual * residual;
    }
    return {square, whole};
}

}  // namespace dugraph
