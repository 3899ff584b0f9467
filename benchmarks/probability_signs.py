"""Findings of the test under each map, and the edges that differ in Fisher z but are never tested.

Edges that differ in Fisher z are found by permutations, as subgraphs are: the largest |t| over all pairs of
regions, adjusted for site, at a family-wise error of 0.05. They do not depend on a map. Labels are permuted
within sites. Settings were fixed beforehand: subgraphs of at most 2 edges, the default
min_expected_frequency of 0.1, 499 permutations.

python benchmarks/probability_signs.py abide age
"""

import argparse
import time
from collections.abc import Iterator

import cohorts
import numpy as np
from numpy.typing import NDArray

import dugraph as dg
from dugraph.data.edges import signed_edges
from dugraph.data.subgraphs import check_subgraphs
from dugraph.estimators import EdgeProbability, TimeSeriesEdgeProbability

Floats = NDArray[np.float64]
ALPHA, N_PERMUTATIONS, LIMIT, MAX_EDGES = 0.05, 499, 0.1, 2
HEADS = (
    *("map", "tested", "significant", "irreducible", "families", "higher / lower", "of r < 0"),
    *("Fisher edges never tested", "found", "found, higher / lower"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohorts", nargs="*", default=["abide", "age"])
    for name in parser.parse_args().cohorts:
        file = cohorts.DATA / {"abide": "abide_aal116.npz", "age": "age_aal116_timeseries.npz"}[name]
        if not file.exists():
            print(f"\n{name}: its file is not beside the project, skipped")
            continue
        data = np.load(file, allow_pickle=False)
        series = np.split(data["ts"], np.cumsum(data["length"])[:-1]) if "ts" in data else None
        r = signed_correlations(data, series)
        y, site = data["y"].astype(int), data["site"]
        t, differs = fisher_edges(r, y, site)
        higher = t > 0
        mean = r.mean(axis=0)
        negative = f"{(r < 0).mean():.0%} of values negative"
        print(f"\n{name}: {len(y)} graphs, {r.shape[1]} pairs of regions; {negative}")
        print(
            f"{differs.sum()} edges differ in Fisher z, {(differs & higher).sum()} higher and "
            f"{(differs & ~higher).sum()} lower in class 1; {(differs & (mean < 0)).sum()} have a mean < 0"
        )
        print(f"| {' | '.join(HEADS)} | seconds |\n|{'---|' * (len(HEADS) + 1)}")
        for words, X, layered in maps(r, series):
            begin = time.perf_counter()
            cells = row(X, layered, y, site, differs, higher)
            print(f"| {words} | {' | '.join(cells)} | {time.perf_counter() - begin:.0f} |", flush=True)


def signed_correlations(data: "np.lib.npyio.NpzFile", series: list[NDArray[np.float32]] | None) -> Floats:
    """Correlations of all pairs, shape (n_graphs, n_pairs); 0 for regions outside the field of view."""
    if series is None:
        r = np.nan_to_num(data["corr"].astype(np.float64))
        if r.ndim == 3:
            rows, columns = np.tril_indices(r.shape[1], -1)
            r = r[:, rows, columns]
    else:
        lower = np.tril_indices(series[0].shape[1], -1)
        with np.errstate(invalid="ignore", divide="ignore"):
            r = np.array([np.nan_to_num(np.corrcoef(one.T.astype(np.float64)))[lower] for one in series])
    return np.clip(r, -1.0, 1.0)


def maps(r: Floats, series: list[NDArray[np.float32]] | None) -> Iterator[tuple[str, Floats, bool]]:
    """Names of maps, edge probabilities, and whether each pair has a negative and a positive edge."""
    yield "positive", EdgeProbability().fit_transform(r), False
    yield "signed", EdgeProbability(layers="signed").fit_transform(r), True
    yield "rank", EdgeProbability("rank").fit_transform(r), False
    yield "positive, threshold 0.3", EdgeProbability(threshold=0.3).fit_transform(r), False
    if series is not None:
        step = TimeSeriesEdgeProbability("bootstrap", threshold=0.3, n_resamples=50, random_state=0)
        yield "bootstrap, r > 0.3", step.fit_transform(series), False
    yield "signed rank", EdgeProbability("rank", layers="signed").fit_transform(r), True


def fisher_edges(r: Floats, y: NDArray[np.int64], site: NDArray[np.str_]) -> tuple[Floats, NDArray[np.bool_]]:
    """The t statistic of each edge within sites, and which exceed the largest |t| of most permutations."""
    z = np.arctanh(np.clip(r, -0.999, 0.999))
    _, code = np.unique(site, return_inverse=True)
    for one in range(code.max() + 1):
        z[code == one] -= z[code == one].mean(axis=0)
    length = np.maximum(np.sqrt((z**2).sum(axis=0)), 1e-12)
    freedom = len(y) - code.max() - 2

    def statistics(labels: NDArray[np.int64]) -> Floats:
        x = labels.astype(float)
        for one in range(code.max() + 1):
            x[code == one] -= x[code == one].mean()
        partial = x @ z / (length * np.sqrt(x @ x))
        return partial * np.sqrt(freedom / (1 - partial**2))

    observed, random = statistics(y), np.random.default_rng(0)
    largest = [np.abs(observed).max()]
    for _ in range(N_PERMUTATIONS):
        moved = y.copy()
        for one in range(code.max() + 1):
            moved[code == one] = random.permutation(y[code == one])
        largest.append(np.abs(statistics(moved)).max())
    p = (np.array(largest)[:, None] >= np.abs(observed)).mean(axis=0)
    return observed, p <= ALPHA


def row(
    X: Floats,
    layered: bool,
    y: NDArray[np.int64],
    site: NDArray[np.str_],
    differs: NDArray[np.bool_],
    higher: NDArray[np.bool_],
) -> list[str]:
    n_pairs = X.shape[1] // (2 if layered else 1)
    n_nodes = int((1 + np.sqrt(1 + 8 * n_pairs)) // 2)
    pairs = np.column_stack(np.tril_indices(n_nodes, -1))
    edges, layers = signed_edges(pairs) if layered else (pairs, None)
    graphs = dg.UncertainGraphs(X, edges, [f"r{k}" for k in range(n_nodes)], edge_layers=layers)
    found = dg.significant_subgraphs(
        graphs,
        y,
        blocks=site,
        max_edges=MAX_EDGES,
        min_expected_frequency=LIMIT,
        n_permutations=N_PERMUTATIONS,
    )
    pair_of = np.arange(X.shape[1]) // 2 if layered else np.arange(X.shape[1])
    tested = np.zeros(n_pairs, dtype=bool)
    tested[pair_of[graphs.edge_means > LIMIT]] = True
    subgraphs = check_subgraphs(found, graphs.naming)
    chosen = [(g, e) for g, e, one in zip(subgraphs, found.effects, found.irreducible, strict=True) if one]
    # With a pair of edges, both are counted as found.
    seen = {int(pair_of[edge]) for g, _ in chosen for edge in g}
    hit = np.array([k in seen for k in range(n_pairs)]) & differs
    negative = sum(layered and any(edge % 2 == 0 for edge in g) for g, _ in chosen)
    return [
        f"{found.n_admitted.sum():,}",
        f"{len(found):,}",
        f"{len(chosen)}",
        f"{len(found.families)}",
        f"{sum(e > 0 for _, e in chosen)} / {sum(e < 0 for _, e in chosen)}",
        f"{negative}" if layered else "",
        f"{(differs & ~tested).sum()} of {differs.sum()}",
        f"{hit.sum()}",
        f"{(hit & higher).sum()} / {(hit & ~higher).sum()}",
    ]


if __name__ == "__main__":
    main()
