#include "search/pair_table.hpp"

#include <numeric>

#include "search/parallel.hpp"

namespace dugraph {

PairTable::PairTable(const Cohort& cohort, int n_threads, const std::atomic<bool>& stop)
    : first_word_(cohort.n_nodes + 1), slot_(cohort.n_edges()) {
    for (std::size_t v = 0; v < cohort.n_nodes; ++v) {
        const auto& ids = cohort.incident[v];
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (static_cast<std::size_t>(cohort.node_a[ids[k].id]) == v) {
                slot_[ids[k].id] = static_cast<std::uint32_t>(first_word_[v] * 64 + k);
            }
        }
        first_word_[v + 1] = first_word_[v] + (ids.size() + 63) / 64;
    }
    words_ = first_word_.back();
    bits_.assign(cohort.n_edges() * words_, 0);
    parallel_for(cohort.n_edges(), n_threads, stop,
                 [&](std::size_t id) { fill_row(cohort, static_cast<std::int32_t>(id)); });
}

void PairTable::row_of_later(const Cohort& cohort, std::int32_t first, std::vector<std::uint64_t>& to) const {
    to.assign(row(first), row(first) + words_);
    for (std::size_t v = 0; v < cohort.n_nodes; ++v) {
        const auto& ids = cohort.incident[v];
        for (std::size_t k = 0; k < ids.size() && ids[k].id <= first; ++k) {
            to[first_word_[v] + k / 64] &= ~(std::uint64_t{1} << (k % 64));
        }
    }
}

void PairTable::fill_row(const Cohort& cohort, std::int32_t id) {
    std::vector<std::int32_t> all(cohort.n_edges());
    std::iota(all.begin(), all.end(), 0);
    std::vector<ByteMass> sums(all.size());
    const std::uint8_t* x = cohort.byte_rows() + static_cast<std::size_t>(id) * cohort.shape.byte_size();
    byte_masses(x, cohort.byte_rows(), all.data(), all.size(), cohort.shape, sums.data());
    std::uint64_t* bits = bits_.data() + static_cast<std::size_t>(id) * words_;
    for (std::size_t v = 0; v < cohort.n_nodes; ++v) {
        const auto& ids = cohort.incident[v];
        for (std::size_t k = 0; k < ids.size(); ++k) {
            // The rounded rows bound the pair's mass from above, so a cleared bit is never wrong.
            const std::int32_t other = ids[k].id;
            const double most = (sums[other].pos + sums[other].neg) * cohort.scale[id] * cohort.scale[other];
            const bool frequent = most > cohort.surely_not;
            bits[first_word_[v] + k / 64] |= std::uint64_t{frequent} << (k % 64);
        }
    }
}

}  // namespace dugraph
