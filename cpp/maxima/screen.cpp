#include "maxima/screen.hpp"

#include <algorithm>
#include <cmath>

#include "graph/kernels.hpp"

namespace dugraph {

Screen::Screen(const Relabelings& test)
    : width_(whole_blocks(test.n_graphs, float_block)), rows_(test.n_rows() * width_) {
    std::vector<double> sums(test.n_cells);
    for (std::size_t row = 0; row < test.n_rows(); ++row) {
        const double* weights = test.weights + row * test.n_graphs;
        float* to = rows_.data() + row * width_;
        double square = 0;
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t i = 0; i < test.n_graphs; ++i) {
            to[i] = static_cast<float>(weights[i]);
            square += weights[i] * weights[i];
            sums[static_cast<std::size_t>(test.cells[i])] += weights[i];
        }
        lengths_.push_back(std::sqrt(square));
        longest_ = std::max(longest_, lengths_.back());
        for (const double sum : sums)
            centres_ =
                centres_ && std::fabs(sum) <= 1e-14 * static_cast<double>(test.n_graphs) * lengths_.back();
    }
    // At least four running sums, two roundings to single precision, and a safety margin.
    error_ = longest_ * (static_cast<double>(width_) / 4 + 16) * 6e-8;
}

}  // namespace dugraph
