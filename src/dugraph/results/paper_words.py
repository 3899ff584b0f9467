"""Shared parts of the texts for papers: names, citations, the sample, the software."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph._citation import REFERENCES
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE, class_names
from dugraph.files.text import escaped
from dugraph.words import PROBABILITIES

N_LISTED = 20
"""Subgraphs in the table of results.md."""
_VALUES = {
    "correlation": "correlations",
    "fisher_z": "Fisher-transformed correlations",
    "count": "streamline counts",
    "probability": "probabilities",
    "series": "time series",
}
_MARKS = re.compile(r"([\\`*_{}\[\]<>|~$^&@#:]|-(?=-)|(?<=www)\.)")


def markdown(name: str) -> str:
    """Escape a name for Markdown: no mark-up, links, citations or line breaks.

    Examples
    --------
    >>> print(markdown("Frontal_Sup_L*"))
    Frontal\\_Sup\\_L\\*
    """
    return _MARKS.sub(r"\\\1", escaped(name))


class Text:
    """A text being written: how names are escaped, and the references cited so far."""

    def __init__(self, escape: Callable[[str], str]) -> None:
        self.escape = escape
        self.cited: list[str] = []

    def name(self, name: object) -> str:
        """A name from a file."""
        return self.escape(abbreviate(name))

    def names(self, names: Iterable[object], most: int = 12) -> str:
        """``a, b and c``."""
        texts = [self.name(name) for name in names]
        if len(texts) > most:
            texts = [*texts[:most], f"{len(texts) - most} more"]
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)

    def subgraph(self, graphs: UncertainGraphs | SubgraphNaming, edges: Sequence[int]) -> str:
        """``A – B; B – C``, the earlier node of each edge first."""
        parts = []
        for edge in edges:
            v, u = graphs.edges[edge].tolist()
            layer = "" if graphs.edge_layers is None else f" ({self.name(graphs.edge_layers[edge])})"
            parts.append(f"{self.name(graphs.node_labels[u])} – {self.name(graphs.node_labels[v])}{layer}")
        return "; ".join(parts)

    def columns(self, names: Sequence[str] | None, argument: str) -> str:
        """Names of columns; empty for arrays, which come with the name of the argument."""
        if not names or all(re.fullmatch(rf"{argument}(\[\d+\])?", name) for name in names):
            return ""
        return self.names(names)

    def bare(self, *keys: str) -> str:
        """``Kong et al., 2013``."""
        self.cited += [key for key in keys if key not in self.cited]
        return "; ".join(REFERENCES[key].short for key in keys)

    def cite(self, *keys: str) -> str:
        """``(Kong et al., 2013)``."""
        return f"({self.bare(*keys)})"


# ---------------------------------------------------------------- shared by all results


class Labels(NamedTuple):
    """The labels analysed: their kind, the names of classes (the positive one first) or groups, the graphs.

    `y` is None, and `members` is empty, if the cohort does not have these labels.
    """

    kind: str
    y: NDArray[Any] | None
    names: list[str]
    members: list[NDArray[np.bool_]]


def make_labels(graphs: UncertainGraphs, y: NDArray[Any], kind: str, pos_label: object = None) -> Labels:
    """Describe a column of labels."""
    if kind == PHENOTYPE:
        return Labels(kind, y, [], [])
    distinct = np.unique(y).tolist()
    if kind == GROUPS:
        return Labels(kind, y, list(map(str, distinct)), [y == one for one in distinct])
    positive = distinct[1] if pos_label is None else pos_label
    return Labels(kind, y, list(class_names(graphs, y, positive)), [y == positive, y != positive])


def cohort_labels(cohort: LabelledGraphs) -> Labels:
    """The labels of the cohort itself."""
    pos_label = cohort.positive_class if cohort.kind == CLASSES else None
    return make_labels(cohort.graphs, cohort.y, cohort.kind, pos_label)


def describe_sample(text: Text, graphs: UncertainGraphs, labels: Labels, name: str) -> str:
    """Graphs and their labels; `name` is that of a phenotype."""
    parts = f"The sample comprised {graphs.n_graphs:,} connectomes"
    if labels.kind == PHENOTYPE and labels.y is not None:
        values = labels.y.astype(np.float64)
        parts += (
            f" ({name}: mean {values.mean():.4g}, standard deviation {values.std(ddof=1):.4g}, range "
            f"{values.min():.4g} to {values.max():.4g})"
        )
    else:
        sizes = zip(labels.names, labels.members, strict=True)
        shown = [f"{one.sum():,} in the {text.name(group)} group" for group, one in sizes]
        parts += f" ({', '.join(shown)})" if shown else ""
    layers = ""
    if graphs.edge_layers is not None:
        layers = f" in the layers {text.names(dict.fromkeys(graphs.edge_layers))}"
    return (
        f"{parts} of {graphs.n_nodes:,} regions. Each connectome was represented as an uncertain graph, in "
        f"which each of {graphs.n_edges:,} possible edges{layers} was present with a given probability, "
        f"independently of the others {text.cite('kong2013discriminative')}.{_origin(graphs.provenance)} The "
        "probability that a graph contains a subgraph is then the product of the probabilities of its edges, "
        "and the expected frequency of a subgraph is the mean of these containment probabilities over graphs."
    )


def _origin(provenance: Any) -> str:
    """How the probabilities were derived, where `dugraph convert` recorded it."""
    record = provenance if isinstance(provenance, dict) else {}
    method, values = record.get("probability"), _VALUES.get(str(record.get("values")))
    if not isinstance(method, str) or method not in PROBABILITIES or values is None:
        return ""
    if method == "none":
        return f" Edge probabilities were the {values} themselves."
    limits = [
        f"{name} {record[name]:g}"
        for name in ("threshold", "density")
        if isinstance(record.get(name), int | float)
    ]
    return (
        f" Edge probabilities were derived from {values} (rule {method}: {PROBABILITIES[method]}"
        f"{''.join(f'; {one}' for one in limits)})."
    )


def describe_family(asked: dict[str, Any]) -> str:
    """Which subgraphs were considered."""
    most = f" with at most {counted(asked['max_edges'], 'edge')}" if asked.get("max_edges") else ""
    return (
        f"connected subgraphs{most} whose expected frequency in the whole sample exceeded "
        f"{asked['min_expected_frequency']:g}"
    )


def describe_software(text: Text, versions: Mapping[str, str], seed: int | None) -> str:
    """The releases, and the seed if random numbers were drawn."""
    releases = [
        f"{name} {text.name(versions[key])}"
        for name, key in (("Python", "python"), ("NumPy", "numpy"))
        if key in versions
    ]
    return (
        f"Analyses were performed with dugraph {text.name(versions.get('dugraph', ''))} "
        f"{text.cite('dugraph')}{' under ' if releases else ''}{' and '.join(releases)}"
        f"{'' if seed is None else f'; the random seed was {seed}'}."
    )


def p_text(value: float) -> str:
    """A p-value."""
    if value > 0.9995:
        return "1"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"


def cut_note(n: int) -> str:
    """The number of rows shown in a table."""
    return f" (the first {N_LISTED} of {n})" if n > N_LISTED else ""
