#include "support/level_masses.hpp"

#include <bit>

#include "support/convolution.hpp"

namespace dugraph {

LevelMasses level_masses(const ScoredSupports& supports, double tail) {
    LevelMasses found;
    std::vector<double> masses(supports.n_levels);
    // One bit per level, since only few levels occur.
    std::vector<std::uint64_t> met(supports.n_levels / 64 + 1);
    const std::size_t stride = supports.n_neg + 1;
    for (std::size_t i = 0; i < supports.count; ++i) {
        const double* pos = supports.n_pos_g + i * (supports.n_pos + 1);
        const double* neg = supports.n_neg_g + i * stride;
        const Window a = trim(pos, {0, supports.n_pos + 1}, tail), b = trim(neg, {0, stride}, tail);
        for (std::size_t k = a.begin; k < a.end; ++k) {
            const std::int32_t* level = supports.level_of + k * stride;
            for (std::size_t j = b.begin; j < b.end; ++j) {
                masses[level[j]] += pos[k] * neg[j];
                met[level[j] / 64] |= std::uint64_t{1} << (level[j] % 64);
            }
        }
        for (std::size_t word = 0; word < met.size(); ++word) {
            for (std::uint64_t left = met[word]; left != 0; left &= left - 1) {
                const std::size_t level = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                if (masses[level] > 0) {
                    found.level.push_back(static_cast<std::int64_t>(level));
                    found.mass.push_back(masses[level]);
                }
                masses[level] = 0;
            }
            met[word] = 0;
        }
        found.end.push_back(static_cast<std::int64_t>(found.level.size()));
    }
    return found;
}

}  // namespace dugraph
