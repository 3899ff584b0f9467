"""Pruning: time of exp-hsic against min_sup, without pruning by score, with the paper's bound and with ours.

python examples/paper/pruning.py cohort.npz -o figures
"""

import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from paper_figures import Rows, arguments, cohort, draw_lines, save_figure, write_csv

import dugraph as dg

LIMITS = (0.6, 0.5, 0.4, 0.3, 0.2)
BOUNDS = ("frequency", "worldwise", "mass")


def study(
    graphs: dg.LabelledGraphs,
    limits: Sequence[float] = LIMITS,
    bounds: Sequence[str] = BOUNDS,
    **settings: Any,
) -> Rows:
    """Search with each bound from the highest min_sup to the lowest, until one reaches the time limit.

    `settings` are those of `dugraph.mine_subgraphs`.
    """
    rows: Rows = []
    for bound in bounds:
        for limit in sorted(limits, reverse=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    result = dg.mine_subgraphs(graphs, bound=bound, min_expected_frequency=limit, **settings)
                except dg.InputError:  # no subgraph is as frequent as this
                    continue
            rows.append(
                {
                    "min_expected_frequency": limit,
                    "bound": bound,
                    "seconds": result.seconds,
                    "n_visited": result.n_visited,
                    "n_evaluated": result.n_evaluated,
                    "n_found": len(result),
                    "status": result.status.value,
                }
            )
            if not result.success:
                break
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Write pruning.csv and pruning.png."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--min-expected-frequencies", type=float, nargs="+", default=LIMITS)
    parser.add_argument("--n-subgraphs", type=int, default=100)
    options = parser.parse_args(argv)
    rows = study(
        cohort(options),
        options.min_expected_frequencies,
        n_subgraphs=options.n_subgraphs,
        time_limit=options.time_limit,
    )
    write_csv(rows, options.output / "pruning.csv")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    draw_lines(axes[0], rows, "min_expected_frequency", "seconds", "bound", logarithmic=True)
    draw_lines(axes[1], rows, "min_expected_frequency", "n_visited", "bound", logarithmic=True)
    save_figure(figure, options.output / "pruning.png")


if __name__ == "__main__":
    main()
