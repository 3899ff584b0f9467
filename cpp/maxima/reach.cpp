#include "maxima/reach.hpp"

#include <algorithm>
#include <cmath>

#include "search/rows.hpp"

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Weights closer than this share are one.
constexpr double same_weight = 1e-9;

}  // namespace

Reach::Reach(const Relabelings& test, const Denominator& denominator, bool in_use)
    : test_(test), denominator_(denominator), in_use_(in_use && test.statistic != Statistic::t) {
    if (!in_use_) return;
    for (std::size_t c = 0; c < test.n_contrasts; ++c) contrasts_.push_back(look_at(c));
}

double Reach::rated(double weight, std::size_t contrast, std::size_t cell) const {
    if (!squared()) return weight;
    const double scale = test_.cell_scale[contrast * test_.n_cells + cell];
    return weight == 0 ? 0 : scale > 0 ? weight * weight / scale : infinity;
}

Reach::Contrast Reach::look_at(std::size_t contrast) const {
    const std::size_t n = test_.n_graphs, n_cells = test_.n_cells;
    const double* begin = test_.weights + contrast * test_.n_relabelings * n;
    std::vector<double> most(n_cells, -infinity), least(n_cells, infinity);
    for (std::size_t r = 0; r < test_.n_relabelings; ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            const auto b = static_cast<std::size_t>(test_.cells[i]);
            most[b] = std::max(most[b], begin[r * n + i]);
            least[b] = std::min(least[b], begin[r * n + i]);
        }
    }
    Contrast look;
    for (std::size_t b = 0; b < n_cells; ++b) {
        const bool moves = denominator_.sizes()[b] > 0 && most[b] > least[b];
        look.moves.push_back(moves);
        look.any.push_back(denominator_.sizes()[b] > 0
                               ? rated(std::max(std::fabs(most[b]), std::fabs(least[b])), contrast, b)
                               : 0);
        if (moves) look.scale = most[b] - least[b];
    }
    for (std::size_t b = 0; b < n_cells; ++b) {
        look.offset.push_back(look.moves[b] ? -least[b] / look.scale : 0);
        if (!look.moves[b]) continue;
        look.two_labels = look.two_labels && least[b] <= 0 && most[b] >= 0 &&
                          std::fabs(most[b] - least[b] - look.scale) <= same_weight * look.scale;
        look.first = std::max(look.first, rated(most[b], contrast, b));
        look.second = std::max(look.second, rated(-least[b], contrast, b));
        look.share += look.offset[b] * denominator_.sizes()[b] / static_cast<double>(n);
    }
    for (std::size_t row = 0; look.two_labels && row < test_.n_relabelings * n; ++row) {
        const auto b = static_cast<std::size_t>(test_.cells[row % n]);
        if (!look.moves[b]) {
            look.two_labels = begin[row] == 0;
            continue;
        }
        look.two_labels = std::min(most[b] - begin[row], begin[row] - least[b]) <= same_weight * look.scale;
    }
    look.two_labels = look.two_labels && look.scale > 0;
    return look;
}

double Reach::of_any_labels(const double* sums) const {
    if (!in_use_) return infinity;
    double most = 0;
    for (const Contrast& contrast : contrasts_) {
        double total = 0;
        for (std::size_t b = 0; b < test_.n_cells; ++b) {
            if (contrast.any[b] == 0) continue;
            const double absent = squared() ? 1 - sums[b] / denominator_.sizes()[b] : 1;
            total += absent > screen_margin ? contrast.any[b] * sums[b] / absent : infinity;
        }
        most = std::max(most, total);
    }
    return (squared() ? std::sqrt(most) : most) * (1 + screen_margin);
}

Reach::ByLabel Reach::by_label(const double* sums, std::size_t contrast, double margin) const {
    const Contrast& look = contrasts_[contrast];
    if (!look.two_labels) return {};
    double offset = 0, mass = 0, absent = 1;
    for (std::size_t b = 0; b < test_.n_cells; ++b) {
        if (!look.moves[b]) continue;
        offset += look.offset[b] * sums[b];
        mass += sums[b];
        if (squared()) absent = std::min(absent, 1 - sums[b] / denominator_.sizes()[b]);
    }
    if (absent <= screen_margin) return {};
    // A = s / scale + offset, B = mass - A.
    const double more = (margin / look.scale + screen_margin * mass) * (1 + screen_margin);
    const double first = look.first / absent, second = look.second / absent;
    return {{first / look.scale, first * (offset + more)},
            {-second / look.scale, second * (mass - offset + more)}};
}

double Reach::usual(double mass) const {
    double most = 0;
    for (const Contrast& look : contrasts_)
        most = std::max({most, look.first * look.share, look.second * (1 - look.share)});
    const double absent = squared() ? 1 - mass / static_cast<double>(test_.n_graphs) : 1;
    return absent > screen_margin ? most * mass / absent : infinity;
}

}  // namespace dugraph
