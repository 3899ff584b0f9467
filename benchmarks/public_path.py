"""The age cohort through files and the shell, and the same steps in Python: are the numbers the same?

python benchmarks/public_path.py [--n-subgraphs 100] [--n-splits 5]
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dugraph as dg
from dugraph.exceptions import ConstantRegionWarning

METHODS = ["exp-hsic", "med-confidence"]
TABLES = ("table.csv", "results.csv")
Floats = NDArray[np.float64]
Shell = Callable[[list[str]], str]


@dataclass(frozen=True)
class Recorded:
    """Series of subjects in the order of their ids, with the names of their groups and regions."""

    series: list[Floats]
    subjects: list[str]
    groups: list[str]
    regions: list[str]
    positive: str


def write_files(folder: Path, recorded: Recorded) -> None:
    """Write the files of XCP-D: a series for each subject and a table of the subjects."""
    for subject, series in zip(recorded.subjects, recorded.series, strict=True):
        place = folder / subject / "func"
        place.mkdir(parents=True)
        name = f"{subject}_task-rest_space-MNI152NLin2009cAsym_atlas-AAL_stat-mean_timeseries.tsv"
        # repr gives back the same number when it is read.
        rows = ["\t".join(map(repr, row)) for row in series.tolist()]
        (place / name).write_text("\n".join(["\t".join(recorded.regions), *rows]) + "\n")
    pairs = zip(recorded.subjects, recorded.groups, strict=True)
    table = ["participant_id\tgroup", *(f"{subject}\t{group}" for subject, group in pairs)]
    (folder / "participants.tsv").write_text("\n".join(table) + "\n")


def differences(
    folder: Path, recorded: Recorded, shell: Shell, n_subgraphs: int, n_splits: int
) -> Iterator[tuple[str, float]]:
    """Take each step by files and by the API; give its name and the largest difference, infinite in names."""
    write_files(folder / "xcp_d", recorded)
    table, cohort = str(folder / "xcp_d" / "participants.tsv"), str(folder / "cohort.npz")
    flags = ["--participants", table, "--positive", recorded.positive, "--missing", "absent"]
    shell(["convert", str(folder / "xcp_d"), *flags, "-o", cohort])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantRegionWarning)
        X = dg.TimeSeriesEdgeProbability().fit_transform(recorded.series)
    graphs = dg.UncertainGraphs(X, node_labels=recorded.regions, graph_ids=recorded.subjects)
    y = np.array([int(group == recorded.positive) for group in recorded.groups])
    found, found_y = dg.load_cohort(cohort)
    same = found.node_labels == graphs.node_labels and found.graph_ids == graphs.graph_ids
    same = same and np.array_equal(found.edges, graphs.edges) and np.array_equal(found_y, y)
    yield "convert", _difference(found.edge_probability, X) if same else np.inf

    shown = [line.split() for line in shell(["info", cohort]).splitlines()]
    row = graphs.describe()
    numbers = [row[name] for name in ("n_graphs", "n_nodes", "mean_edges", "mean_edge_probability")]
    numbers += [graphs.n_edges, float(X.sum(axis=1).mean())]
    expected = [f"{n:#.4g}" if isinstance(n, float) else str(n) for n in numbers]
    yield "info", 0.0 if expected in shown else np.inf

    asked = {"n_subgraphs": n_subgraphs}
    shell(["mine", cohort, "--n-subgraphs", str(n_subgraphs), "-o", str(folder / "mined")])
    result = dg.mine_subgraphs(graphs, y, **asked)
    record = json.loads((folder / "mined" / "results.json").read_text())["subgraphs"]
    edges = [tuple(edge["index"] for edge in one["edges"]) for one in record]
    values = np.array([one["value"] for one in record])
    yield "mine", _difference(values, np.array(result.values)) if edges == list(result.subgraphs) else np.inf

    shell(["transform", str(folder / "mined" / "model.json"), cohort, "-o", str(folder / "features.csv")])
    selector = dg.SubgraphSelector(**asked).fit(graphs, y)
    yield "transform", _difference(_numbers(folder / "features.csv", 2), selector.transform(graphs))

    words = {"methods": METHODS, "n_subgraphs": [n_subgraphs], "cv": dg.RandomSplits(n_splits)}
    given = ["--methods", ",".join(METHODS), "--n-subgraphs", str(n_subgraphs), "--n-splits", str(n_splits)]
    shell(["evaluate", cohort, *given, "-o", str(folder / "evaluated")])
    dg.evaluate(graphs, y, **words).save(folder / "api")
    pairs = [[place / name for place in (folder / "evaluated", folder / "api")] for name in TABLES]
    if all(a.read_bytes() == b.read_bytes() for a, b in pairs):
        yield "evaluate", 0.0
    else:
        yield "evaluate", _difference(*(_numbers(path, 5) for path in pairs[-1]))


def _numbers(path: Path, begin: int) -> Floats:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell or "nan") for cell in row[begin:]] for row in rows])


def _difference(a: Floats, b: Floats) -> float:
    return float(np.nanmax(np.abs(a - b))) if a.shape == b.shape else np.inf


def age() -> Recorded | None:
    """The series of 74 children and 92 adults, if they are beside the project."""
    from cohorts import DATA

    file = DATA / "age_aal116_timeseries.npz"
    if not file.exists():
        print(f"age: its file is not in {DATA.name}/ beside the project, skipped")
        return None
    data = np.load(file, allow_pickle=False)
    series = np.split(data["ts"].astype(np.float64), np.cumsum(data["length"])[:-1])
    subjects = [f"sub-{subject}" for subject in data["subject"].tolist()]
    order = sorted(range(len(subjects)), key=subjects.__getitem__)
    groups = [("adult", "child")[label] for label in data["y"].tolist()]
    return Recorded(
        [series[i] for i in order],
        [subjects[i] for i in order],
        [groups[i] for i in order],
        data["node_label"].tolist(),
        "child",
    )


def in_shell(words: list[str]) -> str:
    program = str(Path(sys.executable).with_name("dugraph"))
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"dugraph {words[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--n-splits", type=int, default=5)
    options = parser.parse_args()
    recorded = age()
    if recorded is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        steps = differences(Path(folder), recorded, in_shell, options.n_subgraphs, options.n_splits)
        for step, difference in steps:
            told = "equal" if difference == 0 else f"the largest difference is {difference}"
            print(f"{step}: {told}", flush=True)


if __name__ == "__main__":
    main()
