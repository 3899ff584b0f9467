// Runs several workers on one frontier and collects the work that they leave open.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "graph/prepared.hpp"
#include "walk/frontier.hpp"
#include "walk/threads.hpp"
#include "walk/worker.hpp"

namespace dugraph {

template <class Mark>
struct Remains {
    Frontier frontier;        // in canonical edges
    std::vector<Mark> marks;  // of all subgraphs that are open in it
};

template <class Mark>
OpenTask to_open(const Rows& rows, const Task<Mark>& task) {
    OpenTask open{{}, {}, 0, task.end - task.begin};
    for (const std::int32_t id : task.path) open.path.push_back(rows.canonical[id]);
    // Children before the range are neither explored nor extensions of those in the range.
    for (std::size_t k = task.begin; k < task.children->size(); ++k)
        open.children.push_back(rows.canonical[(*task.children)[k].edge]);
    return open;
}

template <class Mark>
Task<Mark> from_open(const Rows& rows, const OpenTask& open) {
    const auto id_of = [&](std::int32_t edge) {
        const std::int32_t id = rows.id_of(edge);
        if (id < 0) throw std::invalid_argument("the frontier has an edge that is not admitted");
        return id;
    };
    if (open.begin > open.end || open.end > open.children.size())
        throw std::invalid_argument("the frontier has a range beyond its children");
    Task<Mark> task;
    auto children = std::make_shared<typename Task<Mark>::Children>();
    for (const std::int32_t edge : open.path) task.path.push_back(id_of(edge));
    for (const std::int32_t edge : open.children) children->push_back({id_of(edge), {}});
    task.children = std::move(children);
    task.begin = open.begin;
    task.end = open.end;
    task.marked = false;
    return task;
}

// Processes the frontier until it is empty or the search is stopped. `make_judge()` creates a judge for each
// worker.
template <class J, class MakeJudge>
Remains<typename J::Mark> run_workers(const Prepared& prepared, const Limits& limits,
                                      const Frontier& frontier, Control& control, double& setup_seconds,
                                      const MakeJudge& make_judge) {
    using Mark = typename J::Mark;
    const Rows& rows = prepared.rows;
    typename Worker<J>::Pool pool(limits.n_threads);
    for (const OpenTask& open : frontier.tasks) {
        if (open.begin < open.end) pool.add(from_open<Mark>(rows, open));
    }
    std::vector<std::unique_ptr<Worker<J>>> workers;
    for (int k = 0; k < limits.n_threads; ++k) {
        workers.push_back(std::make_unique<Worker<J>>(k, limits, rows, make_judge(), pool, control));
    }
    setup_seconds = control.seconds();

    bool started = !frontier.at_start;
    FirstFailure failure;
    const auto work = [&](Worker<J>& worker, bool first) {
        try {
            if (first && !started) started = worker.start();
            worker.run();
        } catch (...) {
            failure.note();
            control.stop(Status::interrupted);
            pool.stop();
        }
    };
    {
        JoinedThreads threads;
        for (std::size_t k = 1; k < workers.size(); ++k) threads.start(work, std::ref(*workers[k]), false);
        threads.go();
        work(*workers[0], true);
    }
    failure.rethrow();

    std::vector<Task<Mark>> open = std::move(pool.left_over());
    for (const auto& worker : workers) {
        std::move(worker->open().begin(), worker->open().end(), std::back_inserter(open));
    }
    Remains<Mark> remains;
    remains.frontier.at_start = !started;
    for (Task<Mark>& task : open) {
        workers[0]->mark(task);
        for (std::size_t k = task.begin; k < task.end; ++k) remains.marks.push_back((*task.children)[k].mark);
        remains.frontier.tasks.push_back(to_open(rows, task));
    }
    if (!started) {  // everything is open
        const AlignedVector<double> ones(rows.width, 1.0);
        const J judge = make_judge();
        for (std::size_t id = 0; id < rows.n_edges(); ++id)
            remains.marks.push_back(judge.recall(ones.data(), static_cast<std::int32_t>(id)));
    }
    return remains;
}

}  // namespace dugraph
