#include "problems.hpp"

#include <algorithm>
#include <numeric>

namespace problems {

Problem make_problem(check::Random& random, std::size_t n_nodes, std::size_t n_edges,
                     std::size_t largest_class) {
    Problem problem;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int32_t a = 1; a < static_cast<std::int32_t>(n_nodes); ++a)
        for (std::int32_t b = 0; b < a; ++b) pairs.emplace_back(a, b);
    while (pairs.size() > n_edges)
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random.below(pairs.size())));
    problem.n_pos = random.between(1, largest_class);
    problem.n_graphs = problem.n_pos + random.between(1, largest_class);
    problem.n_nodes = n_nodes;
    problem.n_edges = pairs.size();
    for (const auto& [a, b] : pairs) {
        problem.edges.insert(problem.edges.end(), {a, b});
        for (std::size_t i = 0; i < problem.n_graphs; ++i) {
            const double u = random.uniform();  // few zeros, many large ones
            problem.probability.push_back(u < 0.1 ? 0 : std::sqrt(u));
        }
    }
    relabel(random, problem);
    problem.kind = static_cast<Kind>(random.below(n_kinds));
    problem.quantile = 0.1 + 0.8 * random.uniform();
    problem.min_expected_frequency = random.uniform() * 0.4;
    problem.limits.n_subgraphs = random.between(1, 12);
    problem.limits.max_edges = random.below(3) ? n_edges : random.between(1, 3);
    return problem;
}

void relabel(check::Random& random, Problem& problem) {
    problem.positive.assign(problem.n_graphs, 0);
    for (std::size_t left = problem.n_pos; left > 0;) {
        std::uint8_t& label = problem.positive[random.below(problem.n_graphs)];
        left -= label == 0;
        label = 1;
    }
    problem.weights.clear();
    for (std::size_t i = 0; i < problem.n_graphs; ++i) problem.weights.push_back(random.uniform() * 2 - 1);
    // Several contrasts add up to 0, as those of several groups do; beyond eight the bound is another.
    const std::size_t n = problem.n_graphs;
    const std::size_t n_contrasts = random.below(8) ? random.between(1, 4) : random.between(8, 12);
    problem.contrasts.assign(n_contrasts * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        double rest = 0;
        for (std::size_t k = 0; k < n_contrasts; ++k) {
            double& weight = problem.contrasts[k * n + i];
            weight = k + 1 < n_contrasts || k == 0 ? random.uniform() * 2 - 1 : -rest;
            rest += weight;
        }
    }
    const std::size_t n_levels = random.between(1, 6);
    problem.levels.clear();
    for (std::size_t k = 0; k < n_levels; ++k) problem.levels.push_back(static_cast<double>(k) * 1.5 - 2);
    const bool smooth = random.below(2);  // or without any order, which no bound may rely on
    problem.level_of.clear();
    for (std::size_t a = 0; a <= problem.n_pos; ++a) {
        for (std::size_t b = 0; b <= problem.n_neg(); ++b) {
            const double lean = static_cast<double>(a) / static_cast<double>(problem.n_pos) -
                                static_cast<double>(b) / static_cast<double>(problem.n_neg());
            const auto level = static_cast<std::size_t>(std::fabs(lean) * static_cast<double>(n_levels - 1));
            problem.level_of.push_back(static_cast<std::int32_t>(smooth ? level : random.below(n_levels)));
        }
    }
    problem.first_level = static_cast<std::int32_t>(random.below(n_levels + 1));
}

dugraph::Goal Problem::goal() const {
    const dugraph::ClassScore score{positive.data(), level_of.data(), levels.data(), levels.size()};
    switch (kind) {
        case Kind::expectation:
            return dugraph::Expectation{score};
        case Kind::phi_probability:
            return dugraph::PhiProbability{score, first_level};
        case Kind::quantile:
            return dugraph::Quantile{score, quantile};
        case Kind::mode:
            return dugraph::Mode{score};
        case Kind::frequency:
            return dugraph::Frequency{};
        case Kind::gain:
            return dugraph::Gain{weights.data()};
        default:
            return dugraph::SquaredCounts{contrasts.data(), contrasts.size() / n_graphs, 0.25};
    }
}

std::vector<long double> distribution(const std::vector<long double>& x) {
    std::vector<long double> pmf{1};
    for (const long double value : x) {
        pmf.push_back(0);
        for (std::size_t i = pmf.size() - 1; i > 0; --i) pmf[i] = pmf[i] * (1 - value) + pmf[i - 1] * value;
        pmf[0] *= 1 - value;
    }
    return pmf;
}

double true_value(const Problem& problem, const std::vector<std::int32_t>& subgraph) {
    const std::size_t n = problem.n_graphs;
    std::vector<long double> x(n, 1);
    for (const std::int32_t e : subgraph)
        for (std::size_t i = 0; i < n; ++i) x[i] *= problem.probability[static_cast<std::size_t>(e) * n + i];
    const long double frequency = std::accumulate(x.begin(), x.end(), 0.0L) / n;
    if (frequency <= problem.min_expected_frequency + 1e-12L) return -INFINITY;
    if (problem.kind == Kind::frequency) return static_cast<double>(frequency);
    std::vector<long double> of_pos, of_neg;
    long double gain = 0;
    for (std::size_t i = 0; i < n; ++i) {
        (problem.positive[i] ? of_pos : of_neg).push_back(x[i]);
        gain += problem.weights[i] * x[i];
    }
    if (problem.kind == Kind::gain) return static_cast<double>(std::fabs(gain));
    if (problem.kind == Kind::squared_counts) {
        long double squares = 0;
        for (std::size_t k = 0; k < problem.contrasts.size(); k += n) {
            long double mean = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const long double weight = problem.contrasts[k + i];
                mean += weight * x[i];
                squares += weight * weight * x[i] * (1 - x[i]);
            }
            squares += mean * mean;
        }
        return static_cast<double>(squares / 4);
    }
    const auto pos = distribution(of_pos), neg = distribution(of_neg);
    std::vector<long double> weight(problem.levels.size(), 0);
    for (std::size_t a = 0; a < pos.size(); ++a)
        for (std::size_t b = 0; b < neg.size(); ++b)
            weight[static_cast<std::size_t>(problem.level_of[a * neg.size() + b])] += pos[a] * neg[b];
    long double total = 0;
    switch (problem.kind) {
        case Kind::expectation:
            for (std::size_t k = 0; k < weight.size(); ++k) total += weight[k] * problem.levels[k];
            return static_cast<double>(total);
        case Kind::phi_probability:
            for (auto k = static_cast<std::size_t>(problem.first_level); k < weight.size(); ++k)
                total += weight[k];
            return static_cast<double>(total);
        case Kind::quantile: {
            std::size_t k = 0;
            for (total = weight[0]; total < problem.quantile - 1e-12L && k + 1 < weight.size();)
                total += weight[++k];
            return problem.levels[k];
        }
        default: {
            const long double most = *std::max_element(weight.begin(), weight.end());
            std::size_t k = weight.size() - 1;
            while (weight[k] < most - 1e-12L) --k;
            return problem.levels[k];
        }
    }
}

bool connected(const Problem& problem, const std::vector<std::int32_t>& subgraph) {
    std::set<std::int32_t> reached{problem.edges[2 * static_cast<std::size_t>(subgraph[0])]};
    for (std::size_t step = 0; step < subgraph.size(); ++step) {
        for (const std::int32_t e : subgraph) {
            const std::int32_t a = problem.edges[2 * static_cast<std::size_t>(e)];
            const std::int32_t b = problem.edges[2 * static_cast<std::size_t>(e) + 1];
            if (reached.count(a) || reached.count(b)) reached.insert({a, b});
        }
    }
    return std::all_of(subgraph.begin(), subgraph.end(), [&](std::int32_t e) {
        return reached.count(problem.edges[2 * static_cast<std::size_t>(e)]) > 0;
    });
}

std::set<std::vector<std::int32_t>> all_admitted(const Problem& problem) {
    std::set<std::vector<std::int32_t>> all;
    for (std::uint32_t bits = 1; bits < std::uint32_t{1} << problem.n_edges; ++bits) {
        std::vector<std::int32_t> subgraph;
        for (std::int32_t e = 0; e < static_cast<std::int32_t>(problem.n_edges); ++e)
            if (bits >> e & 1) subgraph.push_back(e);
        if (subgraph.size() <= problem.limits.max_edges && connected(problem, subgraph) &&
            true_value(problem, subgraph) != -INFINITY)
            all.insert(subgraph);
    }
    return all;
}

std::vector<std::int32_t> listed(const dugraph::Result& result, std::size_t k) {
    return {result.edge_index.begin() + result.indptr[k], result.edge_index.begin() + result.indptr[k + 1]};
}

void check_list(const Problem& problem, const dugraph::Result& result) {
    CHECK(result.indptr.size() == result.values.size() + 1);
    CHECK(result.values.size() <= problem.limits.n_subgraphs);
    for (std::size_t k = 0; k < result.values.size(); ++k) {
        const auto subgraph = listed(result, k);
        CHECK(std::is_sorted(subgraph.begin(), subgraph.end()));
        CHECK(subgraph.size() <= problem.limits.max_edges && connected(problem, subgraph));
        CHECK(check::near(result.values[k], true_value(problem, subgraph), 1e-12, 1e-14));
        if (k == 0) continue;
        const auto before = listed(result, k - 1);
        CHECK(result.values[k - 1] >= result.values[k]);
        if (result.values[k - 1] == result.values[k])
            CHECK(before.size() < subgraph.size() || (before.size() == subgraph.size() && before < subgraph));
    }
}

bool same_list(const dugraph::Result& a, const dugraph::Result& b) {
    return a.indptr == b.indptr && a.edge_index == b.edge_index && a.values.size() == b.values.size() &&
           (a.values.empty() ||
            std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

}  // namespace problems
