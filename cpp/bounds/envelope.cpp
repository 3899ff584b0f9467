#include "bounds/envelope.hpp"

#include <algorithm>
#include <cmath>

namespace dugraph {

namespace {

// Binomial masses from `start` on, going up or down, as long as they are at least `cut`.
std::vector<double> binomial_run(std::size_t m, double share, std::size_t start, bool up, double cut) {
    const auto n = static_cast<double>(m);
    auto k = static_cast<double>(start);
    double mass = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                           k * std::log(share) + (n - k) * std::log1p(-share));
    std::vector<double> run;
    const double odds = share / (1 - share);
    while (mass >= cut) {
        run.push_back(mass);
        if (up ? k == n : k == 0) break;
        mass *= up ? (n - k) / (k + 1) * odds : k / (n - k + 1) / odds;
        k += up ? 1 : -1;
    }
    return run;
}

double sum(const std::vector<double>& masses) {
    double total = 0;
    for (std::size_t k = masses.size(); k > 0; --k) total += masses[k - 1];
    return total;
}

}  // namespace

Law high_law(std::size_t m, double mean, double cut) {
    const auto least = std::min(static_cast<std::size_t>(std::ceil(mean)), m);
    if (least == m || mean <= 0) return {least, {1.0}, 0};
    std::vector<double> run = binomial_run(m, mean / static_cast<double>(m), least + 1, true, cut);
    const double rest = std::max(0.0, 1 - sum(run));
    Law law{least, {rest}, run.size() < m - least ? cut * static_cast<double>(m) : 0};
    law.mass.insert(law.mass.end(), run.begin(), run.end());
    return law;
}

Law low_law(std::size_t m, double mean, double cut) {
    const auto most = std::min(static_cast<std::size_t>(std::floor(mean)), m);
    if (most == 0 || mean >= static_cast<double>(m)) return {most, {1.0}, 0};
    std::vector<double> run = binomial_run(m, mean / static_cast<double>(m), most - 1, false, cut);
    Law law{
        most - run.size(), {run.rbegin(), run.rend()}, run.size() < most ? cut * static_cast<double>(m) : 0};
    law.mass.push_back(std::max(0.0, 1 - sum(run)));
    return law;
}

}  // namespace dugraph
