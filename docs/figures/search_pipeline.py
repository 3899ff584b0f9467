"""Draws docs/images/search_pipeline.png: the tests that an extension of a subgraph passes, cheapest first."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

STEPS = [
    ("rounded rows", "integer bound of\nthe frequency"),
    ("product, sums", "expected\nfrequency > limit"),
    ("mass bound", "two table\nlook-ups"),
    ("program", "windowed support\ndistributions"),
    ("exact value", "canonical product,\nfull program"),
]
INK, ACCENT, MUTED = "#1b2a41", "#0072b2", "#6b7280"


def main() -> None:
    figure, axis = plt.subplots(figsize=(9.2, 2.9))
    for k, (name, what) in enumerate(STEPS):
        left = 1.9 * k
        last = k == len(STEPS) - 1
        axis.add_patch(
            mpl.patches.FancyBboxPatch(
                (left, 0),
                1.5,
                1.1,
                boxstyle="round,pad=0.05",
                facecolor=ACCENT if last else "white",
                edgecolor=ACCENT,
                linewidth=1.6,
            )
        )
        ink = "white" if last else INK
        axis.text(
            left + 0.75, 0.82, name, ha="center", va="center", color=ink, fontsize=11, fontweight="bold"
        )
        axis.text(left + 0.75, 0.33, what, ha="center", va="center", color=ink, fontsize=9.5)
        if not last:
            axis.annotate(
                "",
                (left + 1.82, 0.55),
                (left + 1.57, 0.55),
                arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.6},
            )
            axis.annotate(
                "",
                (left + 0.75, -0.55),
                (left + 0.75, -0.08),
                arrowprops={"arrowstyle": "-|>", "color": MUTED, "linewidth": 1.2},
            )
    axis.text(
        3.6, -0.78, "dropped, for the whole subtree of g", ha="center", va="center", color=MUTED, fontsize=10
    )
    axis.text(8.35, -0.45, "offered to the list", ha="center", va="center", color=ACCENT, fontsize=10)
    axis.set_xlim(-0.2, 9.3)
    axis.text(0.75, 1.42, "cheapest, most often run", ha="center", va="center", color=MUTED, fontsize=9)
    axis.text(8.35, 1.42, "dearest, least often", ha="center", va="center", color=MUTED, fontsize=9)
    axis.set_ylim(-1.0, 1.65)
    axis.axis("off")
    figure.tight_layout(pad=0.3)
    figure.savefig(Path(__file__).parents[1] / "images" / "search_pipeline.png", dpi=130)


if __name__ == "__main__":
    main()
