"""Number of graphs: time of mod-hsic, and of brute force over possible worlds as far as that gets.

The brute force enumerates the possible worlds of the most frequent edge alone, whose number doubles with
every graph; the search covers all admitted subgraphs.

    python examples/paper/number_of_graphs.py cohort.npz -o figures
"""

import time
import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from paper_figures import Rows, arguments, cohort, draw_lines, save_figure, write_csv

import dugraph as dg
from dugraph.probability.scores import score_table

MOST_WORLDS = 2**24


def mode_by_worlds(X: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The mode of HSIC of the subgraph of all edges, from all possible worlds.

    Time and memory double with every uncertain edge of every graph.
    """
    worlds, probabilities = dg.simulation.possible_worlds(X, max_worlds=MOST_WORLDS)
    contains = np.asarray(worlds.all(axis=2))
    table = score_table("hsic", int(positive.sum()), int((~positive).sum()))
    supports = zip(contains[:, positive].sum(axis=1), contains[:, ~positive].sum(axis=1), strict=True)
    mass: dict[int, float] = defaultdict(float)
    for (a, b), probability in zip(supports, probabilities.tolist(), strict=True):
        mass[int(table.level_of[a, b])] += probability
    largest = max(mass.values())
    # Among equally likely levels, the highest one.
    return float(table.levels[max(level for level, p in mass.items() if p >= largest - 1e-12)])


def study(
    graphs: dg.LabelledGraphs,
    numbers: Sequence[int] | None = None,
    time_limit: float = 60.0,
    random_state: int = 0,
    **settings: Any,
) -> Rows:
    """Draw equally many graphs of both classes and measure both ways; `settings` as for `mine_subgraphs`.

    Brute force ends before the first number of graphs that would take longer than the time limit.
    """
    most = 2 * min(graphs.n_pos, graphs.n_neg)
    if numbers is None:
        numbers = [n for n in (4, 8, 12, 16, *range(20, most + 1, 20)) if n <= most]
    rng = np.random.default_rng(random_state)
    order = [rng.permutation(np.flatnonzero(graphs.positive == label)) for label in (True, False)]
    edge = int(graphs.graphs.edge_probability.mean(axis=0).argmax())
    mode_by_worlds(np.full((2, 1), 0.5), np.array([True, False]))  # imports and caches are not timed
    searches: Rows = []
    worlds: Rows = []
    last, seconds = 0, 0.0
    for n in sorted(numbers):
        chosen = graphs[np.sort(np.concatenate([members[: n // 2] for members in order]))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = dg.mine_subgraphs(chosen, measure="mode", time_limit=time_limit, **settings)
        searches.append(
            {
                "n_graphs": n,
                "way": "search",
                "seconds": result.seconds,
                "n_subgraphs": len(result),
                "value": None,
                "status": result.status.value,
            }
        )
        row = {"n_graphs": n, "way": "possible worlds", "n_subgraphs": 1, "status": "OPTIMAL"}
        expected = seconds * 2.0 ** (n - last)
        if worlds and (worlds[-1]["seconds"] is None or expected > time_limit):
            worlds.append({**row, "seconds": None, "value": None, "status": "not tried"})
            continue
        begin = time.perf_counter()
        value = mode_by_worlds(chosen.graphs.edge_probability[:, [edge]], chosen.positive)
        last, seconds = n, time.perf_counter() - begin
        worlds.append({**row, "seconds": seconds, "value": value})
    return searches + worlds


def main(argv: Sequence[str] | None = None) -> None:
    """Write number_of_graphs.csv and number_of_graphs.png."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--n-graphs", type=int, nargs="+", help="even numbers; default: 4 8 12 16 20 40 ...")
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--min-expected-frequency", type=float, default=0.2)
    options = parser.parse_args(argv)
    rows = study(
        cohort(options),
        options.n_graphs,
        options.time_limit,
        options.random_state,
        n_subgraphs=options.n_subgraphs,
        min_expected_frequency=options.min_expected_frequency,
    )
    write_csv(rows, options.output / "number_of_graphs.csv")
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    draw_lines(ax, rows, "n_graphs", "seconds", "way", logarithmic=True)
    save_figure(figure, options.output / "number_of_graphs.png")


if __name__ == "__main__":
    main()
