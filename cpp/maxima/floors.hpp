// One thread's copy, in single precision and rounded down, of what statistics must exceed: per size class and
// row, and per size class and row for all supergraphs, which may be of any class from there on.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "maxima/relabelings.hpp"

namespace dugraph {

class Floors {
  public:
    // More than the relative error of some roundings to single precision.
    static constexpr double rounding = 4e-7;

    // squared: whether those for supergraphs are squares, as bounds are; medians: whether they are asked for.
    Floors(const Relabelings& test, bool squared, bool medians)
        : test_(test),
          squared_(squared),
          medians_(medians),
          of_class_(test.n_classes * test.n_rows()),
          of_supergraphs_(of_class_.size()),
          lowest_(test.n_classes),
          median_(test.n_classes) {}

    const float* of_class(std::size_t size_class) const {
        return of_class_.data() + size_class * test_.n_rows();
    }
    const float* of_supergraphs(std::size_t size_class) const {
        return of_supergraphs_.data() + size_class * test_.n_rows();
    }
    // The lowest of all relabelings, for supergraphs, not squared.
    double lowest(std::size_t size_class) const { return lowest_[size_class]; }
    // The median of those for supergraphs.
    float median(std::size_t size_class) const { return median_[size_class]; }

    // O(classes rows).
    template <class Tally>
    void refresh(Tally& tally) {
        tally.refresh();
        for (std::size_t r = 0; r < test_.n_relabelings; ++r) {
            double supergraphs = std::numeric_limits<double>::infinity();
            for (std::size_t k = test_.n_classes; k-- > 0;) {
                const double floor = tally.floor(k, r);
                raise(k, r, floor);
                supergraphs = std::min(supergraphs, floor);
                const float reached = down(squared_ ? supergraphs * supergraphs : supergraphs);
                for (std::size_t c = 0; c < test_.n_contrasts; ++c)
                    of_supergraphs_[k * test_.n_rows() + c * test_.n_relabelings + r] = reached;
                lowest_[k] = r == 0 ? supergraphs : std::min(lowest_[k], supergraphs);
            }
        }
        for (std::size_t k = 0; medians_ && k < test_.n_classes; ++k) {
            const float* begin = of_supergraphs(k);
            sorted_.assign(begin, begin + test_.n_relabelings);
            const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
            std::nth_element(sorted_.begin(), middle, sorted_.end());
            median_[k] = *middle;
        }
    }

    void raise(std::size_t size_class, std::size_t relabeling, double floor) {
        for (std::size_t c = 0; c < test_.n_contrasts; ++c)
            of_class_[size_class * test_.n_rows() + c * test_.n_relabelings + relabeling] = down(floor);
    }

  private:
    static float down(double value) { return static_cast<float>(value * (1 - rounding)); }

    const Relabelings& test_;
    const bool squared_, medians_;
    std::vector<float> of_class_, of_supergraphs_;  // (n_classes, n_rows)
    std::vector<double> lowest_;
    std::vector<float> median_, sorted_;
};

}  // namespace dugraph
