"""Cost of work in parts: slices and checkpoints on one thread, two workers against two threads.

python benchmarks/cluster_speed.py hiv --min-expected-frequency 0.27 --rounds 3

Each round runs the same search in four ways, or in those that --ways names, one after the other, so that
other load on the machine affects all of them. Wall times are meaningful on a quiet machine only; processor
time per admitted subgraph is meaningful on a busy one as well, but does not include the time that workers
wait. The answers must be the same to the byte.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import one_search
from cohorts import named

import dugraph as dg
from dugraph.cluster.dask import open_client

WAYS = ("one thread", "one thread, checkpoint", "two threads", "two workers")


def processor_seconds(client: Any) -> float:
    """Processor time of this process and of the workers of a client."""
    return time.process_time() + sum(client.run(time.process_time).values())


def main() -> None:
    parser = one_search.search_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--ways", choices=("one", "two"), help="only those on one thread, or only those on two"
    )
    options = parser.parse_args()
    asked = one_search.asked(options)
    [(_, (X, y))] = named([options.cohort])
    ways = {None: WAYS, "one": WAYS[:2], "two": WAYS[2:]}[options.ways]
    wall: dict[str, list[float]] = {way: [] for way in WAYS}
    work: dict[str, list[float]] = {way: [] for way in WAYS}
    answers = set()
    print("round  way                     wall s  processor s  admitted      ns each")
    with tempfile.TemporaryDirectory() as folder, open_client("local:2") as client:
        for number in range(1, options.rounds + 1):
            more: dict[str, Callable[[], dict[str, Any]]] = {
                WAYS[0]: dict,
                WAYS[1]: lambda number=number: {"checkpoint": Path(folder) / f"{number}.npz"},
                WAYS[2]: lambda: {"n_jobs": 2},
                WAYS[3]: lambda: {"client": client},
            }
            for way in ways:
                begin, before = time.perf_counter(), processor_seconds(client)
                result = dg.mine_subgraphs(X, y, **asked, **more[way]())
                seconds, used = time.perf_counter() - begin, processor_seconds(client) - before
                wall[way].append(seconds)
                work[way].append(used / result.n_visited)
                answers.add((tuple(result.subgraphs), result.values.tobytes()))
                print(
                    f"{number:5}  {way:22}  {seconds:6.1f}  {used:11.1f}  {result.n_visited:<12,}  "
                    f"{1e9 * work[way][-1]:7.1f}",
                    flush=True,
                )
    assert len(answers) == 1, "another answer"
    for one, other, told in ((1, 0, "with checkpoint / without"), (2, 3, "two threads / two workers")):
        if WAYS[one] not in ways:
            continue
        ratios = [
            [a / b for a, b in zip(times[WAYS[one]], times[WAYS[other]], strict=True)]
            for times in (wall, work)
        ]
        print(
            f"{told}: wall {statistics.median(ratios[0]):.3f} ({', '.join(f'{r:.3f}' for r in ratios[0])}), "
            f"processor {statistics.median(ratios[1]):.3f} ({', '.join(f'{r:.3f}' for r in ratios[1])})"
        )


if __name__ == "__main__":
    main()
