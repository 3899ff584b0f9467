#include "search/window_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "search/kernels.hpp"

namespace dugraph {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Cells less likely than this do not change which level is the most likely.
constexpr double least_cell = 1e-20;
// When levels only screen, scores farther apart are merged too: rounding may shift the ends of a window.
constexpr double generosity = 4;

double above(double score) { return std::nextafter(score, infinity); }

// The entries of a distribution that reach `least`: it rises to its mode and falls from there.
Window reaching(const double* pmf, Window window, std::size_t mode, double least) {
    const auto first =
        std::partition_point(pmf + window.begin, pmf + mode, [&](double d) { return d < least; });
    const auto last =
        std::partition_point(pmf + mode, pmf + window.end, [&](double d) { return d >= least; });
    return {static_cast<std::size_t>(first - pmf), static_cast<std::size_t>(last - pmf)};
}

std::size_t mode_of(const double* pmf, Window window) {
    return static_cast<std::size_t>(std::max_element(pmf + window.begin, pmf + window.end) - pmf);
}

}  // namespace

double WindowSums::average(const Programs& programs, double cut) {
    const double *pos = programs.pos(), *neg = programs.neg();
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    const std::size_t mode = mode_of(neg, columns);
    row_.resize(columns.end - columns.begin);
    double total = 0;
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        if (neg[mode] * pos[a] < cut) continue;
        Window likely = cut > 0 ? reaching(neg, columns, mode, cut / pos[a]) : columns;
        // Whole blocks, counted from the window's first column: so that each product meets its running sum.
        likely.begin = columns.begin + (likely.begin - columns.begin) / row_block * row_block;
        likely.end =
            std::min(columns.end, columns.begin + whole_blocks(likely.end - columns.begin, row_block));
        score_->row(a, likely.begin, likely.end, row_.data());
        total += pos[a] * dot(neg + likely.begin, row_.data(), likely.end - likely.begin);
    }
    return total;
}

double WindowSums::worldwise_average(const Programs& programs) {
    const double *pos = programs.pos(), *neg = programs.neg();
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    row_.resize(columns.end - columns.begin);
    score_->row(0, columns.begin, columns.end, row_.data());
    double total = 0;
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        const double without_negatives = (*score_)(a, 0);
        double sum = 0;
        for (std::size_t b = columns.begin; b < columns.end; ++b)
            sum += neg[b] * std::max(without_negatives, row_[b - columns.begin]);
        total += pos[a] * sum;
    }
    return total;
}

double WindowSums::worldwise_from(const Programs& programs, double s) {
    double pos_below = 0, neg_below = 0;
    for (std::size_t a = programs.window_pos().begin; a < programs.window_pos().end; ++a)
        pos_below += (*score_)(a, 0) < s ? programs.pos()[a] : 0;
    for (std::size_t b = programs.window_neg().begin; b < programs.window_neg().end; ++b)
        neg_below += (*score_)(0, b) < s ? programs.neg()[b] : 0;
    return 1 - pos_below * neg_below;
}

double WindowSums::probability_from(const Programs& programs, double s) {
    const double *pos = programs.pos(), *neg = programs.neg();
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    const std::size_t width = columns.end - columns.begin;
    reaches_.assign(width, 1);
    Staircase reached(*score_, s, columns.begin, columns.end);
    double total = 0;
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        const std::size_t left = reached.left, right = reached.right;
        reached.step_to(a);
        const auto column = [&](std::size_t b) {
            return reaches_.begin() + static_cast<std::ptrdiff_t>(b - columns.begin);
        };
        std::fill(column(right), column(reached.right), 0);
        std::fill(column(left), column(reached.left), 1);
        total += pos[a] * sum_from(neg + columns.begin, reaches_.data(), 1, width);
    }
    return total;
}

double WindowSums::probability_below(const Programs& programs, double s) {
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    Staircase reached(*score_, s, columns.begin, columns.end);
    double total = 0;
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        reached.step_to(a);
        double below = 0;
        for (std::size_t b = reached.left; b < reached.right; ++b) below += programs.neg()[b];
        total += programs.pos()[a] * below;
    }
    return total;
}

double WindowSums::screened_from(const Programs& programs, double s) {
    const double* neg = programs.neg();
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    const std::size_t width = columns.end - columns.begin;
    sums_left_.assign(width + 1, 0);   // of the columns before
    sums_right_.assign(width + 1, 0);  // of the columns from here on
    for (std::size_t k = 0; k < width; ++k) sums_left_[k + 1] = sums_left_[k] + neg[columns.begin + k];
    for (std::size_t k = width; k > 0; --k) sums_right_[k - 1] = sums_right_[k] + neg[columns.begin + k - 1];
    Staircase reached(*score_, s, columns.begin, columns.end);
    double total = 0;
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        reached.step_to(a);
        total += programs.pos()[a] *
                 (sums_left_[reached.left - columns.begin] + sums_right_[reached.right - columns.begin]);
    }
    return total;
}

double WindowSums::quantile(const Programs& programs, double quantile) {
    // Scores are not negative, so they are in the order of their bits.
    const auto score_of = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    const auto bisect = [&](const auto& probability) {
        std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(score_->top());
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            const bool reached = 1 - probability(above(score_of(middle))) >= quantile - jump_tolerance;
            (reached ? high : low) = reached ? middle : middle + 1;
        }
        return low;
    };
    const auto exact = [&](double s) { return probability_from(programs, s); };
    std::uint64_t found = bisect([&](double s) { return screened_from(programs, s); });
    const auto reached = [&](std::uint64_t bits) {
        return 1 - exact(above(score_of(bits))) >= quantile - jump_tolerance;
    };
    // Sums in another order may fall on the other side of the jump.
    if ((found < std::bit_cast<std::uint64_t>(score_->top()) && !reached(found)) ||
        (found > 0 && reached(found - 1)))
        found = bisect(exact);
    return score_->level_value(score_of(found));
}

double WindowSums::collect(const Programs& programs, double s, double cut) {
    const double *pos = programs.pos(), *neg = programs.neg();
    const Window rows = programs.window_pos(), columns = programs.window_neg();
    const std::size_t mode = mode_of(neg, columns);
    row_.resize(columns.end - columns.begin);
    cells_.clear();
    double taken = 0;
    const auto take = [&](std::size_t a, std::size_t begin, std::size_t end) {
        if (begin >= end) return;
        score_->row(a, begin, end, row_.data());
        double sum = 0;
        for (std::size_t b = begin; b < end; ++b) {
            cells_.push_back({row_[b - begin], pos[a] * neg[b]});
            sum += cells_.back().probability;
        }
        taken += sum;
    };
    Staircase reached(*score_, s, columns.begin, columns.end);
    for (std::size_t a = rows.begin; a < rows.end; ++a) {
        reached.step_to(a);
        const Window likely = reaching(neg, columns, mode, cut / pos[a]);
        take(a, likely.begin, std::min(likely.end, reached.left));
        take(a, std::max(likely.begin, reached.right), likely.end);
    }
    return std::max(0.0, 1 - taken);
}

void WindowSums::keep_crowded(double least) {
    // Scores fall into bins some tolerances wide, which share places. A level lies in a bin and the next one,
    // unless it is as wide as a bin, which takes many scores.
    constexpr std::size_t places = 1 << 18;
    const double scale = 1 / score_->bin_width();
    const auto place = [&](double score) { return static_cast<std::uint64_t>(score * scale) % places; };
    crowds_.assign(places, 0);
    counts_.assign(places, 0);
    for (const Cell& cell : cells_) {
        crowds_[place(cell.score)] += cell.probability;
        ++counts_[place(cell.score)];
    }
    const auto hopeless = [&](const Cell& cell) {
        const std::size_t here = place(cell.score), before = (here + places - 1) % places,
                          after = (here + 1) % places;
        return crowds_[before] + crowds_[here] + crowds_[after] < least &&
               std::max({counts_[before], counts_[here], counts_[after]}) < NamedScore::bin_tolerances;
    };
    cells_.erase(std::remove_if(cells_.begin(), cells_.end(), hopeless), cells_.end());
    std::sort(cells_.begin(), cells_.end(), [](const Cell& x, const Cell& y) { return x.score < y.score; });
}

void WindowSums::merge_cells() {
    std::size_t n_levels = 0;
    double last = 0;
    for (const Cell cell : cells_) {
        const bool same = n_levels > 0 && score_->one_level(last, cell.score);
        last = cell.score;
        Cell& level = cells_[same ? n_levels - 1 : n_levels++];
        level = {cell.score, cell.probability + (same ? level.probability : 0)};
    }
    cells_.resize(n_levels);
}

double WindowSums::mode(const Programs& programs, double tie) {
    const double likeliest = programs.most_likely_cell();
    // Most often a few standard deviations tell which level it is; else all that matters.
    for (const double cut : {1e-9 * likeliest, least_cell}) {
        const double left_out = collect(programs, 0, cut);
        keep_crowded(likeliest - tie - left_out);
        merge_cells();
        double most = likeliest;
        for (const Cell& level : cells_) most = std::max(most, level.probability);
        const double hopeful = most - tie - left_out;
        if (cut > least_cell && std::count_if(cells_.begin(), cells_.end(), [&](const Cell& level) {
                                    return level.probability >= hopeful;
                                }) != 1)
            continue;
        const double least = cut > least_cell ? hopeful : most - tie;
        for (std::size_t k = cells_.size(); k > 0; --k) {
            if (cells_[k - 1].probability >= least) return score_->level_value(cells_[k - 1].score);
        }
    }
    return score_->level_value(0);
}

bool WindowSums::mode_may_reach(const Programs& programs, double s, double least) {
    if (s <= 0) return true;
    collect(programs, s, least_cell);
    keep_crowded(least);
    double sum = 0, last = -infinity;
    for (const Cell& cell : cells_) {
        if (!score_->one_level(last, last + (cell.score - last) / generosity)) sum = 0;
        last = cell.score;
        if ((sum += cell.probability) >= least) return true;
    }
    return false;
}

}  // namespace dugraph
