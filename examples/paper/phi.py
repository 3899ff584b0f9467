"""The choice of phi: error and F1 of phi-hsic on unseen graphs, for several phi and numbers of subgraphs.

python examples/paper/phi.py cohort.npz -o figures
"""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from paper_figures import Rows, arguments, cohort, draw_lines, save_figure, write_csv

import dugraph as dg

PHIS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06)


def study(graphs: dg.LabelledGraphs, phis: Sequence[float] = PHIS, **settings: Any) -> Rows:
    """Evaluate phi-hsic for each phi; `settings` are those of `dugraph.evaluate`."""
    rows = []
    for phi in phis:
        result = dg.evaluate(graphs, methods=["phi-hsic"], phi=phi, **settings)
        found = float(np.mean([cell.n_found or 0 for cell in result.cells]))
        for column, t in enumerate(result.n_subgraphs):
            values = {metric: float(result.mean(metric)[0, column]) for metric in ("error", "f1")}
            rows.append({"phi": phi, "t": t, **values, "n_found": min(float(t), found)})
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Write phi.csv and phi.png."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--phis", type=float, nargs="+", default=PHIS)
    parser.add_argument("--n-subgraphs", type=int, nargs="+", default=(100, 200, 300, 400, 500))
    parser.add_argument("--n-splits", type=int, default=20)
    parser.add_argument("--min-expected-frequency", type=float, default=0.2)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args(argv)
    rows = study(
        cohort(options),
        options.phis,
        n_subgraphs=options.n_subgraphs,
        cv=dg.RandomSplits(options.n_splits, random_state=options.random_state),
        min_expected_frequency=options.min_expected_frequency,
        time_limit=options.time_limit,
        n_jobs=options.n_jobs,
        cache=options.output / "cache",
    )
    write_csv(rows, options.output / "phi.csv")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    draw_lines(axes[0], rows, "phi", "error", "t")
    draw_lines(axes[1], rows, "phi", "f1", "t")
    save_figure(figure, options.output / "phi.png")


if __name__ == "__main__":
    main()
