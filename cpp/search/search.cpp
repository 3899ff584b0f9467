#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>

#include "search/frequency_objective.hpp"
#include "search/gain_objective.hpp"
#include "search/measure_objective.hpp"
#include "search/prepared.hpp"
#include "search/worker.hpp"

namespace dugraph {

namespace {

void fill_result(const TopList& top, std::size_t n_subgraphs, Result& result) {
    for (const Entry& entry : top.entries()) {
        result.edge_index.insert(result.edge_index.end(), entry.edges.begin(), entry.edges.end());
        result.indptr.push_back(static_cast<std::int64_t>(result.edge_index.size()));
        result.values.push_back(entry.value);
    }
    if (result.values.size() == n_subgraphs) result.threshold = result.values.back();
}

template <Objective T>
void run_workers(const Input& input, const Prepared& prepared, T& objective, Control& control,
                 Result& result) {
    const auto& [cohort, pairs] = prepared;
    TopList top(input.n_subgraphs, input.floor);
    TaskPool pool(input.n_threads);
    std::vector<std::unique_ptr<Worker<T>>> workers;
    for (int k = 0; k < input.n_threads; ++k) {
        workers.push_back(
            std::make_unique<Worker<T>>(k, input, cohort, pairs, objective, top, pool, control));
    }
    result.setup_seconds = control.seconds();

    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto work = [&](Worker<T>& worker, bool first) {
        try {
            if (first) worker.start(objective);
            worker.run();
        } catch (...) {
            const std::lock_guard lock(failure_lock);
            failure = std::current_exception();
            control.stop(Status::interrupted);
            pool.stop();
        }
    };
    {
        std::vector<std::jthread> threads;  // joined at the end of the block, whatever happens in it
        try {
            for (std::size_t k = 1; k < workers.size(); ++k) {
                threads.emplace_back(work, std::ref(*workers[k]), false);
            }
        } catch (...) {  // the system gives no more threads: those that started must not wait for work
            pool.stop();
            throw;
        }
        work(*workers[0], true);
    }
    if (failure) std::rethrow_exception(failure);

    fill_result(top, input.n_subgraphs, result);
    std::vector<Mass> open;
    for (const auto& worker : workers) open.insert(open.end(), worker->open().begin(), worker->open().end());
    for (const Task& task : pool.left_over()) {
        for (const Child& child : task.children) open.push_back(child.mass);
    }
    // A limit may be noticed after the last subgraph: then nothing is open, and the answer is proven after
    // all.
    result.status = open.empty() ? Status::optimal : control.status();
    result.best_open_bound = objective.open_bound(open);
    result.counters = control.counters();
}

Result drive(const Input& input, const Prepared& prepared, Control& control) {
    Result result;
    const Cohort& cohort = prepared.cohort;
    if (cohort.n_edges() == 0) return result;
    if (input.measure == Measure::frequency) {
        FrequencyObjective objective(input, cohort);
        run_workers(input, prepared, objective, control, result);
    } else if (input.measure == Measure::gain) {
        GainObjective objective(input, cohort);
        run_workers(input, prepared, objective, control, result);
    } else {
        MeasureObjective objective(input, cohort, control.stop_flag());
        run_workers(input, prepared, objective, control, result);
    }
    result.seconds = control.seconds();
    return result;
}

// Runs `work` in a thread of its own: the calling thread only watches, so that it can answer an interrupt
// while all others compute.
template <class Work>
Result watched(const Input& input, const Poll& poll, const Work& work) {
    if (input.n_subgraphs == 0 || input.max_edges == 0 || input.n_threads < 1) {
        throw std::invalid_argument("n_subgraphs, max_edges and n_threads must be at least 1");
    }
    Control control(input);
    Result result;
    std::exception_ptr failure;
    std::thread driver([&] {
        try {
            result = work(control);
        } catch (...) {
            failure = std::current_exception();
        }
        control.finish();
    });
    control.watch(poll);
    driver.join();
    if (failure) std::rethrow_exception(failure);
    return result;
}

}  // namespace

Prepared::Prepared(const Input& input, const std::atomic<bool>& stop)
    : cohort(input), pairs(cohort, input.n_threads, stop) {}

Result search_subgraphs(const Input& input, const Poll& poll) {
    return watched(input, poll, [&](Control& control) {
        return drive(input, Prepared(input, control.stop_flag()), control);
    });
}

Result search_subgraphs(const Input& input, std::unique_ptr<const Prepared>& prepared, const Poll& poll) {
    return watched(input, poll, [&](Control& control) {
        if (prepared) return drive(input, *prepared, control);
        auto made = std::make_unique<const Prepared>(input, control.stop_flag());
        const bool is_whole = !control.stopped();
        Result result = drive(input, *made, control);
        if (is_whole) prepared = std::move(made);
        return result;
    });
}

}  // namespace dugraph
