"""Draw docs/images/score_distribution.png: one score's distribution with its four measures marked."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from dugraph import score_distribution
from dugraph.probability import ScoreDistribution

IMAGE = Path(__file__).parent.parent / "images" / "score_distribution.png"
# Containment probabilities of one subgraph in eight patients and eight controls, as in docs/measures.md.
PATIENTS = [0.9, 0.9, 0.9, 0.6, 0.6, 0.6, 0.6, 0.5]
CONTROLS = [0.6, 0.4, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1]
PHI = 0.03
# Okabe and Ito's colours, distinct for colour-blind readers too; line styles repeat the distinction.
GREY, ORANGE, BLUE, GREEN, VERMILION = "#B5B5B5", "#E69F00", "#0072B2", "#009E73", "#D55E00"


def draw(distribution: ScoreDistribution) -> plt.Figure:
    """The probabilities as stems, the measures as lines with their names, the tail from phi on shaded."""
    values, probabilities = distribution.values, distribution.probabilities
    figure, axes = plt.subplots(figsize=(7.2, 3.9), layout="constrained")
    axes.axvspan(PHI, values[-1] + 0.003, color=VERMILION, alpha=0.12, linewidth=0)
    colours = [VERMILION if value >= PHI else GREY for value in values]
    axes.vlines(values, 0, probabilities, colors=colours, linewidth=6)
    # Name, value, colour, line style, height; a name stands on the side of its line that is free.
    marks = [
        ("median", distribution.median(), BLUE, (0, (5, 2)), 0.262, "right"),
        ("expectation", distribution.expectation(), ORANGE, "solid", 0.29, "center"),
        ("mode", distribution.mode(), GREEN, (0, (1, 1.2)), 0.262, "left"),
    ]
    for name, value, colour, style, height, side in marks:
        axes.plot([value, value], [0, height], color=colour, linestyle=style, linewidth=2.4)
        shift, level = {"right": (-0.0007, -0.013), "left": (0.0007, -0.013), "center": (0, 0.018)}[side]
        axes.text(value + shift, height + level, f"{name}\n{value:.4f}", ha=side, va="center")
    tail = distribution.phi_probability(PHI)
    axes.text(
        (PHI + values[-1] + 0.003) / 2, 0.17, f"φ-probability\nPr[F ≥ {PHI}] = {tail:.4f}",
        ha="center", va="center",
    )  # fmt: skip
    axes.set(xlabel="HSIC score F", ylabel="probability", xlim=(-0.0025, values[-1] + 0.003), ylim=(0, 0.33))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    mpl.use("Agg")
    X = [[p] for p in PATIENTS + CONTROLS]
    y = ["patient"] * len(PATIENTS) + ["control"] * len(CONTROLS)
    IMAGE.parent.mkdir(exist_ok=True)
    draw(score_distribution(X, y, (0,), "hsic")).savefig(IMAGE, dpi=160)
