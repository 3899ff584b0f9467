"""The subgraphs of a record as its file holds them: used or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.results.ranking import RankedSubgraph, group_titles
from dugraph.results.rules import COUNT, LIST, NUMBER, SHARE, check_object, check_value, damaged
from dugraph.search.exhaustive import is_connected


def read_subgraphs(file: Path, name: str, entries: object, cohort: LabelledGraphs) -> list[RankedSubgraph]:
    """Check the subgraphs of a record, which have edges of this cohort; `name` is that of their value."""
    titles, graphs = group_titles(cohort), cohort.graphs
    classes = [f"expected_frequency_{title}" for title in titles] if cohort.kind == CLASSES else []
    rules = {name: NUMBER, **dict.fromkeys(["expected_frequency", *classes], SHARE)}
    found = []
    for rank, entry in enumerate(check_value(file, "subgraphs", entries, LIST), start=1):
        one = check_object(file, f"subgraph {rank}", entry, rules)
        edges = read_edges(file, f"subgraph {rank}", one.get("edges"), graphs)
        groups = [one[title] for title in classes]
        if cohort.kind == GROUPS:
            where = f"expected_frequency_by_group of subgraph {rank}"
            held = one.get("expected_frequency_by_group")
            told = check_object(file, where, held, dict.fromkeys(titles, SHARE))
            groups = [told[title] for title in titles]
        frequency, by_group = float(one["expected_frequency"]), tuple(map(float, groups))
        found.append(RankedSubgraph(rank, float(one[name]), edges, frequency, by_group))
    return found


def read_edges(file: Path, which: str, entries: Any, graphs: UncertainGraphs) -> tuple[int, ...]:
    """Check the edges of one subgraph, as `edges_json` gave them."""
    edges = tuple(
        check_object(file, f"an edge of {which}", entry, {"index": COUNT})["index"]
        for entry in check_value(file, f"the edges of {which}", entries, LIST)
    )
    if not all(edge < graphs.n_edges for edge in edges):
        raise damaged(file, f"{which} has an edge beyond the {graphs.n_edges} of the cohort")
    if len(set(edges)) != len(edges) or not is_connected(graphs.edges[list(edges)].tolist()):
        raise damaged(file, f"{which} is not a connected set of edges")
    return edges


def read_numbers(file: Path, name: str, entries: list[dict[str, Any]]) -> list[float] | None:
    """A finite number of each subgraph, which are checked by now; None where the first has none."""
    if not entries or name not in entries[0]:
        return None
    return [float(check_value(file, name, entry.get(name), NUMBER)) for entry in entries]


def read_p_values(file: Path, entries: list[dict[str, Any]]) -> list[float | None] | None:
    """The p-values that a test gave the subgraphs of a search, which are checked by now; None without one."""
    if not any("p_value" in entry for entry in entries):
        return None
    rule = SHARE.or_null()
    return [check_value(file, "p_value", entry.get("p_value"), rule) for entry in entries]
