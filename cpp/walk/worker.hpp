// One thread of the search: depth-first enumeration of connected edge sets, each visited exactly once.
//
// A subgraph g has a list of extensions: edges that touch it, in some order e1, e2, .... The child g + ei may
// be extended only by the later ones and by the edges at the node that ei adds. Every connected proper
// superset of g contains a first ei, so it lies below exactly that child. Edges before the first edge of g
// are excluded throughout.
//
// The worker enumerates subgraphs, its judge evaluates them. The cost per candidate is O(n) for a sum of
// products, and a sixth of that for most candidates that are not admitted.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "rank/climb.hpp"
#include "walk/judge.hpp"
#include "walk/path.hpp"

namespace dugraph {

template <Judge J>
class Worker {
  public:
    using Mark = typename J::Mark;
    using Task = dugraph::Task<Mark>;
    using Children = typename Task::Children;
    using Pool = TaskPool<Task>;

    Worker(int number, const Limits& limits, const Rows& rows, J judge, Pool& pool, Control& control)
        : number_(number),
          max_edges_(limits.max_edges),
          open_at_(limits.open_at),
          rows_(rows),
          pool_(pool),
          control_(control),
          judge_(std::move(judge)),
          admission_(rows),
          ones_(rows.width, 1.0),
          path_(rows) {}

    // Visits the single edges, the most promising first, so that the threshold rises quickly. False if
    // stopped.
    bool start() {
        auto children = std::make_shared<Children>(by_promise(rows_, ones_.data(), judge_));
        if (!judge_.meet(path_.edges(), ones_.data(), {}, *children)) return false;
        judge_.finish();
        counters_.visited += children->size();
        const std::size_t n_climbs = max_edges_ > 1 ? std::min(children->size(), judge_.climbs()) : 0;
        for (std::size_t k = 0; k < n_climbs; ++k)
            climb((*children)[k], rows_, judge_, admission_, max_edges_, control_);
        publish();
        std::sort(children->begin(), children->end(),
                  [](const auto& a, const auto& b) { return a.edge < b.edge; });
        if (max_edges_ > 1) pool_.add({{}, children, 0, children->size(), true});
        return true;
    }

    // Processes tasks until none is left.
    void run() {
        Task task;
        while (pool_.take(task)) {
            explore(task);
            judge_.finish();
            control_.show_open_bound(number_, -std::numeric_limits<double>::infinity());
            if (control_.stopped()) pool_.stop();
        }
        publish();
    }

    // The work left unexplored when the search was stopped.
    std::vector<Task>& open() { return open_; }

    // Computes missing marks of a task that comes from elsewhere.
    void mark(Task& task) {
        if (task.marked) return;
        Frame& frame = follow(task.path);
        const double* x = task.path.empty() ? ones_.data() : frame.x.data();
        auto children = std::make_shared<Children>(*task.children);
        for (std::size_t k = task.begin; k < task.end; ++k)
            (*children)[k].mark = judge_.recall(x, (*children)[k].edge);
        task.children = std::move(children);
        task.marked = true;
    }

  private:
    // State of the subgraph of d edges on the path.
    struct Frame {
        AlignedVector<double> x;
        AlignedVector<std::uint8_t> byte_x;
        double top = 0;  // largest entry of x
        std::vector<std::int32_t> extensions, byte_sums;
        Children own;                            // children found by this thread,
        std::shared_ptr<const Children> shared;  // or those of a task, or those passed on to other threads
        const Child<Mark>* children = nullptr;
        std::size_t n_children = 0, next = 0, end = 0;  // [next, end): not begun, assigned to this thread
    };

    // Sets the path, and the row of its product in the frame after it.
    Frame& follow(const std::vector<std::int32_t>& path) {
        path_.clear();
        Frame& frame = frame_at(path.size());
        for (const std::int32_t id : path) {
            multiply(path_.edges().empty() ? ones_.data() : frame.x.data(), id, frame);
            path_.add(id);
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
        while (frame.next < frame.end && depth + 1 < open_at_ && !control_.stopped()) {
            if (depth == base_ && frame.next >= show_at_) show_bound(frame);
            const std::size_t which = J::frequent_first ? --frame.end : frame.next++;
            judge_.sharpen();
            if (judge_.closed(frame.children[which].mark, depth + 1)) {
                ++counters_.pruned_by_bound;  // the threshold has risen since the child was created
                continue;
            }
            if (pool_.hungry()) share_work(depth);
            if (descend(depth, which)) continue;
            (J::frequent_first ? frame.end : frame.next) =
                which + J::frequent_first;  // stopped: it stays open
        }
        if (frame.next < frame.end) open_.push_back(rest_of(depth));
        frame.shared.reset();
    }

    // The children at this depth that have not been begun, as a task.
    Task rest_of(std::size_t depth) {
        Frame& frame = frame_at(depth);
        if (!frame.shared) frame.shared = std::make_shared<const Children>(frame.own);
        const auto& edges = path_.edges();
        return {{edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(depth)},
                frame.shared,
                frame.next,
                frame.end,
                true};
    }

    // Passes the unexplored children of the shallowest subgraph that has any to an idle thread. They remain
    // extensions of the children before them, but this thread no longer explores them.
    void share_work(std::size_t depth) {
        for (std::size_t d = base_; d <= depth; ++d) {
            Frame& frame = frame_at(d);
            if (frame.next >= frame.end) continue;
            pool_.add(rest_of(d));
            frame.end = frame.next;
            return;
        }
    }

    // Explores the supergraphs of a child; false if stopped before its children were known.
    bool descend(std::size_t depth, std::size_t which) {
        Frame& frame = frame_at(depth);
        Frame& below = frame_at(depth + 1);
        const std::int32_t edge = frame.children[which].edge;
        // At the root, the siblings of an edge need not touch it; its extensions are the edges at its nodes.
        const std::size_t n_siblings = depth > 0 ? frame.n_children - which - 1 : 0;
        const Path::Entered entered =
            path_.add(edge, frame.children + which + 1, n_siblings, below.extensions);
        bool done = true;
        if (!below.extensions.empty()) {
            multiply(depth == 0 ? ones_.data() : frame.x.data(), edge, below);
            done = test_extensions(depth + 1, frame.children[which].mark);
            if (done) explore_children(depth + 1);
        }
        path_.remove_last(entered);
        return done;
    }

    // Tests every extension of the subgraph at this depth; those that are admitted and may lead to the list
    // become children. No better supergraph contains any of the others, so they are dropped for the whole
    // subtree. False if stopped; then nothing counts as tested.
    bool test_extensions(std::size_t depth, const Mark& own) {
        Frame& frame = frame_at(depth);
        const Counters before = counters_;
        counters_.candidates += frame.extensions.size();
        if (frame.extensions.size() >= worth_rounding) drop_by_bytes(frame);
        frame.own.clear();
        for (const std::int32_t id : frame.extensions) {
            const Mark mark = judge_.weigh(frame.x.data(), id);
            if (admission_(J::mass(mark), path_.edges(), id)) {
                frame.own.push_back({id, mark});
            } else {
                ++counters_.pruned_by_frequency;
            }
        }
        counters_.visited += frame.own.size();
        if (!judge_.meet(path_.edges(), frame.x.data(), own, frame.own)) {
            counters_ = before;
            return false;
        }
        counters_.pruned_by_bound += std::erase_if(
            frame.own, [&](const Child<Mark>& child) { return judge_.closed(child.mark, depth + 1); });
        if (depth + 1 >= max_edges_) frame.own.clear();
        // Rare extensions first, as for the first edges: they have more extensions to try, but few are
        // admitted.
        std::sort(frame.own.begin(), frame.own.end(),
                  [](const auto& a, const auto& b) { return J::mass(a.mark) < J::mass(b.mark); });
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
        8;  // for fewer extensions, products cost less than rounding x

    const int number_;
    const std::size_t max_edges_, open_at_;
    const Rows& rows_;
    Pool& pool_;
    Control& control_;
    J judge_;
    Admission admission_;
    const AlignedVector<double> ones_;
    Path path_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::size_t base_ = 0;     // edges of the task's own subgraph
    std::size_t show_at_ = 0;  // its child before which the open bound is reported again
    Counters counters_;
    std::vector<Task> open_;
};

}  // namespace dugraph
