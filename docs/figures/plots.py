"""Draw docs/images/plots_*.png, the pictures of docs/plots.md: all figures of each example it names."""

import io
import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from PIL import Image

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


def _drawn(number: int) -> Image.Image:
    file = io.BytesIO()
    plt.figure(number).savefig(file, dpi=75)
    return Image.open(file).convert("RGB")


if __name__ == "__main__":
    main()
