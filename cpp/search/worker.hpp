// One thread of the search: depth-first over connected edge sets, each met exactly once.
//
// A subgraph g keeps a list of extensions: edges that touch it. They are taken in some order e1, e2, ...; the child g + ei
// may be extended by the later ones only, and by the edges at the node that ei brings in. Every connected superset of g
// holds a first ei, so it lies below exactly that child. Edges before the first edge of g are left out throughout.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <vector>

#include "search/cohort.hpp"
#include "search/objective.hpp"
#include "search/pair_table.hpp"
#include "search/task_pool.hpp"
#include "search/top_list.hpp"

namespace dugraph {

// What the threads of a search share.
template <Objective T>
struct Shared {
    const Input& input;
    const Cohort& cohort;
    const PairTable& pairs;
    T& objective;
    TopList& top;
    TaskPool& pool;
    std::atomic<bool> stop{false};
    std::atomic<bool> node_limit_hit{false};
    std::atomic<std::uint64_t> visited{0}, candidates{0}, evaluated{0}, pruned_by_frequency{0}, pruned_by_bound{0};
};

template <Objective T>
class Worker {
  public:
    explicit Worker(Shared<T>& shared)
        : shared_(shared), cohort_(shared.cohort), scratch_(shared.objective.make_scratch()), product_(cohort_.shape.size()),
          in_subgraph_(cohort_.n_nodes) {}

    // Takes tasks until there are none.
    void run() {
        Task task;
        while (shared_.pool.take(task)) explore_task(task);
        publish();
    }

    // A subgraph of one edge: may it enter the list, and what do its supergraphs reach?
    Child first_edge(std::int32_t id) {
        path_ = {id};
        return consider(id, cohort_.mass[id], cohort_.row(id));
    }

    const std::vector<Mass>& open() const { return open_; }       // subgraphs left unexplored at a stop
    double open_bound() const { return live_bound_.load(std::memory_order_relaxed); }
    void publish() {
        const auto flush = [](std::atomic<std::uint64_t>& total, std::uint64_t& own) {
            total.fetch_add(own, std::memory_order_relaxed);
            own = 0;
        };
        flush(shared_.visited, counters_.visited);
        flush(shared_.candidates, counters_.candidates);
        flush(shared_.evaluated, counters_.evaluated);
        flush(shared_.pruned_by_frequency, counters_.pruned_by_frequency);
        flush(shared_.pruned_by_bound, counters_.pruned_by_bound);
    }

  private:
    struct Frame {
        AlignedVector<double> x;
        AlignedVector<std::uint8_t> byte_x;
        double scale = 0;
        Mass mass;
        std::vector<std::int32_t> extensions;
        std::vector<ByteMass> byte_masses;
        std::vector<Child> children;
        std::size_t next = 0;  // the first child not begun
        bool new_node = false;
    };

    static constexpr double no_bound = std::numeric_limits<double>::infinity();

    void explore_task(Task& task) {
        // The subgraph of the task again, from its edges.
        path_.clear();
        std::fill(in_subgraph_.begin(), in_subgraph_.end(), std::uint8_t{0});
        base_ = task.edges.size();
        Frame& frame = frame_at(base_);
        for (const std::int32_t id : task.edges) {
            add_nodes(id);
            path_.push_back(id);
        }
        if (!path_.empty()) rebuild(frame);
        frame.children = std::move(task.children);
        explore_children(base_);
    }

    void rebuild(Frame& frame) {
        std::copy(cohort_.row(path_[0]), cohort_.row(path_[0]) + cohort_.shape.size(), frame.x.begin());
        frame.mass = cohort_.mass[path_[0]];
        for (std::size_t k = 1; k < path_.size(); ++k) frame.mass = multiply(frame.x.data(), path_[k], frame.x.data());
        frame.scale = round_row(frame.x.data(), cohort_.shape, frame.byte_x.data());
    }

    void explore_children(std::size_t depth) {
        Frame& frame = frame_at(depth);
        for (frame.next = 0; frame.next < frame.children.size();) {
            if (depth == base_) publish_bound(frame);
            const Child child = frame.children[frame.next++];
            if (shared_.stop.load(std::memory_order_relaxed)) {
                leave_open(child.mass);
                for (; frame.next < frame.children.size(); ++frame.next) leave_open(frame.children[frame.next].mass);
                return;
            }
            shared_.top.refresh(threshold_, version_);
            if (threshold_.excludes(child.bound, depth + 2)) {  // the threshold has risen since the child was made
                ++counters_.pruned_by_bound;
                continue;
            }
            if (shared_.pool.hungry()) share_work(depth);
            descend(depth, frame.next - 1);
        }
    }

    // Gives the untouched children of the shallowest subgraph that has any to a thread without work.
    void share_work(std::size_t depth) {
        for (std::size_t d = base_; d <= depth; ++d) {
            Frame& frame = frame_at(d);
            if (frame.next >= frame.children.size()) continue;
            Task task;
            task.edges.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(d));
            task.children.assign(frame.children.begin() + static_cast<std::ptrdiff_t>(frame.next), frame.children.end());
            // They stay extensions of the children before them, but are no longer this thread's to explore.
            frame.next = frame.children.size();
            shared_.pool.add(std::move(task));
            return;
        }
    }

    void descend(std::size_t depth, std::size_t which) {
        Frame& frame = frame_at(depth);
        const Child child = frame.children[which];
        Frame& below = frame_at(depth + 1);
        path_.push_back(child.edge);
        below.extensions.clear();
        std::int32_t entered[2];
        int n_entered = 0;
        if (depth > 0) {
            const std::uint64_t* together = shared_.pairs.row(child.edge);
            for (std::size_t k = which + 1; k < frame.children.size(); ++k) {
                const std::int32_t other = frame.children[k].edge;
                if (shared_.pairs.together(together, other)) below.extensions.push_back(other);
            }
        }
        for (const std::int32_t node : {cohort_.node_a[child.edge], cohort_.node_b[child.edge]}) {
            if (in_subgraph_[node]) continue;
            extend_through(node, below.extensions);
            in_subgraph_[node] = 1;
            entered[n_entered++] = node;
        }
        if (!below.extensions.empty()) {
            if (depth == 0) {
                std::copy(cohort_.row(child.edge), cohort_.row(child.edge) + cohort_.shape.size(), below.x.begin());
            } else {
                multiply(frame.x.data(), child.edge, below.x.data());
            }
            below.mass = child.mass;
            below.scale = round_row(below.x.data(), cohort_.shape, below.byte_x.data());
            test_extensions(depth + 1);
            explore_children(depth + 1);
        }
        while (n_entered > 0) in_subgraph_[entered[--n_entered]] = 0;
        path_.pop_back();
    }

    // Adds the edges from a new node to nodes outside of the subgraph which are frequent with each of its edges.
    void extend_through(std::int32_t node, std::vector<std::int32_t>& extensions) {
        const auto& incident = cohort_.incident[node];
        const std::size_t first = shared_.pairs.first_word(node), end = shared_.pairs.end_word(node);
        for (std::size_t word = first; word < end; ++word) {
            std::uint64_t bits = ~std::uint64_t{0};
            for (const std::int32_t id : path_) bits &= shared_.pairs.row(id)[word];
            for (; bits != 0; bits &= bits - 1) {
                const std::int32_t id = incident[(word - first) * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
                const std::int32_t other = cohort_.node_a[id] == node ? cohort_.node_b[id] : cohort_.node_a[id];
                if (id > path_[0] && !in_subgraph_[other]) extensions.push_back(id);
            }
        }
    }

    // Tests every extension of the subgraph at this depth; those that are admitted and may lead to the list become
    // children. The others can be in no better supergraph either, so they are dropped for the whole subtree.
    void test_extensions(std::size_t depth) {
        Frame& frame = frame_at(depth);
        frame.children.clear();
        frame.byte_masses.resize(frame.extensions.size());
        byte_masses(frame.byte_x.data(), cohort_.byte_rows(), frame.extensions.data(), frame.extensions.size(),
                    cohort_.shape, frame.byte_masses.data());
        counters_.candidates += frame.extensions.size();
        const bool last_edge = depth + 1 >= shared_.input.max_edges;
        for (std::size_t k = 0; k < frame.extensions.size(); ++k) {
            const std::int32_t id = frame.extensions[k];
            // Cheapest first: the rounded rows bound the masses from above.
            const double scale = frame.scale * cohort_.scale[id] * (1 + 1e-12);
            const Mass most{frame.byte_masses[k].pos * scale, frame.byte_masses[k].neg * scale};
            if (most.total() <= cohort_.surely_not) {
                ++counters_.pruned_by_frequency;
                continue;
            }
            const Mass mass = product_mass(frame.x.data(), cohort_.row(id), cohort_.shape.pos, cohort_.shape.neg);
            if (!admitted(mass, id)) {
                ++counters_.pruned_by_frequency;
                continue;
            }
            ++counters_.visited;
            path_.push_back(id);
            Child child = consider(id, mass, nullptr);
            path_.pop_back();
            if (threshold_.excludes(child.bound, depth + 2)) {
                ++counters_.pruned_by_bound;
            } else if (!last_edge) {
                frame.children.push_back(child);
            }
            if (shared_.stop.load(std::memory_order_relaxed)) {
                leave_open(frame.mass);
                frame.children.clear();
                return;
            }
        }
        order_children(frame);
        count_nodes();
    }

    void order_children(Frame& frame) {
        std::sort(frame.children.begin(), frame.children.end(),
                  [](const Child& a, const Child& b) { return a.mass.total() < b.mass.total(); });
    }

    // The subgraph of path_, just met: enters it into the list if it belongs there and bounds its supergraphs.
    Child consider(std::int32_t id, const Mass& mass, const double* row) {
        const std::size_t size = path_.size();
        shared_.top.refresh(threshold_, version_);
        Child child{id, mass, shared_.objective.subtree_bound(mass)};
        const bool want_value = !threshold_.excludes(shared_.objective.own_bound(mass), size);
        const bool want_bound = shared_.objective.has_program_bound() && !threshold_.excludes(child.bound, size + 1) &&
                                size < shared_.input.max_edges && program_pays();
        if (!want_value && !want_bound) return child;
        if (!row) {
            multiply(frame_at(size - 1).x.data(), id, product_.data());
            row = product_.data();
        }
        const Verdict verdict = shared_.objective.examine({row, mass, size}, threshold_, want_value, want_bound, scratch_);
        counters_.evaluated += verdict.programs;
        child.bound = std::min(child.bound, verdict.subtree_bound);
        if (want_bound) note_program(threshold_.excludes(child.bound, size + 1));
        if (verdict.may_enter) enter();
        return child;
    }

    // Recomputes the subgraph of path_ canonically and offers it to the list.
    void enter() {
        sorted_ = path_;
        cohort_.canonical_product(sorted_, product_.data());
        ++counters_.evaluated;
        Entry entry{shared_.objective.value(product_.data(), scratch_), {}};
        for (const std::int32_t id : sorted_) entry.edges.push_back(cohort_.canonical[id]);
        shared_.top.offer(std::move(entry));
        shared_.top.refresh(threshold_, version_);
        shared_.objective.raise(threshold_);
    }

    // In "worldwise" mode the program bound is the bound; in "mass" mode it is tried where the O(1) bound leaves a
    // subtree open, as long as it cuts often enough to pay for its programs.
    bool program_pays() {
        if (shared_.input.bound == Bound::worldwise) return true;
        ++asked_;
        return tried_ < 256 || cut_ * 8 > tried_ || asked_ % 64 == 0;
    }
    void note_program(bool cut) {
        ++tried_;
        cut_ += cut;
        if (tried_ == 4096) {
            tried_ /= 2;
            cut_ /= 2;
        }
    }

    bool admitted(const Mass& mass, std::int32_t id) {
        if (mass.total() > cohort_.surely_admitted) return true;
        if (mass.total() <= cohort_.surely_not) return false;
        sorted_ = path_;
        sorted_.push_back(id);
        return cohort_.admitted(cohort_.canonical_product(sorted_, product_.data()));
    }

    Mass multiply(const double* x, std::int32_t id, double* out) {
        return store_product(x, cohort_.row(id), cohort_.shape.pos, cohort_.shape.neg, out);
    }

    void add_nodes(std::int32_t id) {
        in_subgraph_[cohort_.node_a[id]] = 1;
        in_subgraph_[cohort_.node_b[id]] = 1;
    }

    void leave_open(const Mass& mass) { open_.push_back(mass); }

    void count_nodes() {
        if (counters_.visited < publish_every_ && shared_.input.node_limit == ~std::uint64_t{0}) return;
        publish();
        shared_.objective.raise(threshold_);
        if (shared_.visited.load(std::memory_order_relaxed) >= shared_.input.node_limit) {
            shared_.node_limit_hit = true;
            shared_.stop = true;
        }
    }

    void publish_bound(const Frame& frame) {
        double most = -no_bound;
        for (std::size_t k = frame.next; k < frame.children.size(); ++k) most = std::max(most, frame.children[k].bound);
        live_bound_.store(most, std::memory_order_relaxed);
    }

    Frame& frame_at(std::size_t depth) {
        while (frames_.size() <= depth) {
            frames_.push_back(std::make_unique<Frame>());
            frames_.back()->x.resize(cohort_.shape.size());
            frames_.back()->byte_x.resize(cohort_.shape.byte_size());
        }
        return *frames_[depth];
    }

    static constexpr std::uint64_t publish_every_ = 4096;

    Shared<T>& shared_;
    const Cohort& cohort_;
    typename T::Scratch scratch_;
    AlignedVector<double> product_;
    std::vector<std::uint8_t> in_subgraph_;  // node -> whether path_ touches it
    std::vector<std::int32_t> path_, sorted_;
    std::vector<std::unique_ptr<Frame>> frames_;  // frames_[d]: the subgraph of d edges on the path
    std::size_t base_ = 0;                        // edges of the task's own subgraph
    Threshold threshold_;
    std::uint64_t version_ = 0;
    Counters counters_;
    std::uint64_t asked_ = 0, tried_ = 0, cut_ = 0;
    std::vector<Mass> open_;
    std::atomic<double> live_bound_{-no_bound};
};

}  // namespace dugraph
