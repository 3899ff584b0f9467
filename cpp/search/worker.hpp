// One thread of the search: depth-first over connected edge sets, each met exactly once.
//
// A subgraph g keeps a list of extensions: edges that touch it. They are taken in some order e1, e2, ...; the
// child g + ei may be extended by the later ones only, and by the edges at the node that ei brings in. Every
// connected superset of g holds a first ei, so it lies below exactly that child. Edges before the first edge
// of g are left out throughout.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "search/climb.hpp"
#include "search/control.hpp"
#include "search/judge.hpp"
#include "search/pair_table.hpp"

namespace dugraph {

template <Objective T>
class Worker {
  public:
    Worker(int number, const Input& input, const Cohort& cohort, const PairTable& pairs, T& objective,
           TopList& top, TaskPool& pool, Control& control)
        : number_(number),
          input_(input),
          cohort_(cohort),
          pairs_(pairs),
          pool_(pool),
          control_(control),
          judge_(input, cohort, objective, top),
          ones_(cohort.shape.size(), 1.0),
          in_subgraph_(cohort.n_nodes) {}

    // The single edges, from which everything starts; the most promising ones first, for the threshold's
    // sake.
    void start(const T& objective) {
        const std::vector<std::int32_t> ids = by_promise(cohort_, objective);
        Task task;
        task.children.resize(input_.max_edges > 1 ? ids.size() : 0);
        for (const std::int32_t id : ids) {
            const bool skipped = control_.stopped();
            if (skipped) open_.push_back(cohort_.mass[id]);
            const Child child = skipped
                                    ? Child{id, cohort_.mass[id], -std::numeric_limits<double>::infinity()}
                                    : judge_.consider(path_, nullptr, id, cohort_.mass[id]);
            counters_.visited += !skipped;
            if (input_.max_edges > 1) task.children[static_cast<std::size_t>(id)] = child;
        }
        const std::size_t climbs =
            std::min(ids.size(), std::clamp<std::size_t>(input_.n_subgraphs / 2, 16, 256));
        for (std::size_t k = 0; k < climbs; ++k)
            climb(ids[k], cohort_, objective, judge_, input_.max_edges, control_);
        judge_.sharpen();
        publish();
        pool_.add(std::move(task));
    }

    // Takes tasks until there are none.
    void run() {
        Task task;
        while (pool_.take(task)) {
            explore_task(task);
            control_.show_open_bound(number_, -std::numeric_limits<double>::infinity());
            if (control_.stopped()) pool_.stop();
        }
        publish();
    }

    const std::vector<Mass>& open() const { return open_; }  // subgraphs left unexplored at a stop

  private:
    // The state of the subgraph of d edges on the path.
    struct Frame {
        AlignedVector<double> x;
        AlignedVector<std::uint8_t> byte_x;
        double top = 0;  // largest entry of x
        Mass mass;
        std::vector<std::int32_t> extensions;
        std::vector<ByteMass> byte_masses;
        std::vector<Child> children;
        std::size_t next = 0;  // the first child not begun
    };

    void explore_task(Task& task) {
        path_.clear();
        std::fill(in_subgraph_.begin(), in_subgraph_.end(), std::uint8_t{0});
        base_ = task.edges.size();
        Frame& frame = frame_at(base_);
        for (const std::int32_t id : task.edges) {
            in_subgraph_[cohort_.node_a[id]] = in_subgraph_[cohort_.node_b[id]] = 1;
            multiply(path_.empty() ? ones_.data() : frame.x.data(), id, frame);
            path_.push_back(id);
        }
        if (!path_.empty()) pairs_.row_of_later(cohort_, path_[0], later_);
        frame.children = std::move(task.children);
        explore_children(base_);
    }

    void explore_children(std::size_t depth) {
        Frame& frame = frame_at(depth);
        for (frame.next = 0; frame.next < frame.children.size();) {
            if (control_.stopped()) {
                for (; frame.next < frame.children.size(); ++frame.next)
                    open_.push_back(frame.children[frame.next].mass);
                return;
            }
            if (depth == base_) show_bound(frame);
            const std::size_t which = frame.next++;
            judge_.sharpen();
            if (judge_.closed(frame.children[which],
                              depth + 1)) {  // the threshold has risen since the child was made
                ++counters_.pruned_by_bound;
                continue;
            }
            if (pool_.hungry()) share_work(depth);
            descend(depth, which);
        }
    }

    // Gives the untouched children of the shallowest subgraph that has any to a thread without work. They
    // stay extensions of the children before them, but are no longer this thread's to explore.
    void share_work(std::size_t depth) {
        for (std::size_t d = base_; d <= depth; ++d) {
            Frame& frame = frame_at(d);
            if (frame.next >= frame.children.size()) continue;
            Task task;
            task.edges.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(d));
            task.children.assign(frame.children.begin() + static_cast<std::ptrdiff_t>(frame.next),
                                 frame.children.end());
            frame.next = frame.children.size();
            pool_.add(std::move(task));
            return;
        }
    }

    void descend(std::size_t depth, std::size_t which) {
        Frame& frame = frame_at(depth);
        Frame& below = frame_at(depth + 1);
        const Child child = frame.children[which];
        path_.push_back(child.edge);
        if (depth == 0) pairs_.row_of_later(cohort_, child.edge, later_);
        below.extensions.clear();
        if (depth > 0) {
            const std::uint64_t* row = pairs_.row(child.edge);
            for (std::size_t k = which + 1; k < frame.children.size(); ++k) {
                if (pairs_.together(row, frame.children[k].edge))
                    below.extensions.push_back(frame.children[k].edge);
            }
        }
        const std::int32_t nodes[] = {cohort_.node_a[child.edge], cohort_.node_b[child.edge]};
        bool entered[2];
        for (int k = 0; k < 2; ++k) {
            entered[k] = !in_subgraph_[nodes[k]];
            if (!entered[k]) continue;
            extend_through(nodes[k], below.extensions);
            in_subgraph_[nodes[k]] = 1;
        }
        if (!below.extensions.empty()) {
            below.mass = child.mass;
            multiply(depth == 0 ? ones_.data() : frame.x.data(), child.edge, below);
            test_extensions(depth + 1);
            explore_children(depth + 1);
        }
        for (int k = 0; k < 2; ++k) {
            if (entered[k]) in_subgraph_[nodes[k]] = 0;
        }
        path_.pop_back();
    }

    // Adds the edges from a new node to nodes outside of the subgraph which are frequent with each of its
    // edges.
    void extend_through(std::int32_t node, std::vector<std::int32_t>& extensions) {
        const auto& incident = cohort_.incident[static_cast<std::size_t>(node)];
        const std::size_t first = pairs_.first_word(node), end = pairs_.end_word(node);
        for (std::size_t word = first; word < end; ++word) {
            std::uint64_t bits = later_[word];
            for (std::size_t k = 1; k < path_.size(); ++k) bits &= pairs_.row(path_[k])[word];
            for (; bits != 0; bits &= bits - 1) {
                const auto& edge =
                    incident[(word - first) * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
                if (!in_subgraph_[edge.other]) extensions.push_back(edge.id);
            }
        }
    }

    // Tests every extension of the subgraph at this depth; those that are admitted and may lead to the list
    // become children. The others can be in no better supergraph either, so they are dropped for the whole
    // subtree.
    void test_extensions(std::size_t depth) {
        Frame& frame = frame_at(depth);
        frame.children.clear();
        counters_.candidates += frame.extensions.size();
        if (frame.extensions.size() >= worth_rounding) drop_by_bytes(frame);
        const bool may_grow = depth + 1 < input_.max_edges;
        for (const std::int32_t id : frame.extensions) {
            const Mass mass =
                product_mass(frame.x.data(), cohort_.row(id), cohort_.shape.pos, cohort_.shape.neg);
            if (!judge_.admitted(mass, path_, id)) {
                ++counters_.pruned_by_frequency;
                continue;
            }
            ++counters_.visited;
            const Child child = judge_.consider(path_, frame.x.data(), id, mass);
            if (judge_.closed(child, depth + 1)) {
                ++counters_.pruned_by_bound;
            } else if (may_grow) {
                frame.children.push_back(child);
            }
            if (control_.stopped()) {
                open_.push_back(frame.mass);
                frame.children.clear();
                return;
            }
        }
        // Rare ones first, as for the first edges: they have more extensions to try, but few that stay
        // admitted.
        std::sort(frame.children.begin(), frame.children.end(),
                  [](const Child& a, const Child& b) { return a.mass.total() < b.mass.total(); });
        if (counters_.visited >= publish_every || control_.node_limit != ~std::uint64_t{0}) publish();
    }

    // Cheapest first: the rounded rows bound the masses of the extensions from above.
    void drop_by_bytes(Frame& frame) {
        auto& extensions = frame.extensions;
        const double scale = round_row(frame.x.data(), frame.top, cohort_.shape, frame.byte_x.data());
        frame.byte_masses.resize(extensions.size());
        byte_masses(frame.byte_x.data(), cohort_.byte_rows(), extensions.data(), extensions.size(),
                    cohort_.shape, frame.byte_masses.data());
        std::size_t kept = 0;
        for (std::size_t k = 0; k < extensions.size(); ++k) {
            const double most =
                (frame.byte_masses[k].pos + frame.byte_masses[k].neg) * scale * cohort_.scale[extensions[k]];
            extensions[kept] = extensions[k];
            kept += most > cohort_.surely_not;
        }
        counters_.pruned_by_frequency += extensions.size() - kept;
        extensions.resize(kept);
    }

    void multiply(const double* x, std::int32_t id, Frame& to) {
        to.top = store_product_top(x, cohort_.row(id), cohort_.shape.size(), to.x.data());
    }

    void publish() {
        counters_.evaluated += judge_.take_evaluated();
        control_.count(counters_);
        control_.show_threshold(judge_.threshold());
    }

    void show_bound(const Frame& frame) {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = frame.next; k < frame.children.size(); ++k)
            most = std::max(most, frame.children[k].bound);
        control_.show_open_bound(number_, most);
    }

    Frame& frame_at(std::size_t depth) {
        while (frames_.size() <= depth) {
            frames_.push_back(std::make_unique<Frame>());
            frames_.back()->x.resize(cohort_.shape.size());
            frames_.back()->byte_x.resize(cohort_.shape.byte_size());
        }
        return *frames_[depth];
    }

    static constexpr std::uint64_t publish_every = 4096;
    static constexpr std::size_t worth_rounding =
        8;  // extensions; for fewer their products cost less than rounding x

    const int number_;
    const Input& input_;
    const Cohort& cohort_;
    const PairTable& pairs_;
    TaskPool& pool_;
    Control& control_;
    Judge<T> judge_;
    const AlignedVector<double> ones_;
    std::vector<std::uint8_t> in_subgraph_;  // node -> whether an edge of path_ touches it
    std::vector<std::int32_t> path_;
    std::vector<std::uint64_t>
        later_;  // which edges may be together with the first of path_, later ones only
    std::vector<std::unique_ptr<Frame>> frames_;
    std::size_t base_ = 0;  // edges of the task's own subgraph
    Counters counters_;
    std::vector<Mass> open_;
};

}  // namespace dugraph
