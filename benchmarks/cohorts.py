"""Cohorts to measure with: simulated ones, and real ones where their files lie beside the project."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dugraph as dg

# Beside the project, or where DUGRAPH_DATA says.
DATA = Path(os.environ.get("DUGRAPH_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
SCORES = ("confidence", "frequency_ratio", "g_test", "hsic", "information_gain")
MEASURES = ("expectation", "median", "mode", "phi_probability")
VARIANTS = [(measure, score) for measure in MEASURES for score in SCORES]

Cohort = tuple[NDArray[np.float64], NDArray[np.int64]]


def simulated(like: str, n_graphs: int | None = None) -> Cohort:
    graphs, y, _ = dg.simulate(like, n_graphs=n_graphs, random_state=0)
    return graphs.edge_probability, y


def age(threshold: float = 0.0) -> Cohort | None:
    """74 children and 92 adults: correlations above the threshold, by default the positive ones."""
    r = signed("age")
    if r is None:
        return None
    y = np.load(DATA / "age_aal116_timeseries.npz", allow_pickle=False)["y"]
    return np.where(r > threshold, np.minimum(r, 1), 0.0), y.astype(int)


def time_series() -> list[NDArray[np.float64]] | None:
    """The time series of the age cohort."""
    file = DATA / "age_aal116_timeseries.npz"
    if not file.exists():
        return None
    data = np.load(file, allow_pickle=False)
    return np.split(data["ts"].astype(np.float64), np.cumsum(data["length"])[:-1])


def signed(name: str) -> NDArray[np.float64] | None:
    """Full signed correlations of "age" or "abide", pairs in the order of tril_indices."""
    if name == "age":
        series = time_series()
        return None if series is None else np.clip([_correlations(one) for one in series], -1, 1)
    file = DATA / "abide_aal116.npz"
    if not file.exists():
        return None
    r = np.load(file, allow_pickle=False)["corr"].astype(np.float64)
    return np.clip(np.nan_to_num(_lower(r)), -1, 1)


def schizo(threshold: float = 0.5) -> Cohort | None:
    """40 patients with schizophrenia and 46 controls, 28 components: correlations above the threshold."""
    file = DATA / "schizo_ic28.npz"
    if not file.exists():
        return None
    data = np.load(file, allow_pickle=False)
    r = _lower(data["corr"].astype(np.float64))
    return np.where(r > threshold, np.minimum(r, 1), 0.0), data["y"].astype(int)


def abide(threshold: float = 0.315) -> Cohort | None:
    """455 patients with autism and 534 controls: correlations above the threshold."""
    file = DATA / "abide_aal116.npz"
    if not file.exists():
        return None
    r = signed("abide")
    y = np.load(file, allow_pickle=False)["y"].astype(int)
    return np.where(r > threshold, r, 0.0), y


def named(names: list[str]) -> Iterator[tuple[str, Cohort]]:
    for name in names:
        real = {"age": age, "abide": abide, "schizo": schizo}
        cohort = real[name]() if name in real else simulated(name)
        if cohort is None:
            print(f"\n{name}: its file is not in {DATA.name}/ beside the project, skipped")
        else:
            yield name, cohort


def _lower(r: NDArray[np.float64]) -> NDArray[np.float64]:
    if r.ndim == 2:
        return r
    rows, columns = np.tril_indices(r.shape[1], -1)
    return np.asarray(r[:, rows, columns])


def _correlations(series: NDArray[np.float32]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(np.corrcoef(series.T.astype(np.float64)))
    lower = np.tril_indices(len(r), -1)
    return np.asarray(r[lower])
