"""Draw docs/images/plots_*.png and figure_*.png, the pictures of docs/plots.md."""

import io
import runpy
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from nilearn.plotting import plot_connectome, plot_matrix
from PIL import Image

from dugraph.plot.panels import shown_by

DOCS = Path(__file__).parent.parent
EXAMPLES = {
    "plots_brain": "plot_subgraphs_on_the_brain",
    "plots_classes": "plot_subgraph_in_both_classes",
    "plots_phenotype": "plot_phenotype",
    "plots_comparisons": "plot_comparisons",
}
WIDTH = 180 / 25.4  # inches of two columns
PAPER = "plot_figures_for_papers"
PAPER_IMAGES = ("figure_views", "figure_families", "figure_matrix", "figure_circle")


def main() -> None:
    mpl.use("Agg")
    # The examples end by showing their figure; here it is saved instead.
    plt.show = lambda: None
    for image, example in EXAMPLES.items():
        runpy.run_path(str(DOCS.parent / "examples" / f"{example}.py"))
        figures = [_drawn(number) for number in plt.get_fignums()]
        page = Image.new(
            "RGB", (max(one.width for one in figures), sum(one.height for one in figures)), "white"
        )
        top = 0
        for one in figures:
            page.paste(one, (0, top))
            top += one.height
        page.save(DOCS / "images" / f"{image}.png", optimize=True)
        plt.close("all")
    _draw_paper_figures()


def _draw_paper_figures() -> None:
    """Each figure of the example for papers by itself, and what nilearn shows of the same result."""
    found = runpy.run_path(str(DOCS.parent / "examples" / f"{PAPER}.py"))
    for image, number in zip(PAPER_IMAGES, plt.get_fignums(), strict=True):
        _save(plt.figure(number), image)
    plt.close("all")
    result, graphs = found["result"], found["graphs"]
    effects = np.zeros((graphs.n_nodes, graphs.n_nodes))
    together = shown_by(result).together
    for edge, effect in {**together.variants, **together.values}.items():
        u, v = graphs.edges[edge]
        effects[u, v] = effects[v, u] = effect
    nodes = np.flatnonzero(effects.any(axis=0))
    drawn, places = effects[np.ix_(nodes, nodes)], graphs.node_coordinates[nodes]
    labels = [graphs.node_labels[node] for node in nodes]
    brain, matrix = plt.figure(figsize=(WIDTH, 2.0)), plt.figure(figsize=(WIDTH / 2, WIDTH / 2))
    plot_connectome(drawn, places, display_mode="lyrz", figure=brain, node_size=12)
    plot_matrix(drawn, labels=labels, figure=matrix, vmax=np.abs(drawn).max(), vmin=-np.abs(drawn).max())
    _save(brain, "figure_nilearn_connectome")
    _save(matrix, "figure_nilearn_matrix", bbox_inches="tight")
    plt.close("all")


def _save(figure: Any, image: str, **options: Any) -> None:
    file = io.BytesIO()
    figure.savefig(file, dpi=120, facecolor="white", **options)
    Image.open(file).convert("RGB").save(DOCS / "images" / f"{image}.png", optimize=True)


def _drawn(number: int) -> Image.Image:
    file = io.BytesIO()
    plt.figure(number).savefig(file, dpi=75)
    return Image.open(file).convert("RGB")


if __name__ == "__main__":
    main()
