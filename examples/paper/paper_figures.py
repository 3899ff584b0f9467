"""Shared by the scripts of this folder: the cohort, a CSV file of the values, and a figure with lines."""

import argparse
import csv
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import dugraph as dg

Rows = list[dict[str, Any]]


def arguments(description: str) -> argparse.ArgumentParser:
    """The arguments that all scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data", nargs="?", help="cohort file (.npz); default: a simulated cohort")
    parser.add_argument("--like", default="adhd", choices=("adhd", "adni", "hiv"), help="what to simulate")
    parser.add_argument("--simulate", type=int, metavar="N", help="number of simulated graphs")
    parser.add_argument("--random-state", type=int, default=0, metavar="SEED")
    parser.add_argument("--time-limit", type=float, default=60.0, metavar="SECONDS", help="for each search")
    parser.add_argument("-o", "--output", type=Path, default=Path("paper"), help="folder for the files")
    return parser


def cohort(options: argparse.Namespace) -> dg.LabelledGraphs:
    """Graphs of two classes, from the file or simulated."""
    if options.data is not None:
        return dg.LabelledGraphs(*dg.load_cohort(options.data))
    simulated = dg.simulate(options.like, n_graphs=options.simulate, random_state=options.random_state)
    return dg.LabelledGraphs(simulated.graphs, simulated.y)


def write_csv(rows: Rows, path: Path) -> None:
    """Write the values, one column for each key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def draw_lines(ax: Any, rows: Rows, x: str, y: str, line: str, logarithmic: bool = False) -> None:
    """Draw a line for each value of a column; hollow marks: a limit was reached, the whole takes longer."""
    for name in dict.fromkeys(row[line] for row in rows):
        own = [row for row in rows if row[line] == name and row[y] is not None]
        (drawn,) = ax.plot([row[x] for row in own], [row[y] for row in own], marker="o", label=f"{name}")
        limited = [row for row in own if row.get("status", "OPTIMAL") != "OPTIMAL"]
        ax.plot(
            [row[x] for row in limited],
            [row[y] for row in limited],
            linestyle="none",
            marker="o",
            markerfacecolor="white",
            color=drawn.get_color(),
        )
    ax.set(xlabel=x.replace("_", " "), ylabel=y.replace("_", " "))
    if logarithmic:
        ax.set_yscale("log")
    ax.legend(title=line.replace("_", " "), fontsize="small")


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure and close it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"written: {path}")
