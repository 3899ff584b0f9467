// The input of a significance test: the weights of all relabelings, and the definition of the statistic
// (docs/significance.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dugraph {

enum class Statistic : int { z, difference, t };

// For a subgraph with containment probabilities x the statistic of a relabeling and a contrast is abs(sum_i
// w_i x_i) over the denominator; one-sided, the positive part of the sum. The arrays belong to the caller.
struct Relabelings {
    std::size_t n_graphs = 0, n_relabelings = 0, n_contrasts = 0;
    const double* weights = nullptr;  // (n_contrasts, n_relabelings, n_graphs), scaled for the statistic
    Statistic statistic = Statistic::z;
    std::size_t n_cells = 0;
    const std::int64_t* cells = nullptr;  // (n_graphs): labels move within a cell
    const double* cell_scale = nullptr;   // (n_contrasts or 1, n_cells): s_b; 0 where no label moves
    std::size_t n_scales = 0;
    std::size_t rank = 0;
    const double* basis = nullptr;  // (rank, n_graphs): orthonormal covariates, for t
    std::size_t n_classes = 1;      // of sizes: 1, 2, ..., the last one also of more edges
    bool one_sided = false;

    std::size_t n_rows() const { return n_contrasts * n_relabelings; }
    // The numerator of a statistic, given the sum: its absolute value, or itself if one-sided.
    template <class Real>
    Real numerator(Real sum) const {
        const Real mirrored = one_sided ? sum : -sum;
        return sum > mirrored ? sum : mirrored;
    }
    // The class, from 0, of subgraphs with this many edges.
    std::size_t size_class(std::size_t n_edges) const {
        return (n_edges < n_classes ? n_edges : n_classes) - 1;
    }
};

}  // namespace dugraph
