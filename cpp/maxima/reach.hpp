// How large a statistic the supergraphs of a subgraph can have (docs/significance.md, "Bounds"). x' <= x in
// every graph; cells b, cell sums m_b of x over n_b graphs, z's squared denominator at least
// sum_b s_b (1 - m_b / n_b) m'_b.
//
//   any labels   difference  sum_b c_b m_b                               c_b: largest weight in the cell
//                z^2         sum_b c_b^2 / s_b m_b / (1 - m_b / n_b)
//   two labels   with A the sum of x over the graphs of the first label and B over the others, both known
//                from the product of weights and x:
//                difference  max(k A, l B)
//                z^2         max(k A, l B) / (1 - largest m_b / n_b)
//
// k and l are the largest weights of either label, for z squared and over s_b. t has no useful bound.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "maxima/denominator.hpp"

namespace dugraph {

class Reach {
  public:
    Reach(const Relabelings& test, const Denominator& denominator, bool in_use);

    bool in_use() const { return in_use_; }
    // Whether there are bounds of single relabelings.
    bool knows_labels() const {
        return in_use_ && std::all_of(contrasts_.begin(), contrasts_.end(),
                                      [](const Contrast& contrast) { return contrast.two_labels; });
    }
    bool squared() const { return test_.statistic == Statistic::z; }  // whether by_label() bounds squares

    // Of any relabeling, from the cell sums; infinite if not in use. O(contrasts cells).
    double of_any_labels(const double* sums) const;

    // Of one relabeling: at most max(first.slope s + first.at_0, second.slope s + second.at_0), s being its
    // product with x, off by at most `margin`. Infinite where labels are not two.
    struct Line {
        double slope = 0, at_0 = std::numeric_limits<double>::infinity();
    };
    struct ByLabel {
        Line first, second;
    };
    ByLabel by_label(const double* sums, std::size_t contrast, double margin) const;
    // About where that lies for most relabelings of a subgraph of this mass. A guess, not a bound:
    // O(contrasts).
    double usual(double mass) const;

  private:
    // How the weights of a contrast look: w = scale (label - offset) if labels are two.
    struct Contrast {
        std::vector<double> any;  // per cell: c_b, for z its square over s_b
        std::vector<double> offset;
        std::vector<char> moves;
        bool two_labels = true;
        double scale = 0, first = 0, second = 0;  // k and l
        double share = 0;                         // of graphs with the first label
    };
    Contrast look_at(std::size_t contrast) const;
    // Squared weights over s_b, or weights as they are.
    double rated(double weight, std::size_t contrast, std::size_t cell) const;

    const Relabelings& test_;
    const Denominator& denominator_;
    const bool in_use_;
    std::vector<Contrast> contrasts_;
};

}  // namespace dugraph
