#include "search/pair_rows.hpp"

namespace dugraph {

PairRows::PairRows(const Rows& rows, std::size_t memory)
    : rows_(rows),
      memory_(memory),
      first_word_(rows.n_nodes + 1),
      slot_a_(rows.n_edges()),
      slot_b_(rows.n_edges()),
      rows_of_pairs_(rows.n_edges()) {
    for (std::size_t v = 0; v < rows.n_nodes; ++v) {
        const auto& ids = rows.incident[v];
        for (std::size_t k = 0; k < ids.size(); ++k) {
            const auto id = static_cast<std::size_t>(ids[k].id);
            (static_cast<std::size_t>(rows.node_a[id]) == v ? slot_a_ : slot_b_)[id] =
                static_cast<std::uint32_t>(k);
        }
        first_word_[v + 1] = first_word_[v] + (ids.size() + 63) / 64;
    }
}

PairRows::~PairRows() {
    for (auto& row : rows_of_pairs_) delete row.load();
}

const std::uint64_t* PairRows::made(std::int32_t id, std::int32_t node) const {
    Row* row = rows_of_pairs_[static_cast<std::size_t>(id)].load(std::memory_order_acquire);
    if (!row) row = make_row(id);
    if (!row) return nullptr;
    auto& state = row->state[static_cast<std::size_t>(node)];
    State none = State::none;
    if (!state.compare_exchange_strong(none, State::being_made, std::memory_order_acquire))
        return nullptr;  // another thread has begun: going on without costs less than waiting
    std::uint64_t* words = row->words.get() + first_word_[static_cast<std::size_t>(node)];
    fill(id, node, words);
    state.store(State::made, std::memory_order_release);
    return words;
}

// The row of an edge, no bit of it known yet; null if memory is used up.
PairRows::Row* PairRows::make_row(std::int32_t id) const {
    const std::size_t bytes = first_word_.back() * sizeof(std::uint64_t) + rows_.n_nodes + sizeof(Row);
    if (used_.fetch_add(bytes) + bytes > memory_) {
        used_.fetch_sub(bytes);
        return nullptr;
    }
    auto fresh = std::make_unique<Row>();
    fresh->words = std::make_unique<std::uint64_t[]>(first_word_.back());
    fresh->state = std::make_unique<std::atomic<State>[]>(rows_.n_nodes);
    Row* there = nullptr;
    auto& place = rows_of_pairs_[static_cast<std::size_t>(id)];
    if (place.compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
    used_.fetch_sub(bytes);
    return there;
}

void PairRows::fill(std::int32_t id, std::int32_t node, std::uint64_t* words) const {
    constexpr std::size_t at_once = 64;
    const auto& incident = rows_.incident[static_cast<std::size_t>(node)];
    std::int32_t ids[at_once], sums[at_once];
    for (std::size_t first = 0; first < incident.size(); first += at_once) {
        const std::size_t count = std::min(at_once, incident.size() - first);
        for (std::size_t k = 0; k < count; ++k) ids[k] = incident[first + k].id;
        byte_sums(rows_.byte_row(id), rows_.byte_rows(), ids, count, rows_.byte_width, sums);
        for (std::size_t k = 0; k < count; ++k) {
            // The rounded rows bound the pair's mass from above, so a cleared bit is never wrong.
            const double most = sums[k] * rows_.scale[id] * rows_.scale[ids[k]];
            words[first / at_once] |= std::uint64_t{most > rows_.surely_not} << k;
        }
    }
}

}  // namespace dugraph
