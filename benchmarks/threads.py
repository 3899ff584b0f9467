"""Speed-up of two threads beside that of two independent copies of the bare product loop on the same machine.

python benchmarks/threads.py
"""

import cohorts
from bare_loop import BareLoop

import dugraph as dg

ROUNDS = 3


def main() -> None:
    real = cohorts.age()
    X, y = real if real is not None else cohorts.simulated("hiv")
    limit = 0.015 if real is not None else 0.2
    loop = BareLoop()

    def search(n_jobs: int) -> float:
        result = dg.mine_subgraphs(
            X,
            y,
            measure="frequency",
            bound="frequency",
            n_subgraphs=1,
            min_expected_frequency=limit,
            n_jobs=n_jobs,
        )
        print(f"  {n_jobs} thread(s): {result.n_visited:,} admitted in {result.seconds:.2f} s", flush=True)
        return result.seconds - result.setup_seconds

    def loops(count: int) -> float:
        running = [loop.start(len(y), 3) for _ in range(count)]
        return sum(loop.rate(one) for one in running)

    print(f"{'age cohort' if real is not None else 'simulated hiv cohort'}, min_expected_frequency {limit}")
    best = 0.0
    for _ in range(ROUNDS):
        search_speedup = search(1) / search(2)
        loop_speedup = loops(2) / loops(1)
        share = search_speedup / loop_speedup
        best = max(best, share)
        print(
            f"speed-up: search {search_speedup:.2f}, bare loop {loop_speedup:.2f}, share {share:.0%}\n",
            flush=True,
        )
    print(f"best of {ROUNDS} rounds: {best:.0%} of what the machine gives")


if __name__ == "__main__":
    main()
