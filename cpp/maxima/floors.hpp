// One thread's copy of the thresholds that statistics must exceed, per size class and row, in single
// precision, rounded down.
#pragma once

#include <vector>

#include "maxima/relabelings.hpp"

namespace dugraph {

class Floors {
  public:
    // More than the relative error of some roundings to single precision.
    static constexpr double rounding = 4e-7;

    explicit Floors(const Relabelings& test) : test_(test), of_class_(test.n_classes * test.n_rows()) {}

    const float* of_class(std::size_t size_class) const {
        return of_class_.data() + size_class * test_.n_rows();
    }
    // O(classes rows).
    template <class Tally>
    void refresh(const Tally& tally) {
        for (std::size_t k = 0; k < test_.n_classes; ++k) {
            for (std::size_t r = 0; r < test_.n_relabelings; ++r) raise(k, r, tally.floor(k, r));
        }
    }

    void raise(std::size_t size_class, std::size_t relabeling, double floor) {
        for (std::size_t c = 0; c < test_.n_contrasts; ++c)
            of_class_[size_class * test_.n_rows() + c * test_.n_relabelings + relabeling] = down(floor);
    }

  private:
    static float down(double value) { return static_cast<float>(value * (1 - rounding)); }

    const Relabelings& test_;
    std::vector<float> of_class_;  // (n_classes, n_rows)
};

}  // namespace dugraph
