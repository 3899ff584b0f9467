"""Writers of edge lists, GraphML and TUDataset folders in exactly their documented layouts."""

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from made_up import GROUPS, REGIONS, SUBJECTS, Expected, write_participants

ROWS, COLUMNS = np.tril_indices(len(REGIONS), -1)


def probabilities(seed=0):
    """Symmetric matrices in [0, 1]; each graph lacks one edge that the others have."""
    rng = np.random.default_rng(seed)
    edges = rng.random((len(SUBJECTS), len(ROWS)))
    edges[np.arange(len(SUBJECTS)), np.arange(len(SUBJECTS))] = 0.0
    matrices = np.zeros((len(SUBJECTS), len(REGIONS), len(REGIONS)))
    matrices[:, ROWS, COLUMNS] = matrices[:, COLUMNS, ROWS] = edges
    return matrices


def edge_frame(matrices, seed=None) -> pd.DataFrame:
    """Long edge list of the edges that are there; shuffled with a seed."""
    rows = [
        (subject, REGIONS[v], REGIONS[u], matrix[u, v], group)
        for subject, matrix, group in zip(SUBJECTS, matrices, GROUPS, strict=True)
        for u, v in zip(ROWS, COLUMNS, strict=True)
        if matrix[u, v]
    ]
    frame = pd.DataFrame(rows, columns=["graph_id", "source", "target", "probability", "y"])
    return frame if seed is None else frame.sample(frac=1, random_state=seed)


def in_order_of(frame, matrices, **expected) -> Expected:
    """The regions of an edge list are in the order in which its rows name them."""
    regions = tuple(dict.fromkeys(frame[["source", "target"]].to_numpy().ravel()))
    order = [REGIONS.index(region) for region in regions]
    return Expected(matrices[:, order][:, :, order], regions, **expected)


def csv_edge_list(folder: Path) -> Expected:
    """One .csv, as pandas writes it, with the class of each graph."""
    matrices = probabilities(11)
    frame = edge_frame(matrices)
    frame.to_csv(folder / "edges.csv", index=False)
    return in_order_of(frame, matrices)


def parquet_edge_list(folder: Path) -> Expected:
    """One .parquet, as pandas writes it through pyarrow, and a table of subjects."""
    matrices = probabilities(12)
    frame = edge_frame(matrices).drop(columns="y")
    frame.to_parquet(folder / "edges.parquet", index=False)
    write_participants(folder)
    return in_order_of(frame, matrices)


def graphml_folder(folder: Path) -> Expected:
    """One file per subject, as networkx writes it: nodes by number, labels, positions."""
    matrices = probabilities(13)
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        nx.write_graphml(networkx_graph(matrix), folder / f"{subject}.graphml")
    write_participants(folder)
    return Expected(matrices)


def networkx_graph(matrix, kind=nx.Graph, attribute="probability"):
    graph = kind()
    for i, region in enumerate(REGIONS):
        graph.add_node(i, label=region, x=float(i), y=-0.5 * i, z=1.0)
    directions = list(zip(ROWS, COLUMNS, strict=True))
    if graph.is_directed():
        directions += [(v, u) for u, v in directions]
    for u, v in directions:
        if matrix[u, v]:
            graph.add_edge(int(u), int(v), **{attribute: float(matrix[u, v])})
    return graph


def write_tu(folder: Path, matrices, labels=(1, 0, 1, 0), attributes=True, name="DS") -> None:
    """The files of a TUDataset: nodes counted from 1 through all graphs, both directions of each edge."""
    n = len(REGIONS)
    lines, values = [], []
    for g, matrix in enumerate(matrices):
        for u, v in np.argwhere(matrix != 0):
            lines.append(f"{g * n + u + 1}, {g * n + v + 1}")
            values.append(repr(float(matrix[u, v])))
    tables = {
        "A": lines,
        "graph_indicator": [str(g + 1) for g in range(len(matrices)) for _ in range(n)],
        "graph_labels": list(map(str, labels)),
        "node_labels": list(map(str, list(range(n)) * len(matrices))),
    }
    tables |= {"edge_attributes": values} if attributes else {}
    for table, rows in tables.items():
        (folder / f"{name}_{table}.txt").write_text("\n".join(rows) + "\n")


NUMBERS = tuple(map(str, range(len(REGIONS))))
TU_IDS = tuple(str(g + 1) for g in range(len(SUBJECTS)))


def tu_dataset(folder: Path) -> Expected:
    """A TUDataset whose edge attributes are probabilities."""
    matrices = probabilities(14)
    write_tu(folder, matrices)
    return Expected(matrices, NUMBERS, TU_IDS)


def tu_dataset_certain(folder: Path) -> Expected:
    """A TUDataset without edge attributes, as OHSU, Peking_1 and KKI are: edges are there or not."""
    matrices = (probabilities(15) > 0).astype(float)
    write_tu(folder, matrices, attributes=False, name="KKI")
    return Expected(matrices, NUMBERS, TU_IDS)
