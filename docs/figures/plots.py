"""Draw docs/images/plots_*.png, the pictures of docs/plots.md: the first figures of the examples it names."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

DOCS = Path(__file__).parent.parent
EXAMPLES = {
    "plots_brain": "plot_subgraphs_on_the_brain",
    "plots_classes": "plot_subgraph_in_both_classes",
    "plots_phenotype": "plot_phenotype",
    "plots_comparisons": "plot_comparisons",
}


def main() -> None:
    mpl.use("Agg")
    # The examples end by showing their figure; here it is saved instead.
    plt.show = lambda: None
    for image, example in EXAMPLES.items():
        runpy.run_path(str(DOCS.parent / "examples" / f"{example}.py"))
        path = DOCS / "images" / f"{image}.png"
        plt.figure(plt.get_fignums()[0]).savefig(
            path, dpi=75, metadata={"Software": None}, pil_kwargs={"optimize": True}
        )
        plt.close("all")


if __name__ == "__main__":
    main()
