"""Record the slices of a real search, and replay them on many virtual workers: where does it stop scaling?

python benchmarks/cluster_simulation.py hiv --min-expected-frequency 0.3 --workers 16 64 256

The slices of a search run one after the other in this process, distributed by the cluster's own bookkeeping
as if there were N workers. Inputs, durations and results of the slices are real; only their concurrency is
simulated. As on a cluster, a slice starts from the list at the time of its submission. Virtual clocks count
processor time, which does not depend on the load of the machine. The bookkeeping counts too: meanwhile no
worker gets a slice. Efficiency is the time of one search over that of all workers together.

With --stretch K every second of search counts as K, and slices are cut K times shorter: the search is then
one of the same shape and K times the length. The bookkeeping is not stretched: each task costs what it costs.
"""

import heapq
import itertools
import time
from collections.abc import Callable, Iterable
from typing import Any

import one_search
from cohorts import named

import dugraph as dg
from dugraph.search import parts


class VirtualWorkers:
    """Workers whose clock is simulated: tasks are done one after the other, and timed."""

    def __init__(self, subject: Any, n_workers: int, per_task: float, in_flight: int, stretch: float) -> None:
        self._subject, self._n_workers = subject, n_workers
        self._per_task, self._in_flight, self._stretch = per_task, in_flight, stretch
        self._numbers = itertools.count()
        self._free = [0.0] * n_workers  # when each worker has finished its slices
        self._running: list[tuple[float, int, Any]] = []
        self._left_at = time.process_time()
        self.now = self.busy = self.own = 0.0
        self.n_tasks = 0
        subject.compiled()  # each worker does this once

    @property
    def n_workers(self) -> int:
        return self._n_workers

    @property
    def n_wanted(self) -> int:
        return self._in_flight * self._n_workers

    def monotonic(self) -> float:
        """The clock of the bookkeeping."""
        return self.now

    def submit(self, function: Callable[..., Any], tasks: Any, limits: Any, *more: Any) -> int:
        self._count_own()
        number, begin = next(self._numbers), time.process_time()
        found = function(self._subject, tasks, limits._replace(seconds=limits.seconds / self._stretch), *more)
        self._left_at = time.process_time()
        seconds = self._stretch * (self._left_at - begin)
        start = max(heapq.heappop(self._free), self.now) + self._per_task
        heapq.heappush(self._free, start + seconds)
        heapq.heappush(self._running, (start + seconds, number, found))
        self.busy, self.n_tasks = self.busy + seconds, self.n_tasks + 1
        return number

    def done(self) -> Iterable[tuple[int, Any]]:
        self._count_own()
        if self._running:
            back, number, found = heapq.heappop(self._running)
            self.now = max(self.now, back)
            yield number, found

    def cancel(self) -> None:
        self._running.clear()

    def _count_own(self) -> None:
        """The clock of the process that hands out the work."""
        used = time.process_time() - self._left_at
        self._left_at += used
        self.now, self.own = self.now + used, self.own + used


def main() -> None:
    parser = one_search.search_parser(__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 16, 64, 256])
    parser.add_argument("--slice", type=float, nargs="+", default=[parts.TASK_SECONDS])
    parser.add_argument("--in-flight", type=int, default=2)
    parser.add_argument(
        "--per-task", type=float, default=0.005, help="seconds of Dask for a task, as measured"
    )
    parser.add_argument("--alone", type=float, help="seconds of one search, if they are known")
    parser.add_argument("--stretch", type=float, default=1.0, help="what a second of search counts as")
    options = parser.parse_args()
    asked = one_search.asked(options)
    answers = set()
    for _, (X, y) in named([options.cohort]):
        alone = options.alone
        if alone is None:
            begin = time.process_time()
            whole = dg.mine_subgraphs(X, y, **asked)
            alone = time.process_time() - begin
            answers.add(whole.values.tobytes())
            told = f", stretched to {options.stretch * alone:,.0f}" if options.stretch != 1 else ""
            print(f"one search: {alone:.1f} s{told}, {whole.n_visited:,} subgraphs", flush=True)
        alone *= options.stretch
        print("workers  slice s  tasks  makespan s  efficiency  busy  bookkeeping s  admitted")
        for seconds, n_workers in itertools.product(options.slice, options.workers):
            pools: list[VirtualWorkers] = []

            def make(
                client: Any, subject: Any, n_workers: int = n_workers, pools: Any = pools
            ) -> VirtualWorkers:
                pools.append(
                    VirtualWorkers(subject, n_workers, options.per_task, options.in_flight, options.stretch)
                )
                parts.time = pools[-1]  # type: ignore[assignment]
                return pools[-1]

            parts.make_pool, parts.TASK_SECONDS = make, seconds  # type: ignore[assignment,misc]
            spread = dg.mine_subgraphs(X, y, **asked)
            answers.add(spread.values.tobytes())
            assert len(answers) == 1, "another answer"
            pool = pools[0]
            print(
                f"{n_workers:7}  {seconds:7.2f}  {pool.n_tasks:5}  {pool.now:10.1f}  "
                f"{alone / (n_workers * pool.now):10.0%}  {pool.busy / (n_workers * pool.now):4.0%}  "
                f"{pool.own:13.1f}  {spread.n_visited:,}",
                flush=True,
            )


if __name__ == "__main__":
    main()
