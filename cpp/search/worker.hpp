// One thread of the search: depth-first over connected edge sets, each met exactly once.
//
// A subgraph g keeps a list of extensions: edges that touch it. They are taken in some order e1, e2, ...; the
// child g + ei may be extended by the later ones only, and by the edges at the node that ei brings in. Every
// connected superset of g holds a first ei, so it lies below exactly that child. Edges before the first edge
// of g are left out throughout.
//
// The worker walks; what becomes of the subgraphs it meets is its judge's business. Per candidate O(n) for a
// sum of products, and a sixth of that for most of those that fail.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <memory>
#include <vector>

#include "search/climb.hpp"
#include "search/frontier.hpp"
#include "search/pair_rows.hpp"

namespace dugraph {

// What a worker asks of its judge. Ranking (ranking.hpp) is one, with a list of the best behind it.
template <class J>
concept Judge = requires(J& judge, const J& fixed, const std::vector<std::int32_t>& path, const double* x,
                         std::vector<Child<typename J::Mark>>& children, const typename J::Mark& mark,
                         std::int32_t id, std::size_t size) {
    { judge.meet(path, x, children) } -> std::same_as<bool>;  // admitted subgraphs, all at one parent
    { fixed.recall(x, id) } -> std::same_as<typename J::Mark>;
    { fixed.closed(mark, size) } -> std::same_as<bool>;
    { fixed.promise(x, id) } -> std::convertible_to<double>;
    { fixed.climbs() } -> std::same_as<std::size_t>;
    judge.sharpen();
    judge.raise();
    { fixed.threshold() } -> std::convertible_to<double>;
    { J::bound(mark) } -> std::convertible_to<double>;
    { judge.take_evaluated() } -> std::same_as<std::uint64_t>;
};

template <Judge J>
class Worker {
  public:
    using Mark = typename J::Mark;
    using Task = dugraph::Task<Mark>;
    using Pool = TaskPool<Task>;

    Worker(int number, std::size_t max_edges, const Rows& rows, const PairRows& pairs, J judge, Pool& pool,
           Control& control)
        : number_(number),
          max_edges_(max_edges),
          rows_(rows),
          pairs_(pairs),
          pool_(pool),
          control_(control),
          judge_(std::move(judge)),
          admission_(rows),
          ones_(rows.width, 1.0),
          in_subgraph_(rows.n_nodes) {}

    // Meets the single edges, from which everything starts; the most promising ones first, for the
    // threshold's sake. False if it was stopped meanwhile.
    bool start() {
        const std::vector<std::int32_t> ids = by_promise(rows_, ones_.data(), judge_);
        auto children = std::make_shared<typename Task::Children>();
        for (const std::int32_t id : ids) children->push_back({id, rows_.mass[id], {}});
        if (!judge_.meet(path_, ones_.data(), *children)) return false;
        counters_.visited += ids.size();
        if (max_edges_ > 1) {
            for (std::size_t k = 0; k < std::min(ids.size(), judge_.climbs()); ++k)
                climb(ids[k], rows_, judge_, admission_, max_edges_, control_);
        }
        judge_.raise();
        publish();
        std::sort(children->begin(), children->end(),
                  [](const auto& a, const auto& b) { return a.edge < b.edge; });
        if (max_edges_ > 1) pool_.add({{}, children, 0, children->size(), true});
        return true;
    }

    // Takes tasks until there are none.
    void run() {
        Task task;
        while (pool_.take(task)) {
            explore(task);
            control_.show_open_bound(number_, -std::numeric_limits<double>::infinity());
            if (control_.stopped()) pool_.stop();
        }
        publish();
    }

    // What was left unexplored at a stop.
    std::vector<Task>& open() { return open_; }

    // Computes masses and marks that a task from elsewhere does not have.
    void mark(Task& task) {
        if (task.marked) return;
        Frame& frame = follow(task.path);
        const double* x = task.path.empty() ? ones_.data() : frame.x.data();
        auto children = std::make_shared<typename Task::Children>(*task.children);
        for (std::size_t k = task.begin; k < task.end; ++k) {
            auto& child = (*children)[k];
            child.mass = product_sum(x, rows_.row(child.edge), rows_.width);
            child.mark = judge_.recall(x, child.edge);
        }
        task.children = std::move(children);
        task.marked = true;
    }

  private:
    using Children = typename Task::Children;

    // The state of the subgraph of d edges on the path.
    struct Frame {
        AlignedVector<double> x;
        AlignedVector<std::uint8_t> byte_x;
        double top = 0;  // largest entry of x
        std::vector<std::int32_t> extensions, byte_sums;
        Children own;                            // children found by this thread,
        std::shared_ptr<const Children> shared;  // or those of a task, or what was given to other threads
        const Child<Mark>* children = nullptr;
        std::size_t n_children = 0, next = 0, end = 0;  // [next, end): not begun, and this thread's to do
    };

    // Sets the path, and the row of its product in the frame behind it.
    Frame& follow(const std::vector<std::int32_t>& path) {
        path_.clear();
        std::fill(in_subgraph_.begin(), in_subgraph_.end(), std::uint8_t{0});
        Frame& frame = frame_at(path.size());
        for (const std::int32_t id : path) {
            in_subgraph_[rows_.node_a[id]] = in_subgraph_[rows_.node_b[id]] = 1;
            multiply(path_.empty() ? ones_.data() : frame.x.data(), id, frame);
            path_.push_back(id);
        }
        return frame;
    }

    void explore(Task& task) {
        mark(task);
        Frame& frame = follow(task.path);
        base_ = task.path.size();
        frame.shared = std::move(task.children);
        frame.children = frame.shared->data();
        frame.n_children = frame.shared->size();
        frame.next = show_at_ = task.begin;
        frame.end = task.end;
        explore_children(base_);
    }

    void explore_children(std::size_t depth) {
        Frame& frame = frame_at(depth);
        while (frame.next < frame.end && !control_.stopped()) {
            if (depth == base_ && frame.next >= show_at_) show_bound(frame);
            const std::size_t which = frame.next++;
            judge_.sharpen();
            if (judge_.closed(frame.children[which].mark, depth + 1)) {
                ++counters_.pruned_by_bound;  // the threshold has risen since the child was made
                continue;
            }
            if (pool_.hungry()) share_work(depth);
            if (!descend(depth, which)) frame.next = which;  // stopped on the way: it stays open
        }
        if (frame.next < frame.end) open_.push_back(rest_of(depth));
        frame.shared.reset();
    }

    // What is not begun of the subgraph at this depth, as a task.
    Task rest_of(std::size_t depth) {
        Frame& frame = frame_at(depth);
        if (!frame.shared) frame.shared = std::make_shared<const Children>(frame.own);
        return {{path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(depth)},
                frame.shared,
                frame.next,
                frame.end,
                true};
    }

    // Gives the untouched children of the shallowest subgraph that has any to a thread without work. They
    // stay extensions of the children before them, but are no longer this thread's to explore.
    void share_work(std::size_t depth) {
        for (std::size_t d = base_; d <= depth; ++d) {
            Frame& frame = frame_at(d);
            if (frame.next >= frame.end) continue;
            pool_.add(rest_of(d));
            frame.end = frame.next;
            return;
        }
    }

    // Explores the supergraphs of a child; false if it was stopped before its children were known.
    bool descend(std::size_t depth, std::size_t which) {
        Frame& frame = frame_at(depth);
        Frame& below = frame_at(depth + 1);
        const std::int32_t edge = frame.children[which].edge;
        path_.push_back(edge);
        below.extensions.clear();
        if (depth > 0) {
            for (std::size_t k = which + 1; k < frame.n_children; ++k) {
                if (may_join(edge, frame.children[k].edge))
                    below.extensions.push_back(frame.children[k].edge);
            }
        }
        const std::int32_t nodes[] = {rows_.node_a[edge], rows_.node_b[edge]};
        bool entered[2];
        for (int k = 0; k < 2; ++k) {
            entered[k] = !in_subgraph_[nodes[k]];
            if (!entered[k]) continue;
            extend_through(nodes[k], below.extensions);
            in_subgraph_[nodes[k]] = 1;
        }
        bool done = true;
        if (!below.extensions.empty()) {
            multiply(depth == 0 ? ones_.data() : frame.x.data(), edge, below);
            done = test_extensions(depth + 1);
            if (done) explore_children(depth + 1);
        }
        for (int k = 0; k < 2; ++k) {
            if (entered[k]) in_subgraph_[nodes[k]] = 0;
        }
        path_.pop_back();
        return done;
    }

    // Whether a sibling may extend the subgraph that `edge` has just joined, as far as the bits at the node
    // by which the sibling touches the path tell.
    bool may_join(std::int32_t edge, std::int32_t sibling) const {
        const std::int32_t a = rows_.node_a[sibling];
        const std::int32_t node = in_subgraph_[a] ? a : rows_.node_b[sibling];
        const std::uint64_t* words = pairs_.at(edge, node);
        if (!words) return true;
        const std::size_t slot = pairs_.slot(sibling, node);
        return words[slot / 64] >> (slot % 64) & 1;
    }

    // Adds the edges from a new node to nodes outside of the subgraph which are frequent with each of its
    // edges, and later than its first one.
    void extend_through(std::int32_t node, std::vector<std::int32_t>& extensions) {
        const auto& incident = rows_.incident[static_cast<std::size_t>(node)];
        const auto later =
            std::upper_bound(incident.begin(), incident.end(), path_[0],
                             [](std::int32_t first, const auto& edge) { return first < edge.id; });
        const auto from = static_cast<std::size_t>(later - incident.begin());
        if (from == incident.size()) return;
        segments_.clear();
        for (const std::int32_t edge : path_) {
            if (const std::uint64_t* words = pairs_.at(edge, node)) segments_.push_back(words);
        }
        const std::size_t n_words = (incident.size() + 63) / 64;
        for (std::size_t word = from / 64; word < n_words; ++word) {
            std::uint64_t bits = ~std::uint64_t{0};
            if (word == from / 64) bits <<= from % 64;
            if (word == n_words - 1 && incident.size() % 64)
                bits &= ~(~std::uint64_t{0} << incident.size() % 64);
            for (const std::uint64_t* words : segments_) bits &= words[word];
            for (; bits != 0; bits &= bits - 1) {
                const auto& edge = incident[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
                if (!in_subgraph_[edge.other]) extensions.push_back(edge.id);
            }
        }
    }

    // Tests every extension of the subgraph at this depth; those that are admitted and may lead to the list
    // become children. The others can be in no better supergraph either, so they are dropped for the whole
    // subtree. False if a stop came between: then it is as if nothing had been tested.
    bool test_extensions(std::size_t depth) {
        Frame& frame = frame_at(depth);
        const Counters before = counters_;
        counters_.candidates += frame.extensions.size();
        if (frame.extensions.size() >= worth_rounding) drop_by_bytes(frame);
        frame.own.clear();
        for (const std::int32_t id : frame.extensions) {
            const double mass = product_sum(frame.x.data(), rows_.row(id), rows_.width);
            if (admission_(mass, path_, id)) {
                frame.own.push_back({id, mass, {}});
            } else {
                ++counters_.pruned_by_frequency;
            }
        }
        counters_.visited += frame.own.size();
        if (!judge_.meet(path_, frame.x.data(), frame.own)) {
            counters_ = before;
            return false;
        }
        counters_.pruned_by_bound += std::erase_if(
            frame.own, [&](const Child<Mark>& child) { return judge_.closed(child.mark, depth + 1); });
        if (depth + 1 >= max_edges_) frame.own.clear();
        // Rare ones first, as for the first edges: they have more extensions to try, but few that stay
        // admitted.
        std::sort(frame.own.begin(), frame.own.end(),
                  [](const auto& a, const auto& b) { return a.mass < b.mass; });
        frame.children = frame.own.data();
        frame.n_children = frame.end = frame.own.size();
        frame.next = 0;
        if (counters_.visited >= publish_every || control_.node_limit != ~std::uint64_t{0}) publish();
        return true;
    }

    // Cheapest first: the rounded rows bound the masses of the extensions from above.
    void drop_by_bytes(Frame& frame) {
        auto& extensions = frame.extensions;
        const double scale = round_row(frame.x.data(), frame.top, rows_.width, frame.byte_x.data());
        frame.byte_sums.resize(extensions.size());
        byte_sums(frame.byte_x.data(), rows_.byte_rows(), extensions.data(), extensions.size(),
                  rows_.byte_width, frame.byte_sums.data());
        std::size_t kept = 0;
        for (std::size_t k = 0; k < extensions.size(); ++k) {
            const double most = frame.byte_sums[k] * scale * rows_.scale[extensions[k]];
            extensions[kept] = extensions[k];
            kept += most > rows_.surely_not;
        }
        counters_.pruned_by_frequency += extensions.size() - kept;
        extensions.resize(kept);
    }

    void multiply(const double* x, std::int32_t id, Frame& to) {
        to.top = store_product_top(x, rows_.row(id), rows_.width, to.x.data());
    }

    void publish() {
        counters_.evaluated += judge_.take_evaluated();
        control_.count(counters_);
        control_.show_threshold(judge_.threshold());
    }

    void show_bound(const Frame& frame) {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = frame.next; k < frame.end; ++k)
            most = std::max<double>(most, J::bound(frame.children[k].mark));
        control_.show_open_bound(number_, most);
        show_at_ = frame.next + (frame.end - frame.next) / 64 + 1;  // lists may be long
    }

    Frame& frame_at(std::size_t depth) {
        while (frames_.size() <= depth) {
            frames_.push_back(std::make_unique<Frame>());
            frames_.back()->x.resize(rows_.width);
            frames_.back()->byte_x.resize(rows_.byte_width);
        }
        return *frames_[depth];
    }

    static constexpr std::uint64_t publish_every = 4096;
    static constexpr std::size_t worth_rounding =
        8;  // extensions; for fewer their products cost less than rounding x

    const int number_;
    const std::size_t max_edges_;
    const Rows& rows_;
    const PairRows& pairs_;
    Pool& pool_;
    Control& control_;
    J judge_;
    Admission admission_;
    const AlignedVector<double> ones_;
    std::vector<std::uint8_t> in_subgraph_;  // node -> whether an edge of path_ touches it
    std::vector<std::int32_t> path_;
    std::vector<const std::uint64_t*> segments_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::size_t base_ = 0;     // edges of the task's own subgraph
    std::size_t show_at_ = 0;  // the child of it before which the open bound is shown again
    Counters counters_;
    std::vector<Task> open_;
};

}  // namespace dugraph
