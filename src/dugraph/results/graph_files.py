"""The union of a result's subgraphs for other programs: GraphML and BrainNet Viewer files."""

from __future__ import annotations

from collections.abc import Sequence

from dugraph.data import LabelledGraphs
from dugraph.exceptions import InputError

NO_SUBGRAPH = "results.graphml and BrainNet Viewer files not written: there is no subgraph."


def graph_files(
    cohort: LabelledGraphs,
    subgraphs: Sequence[tuple[int, ...]],
    values: Sequence[float] | None,
    called: str = "coefficients",
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files, and a sentence for each that cannot be made.

    Parameters
    ----------
    cohort : LabelledGraphs
    subgraphs : sequence of tuples of int
        The best first; an empty one keeps its rank and is not drawn.
    values : sequence of float or None
        Signed numbers of the subgraphs, by which edges are weighted.
    called : str
        What these numbers are called.
    """
    from dugraph.io.writers import brainnet_files, graphml_bytes

    files, left_out = {}, []
    try:
        files["results.graphml"] = graphml_bytes(cohort, None, subgraphs, coefficients=values, called=called)
    except InputError as error:
        left_out.append(f"results.graphml not written: {error}")
    try:
        files |= brainnet_files(cohort.graphs, subgraphs, values)
    except InputError as error:
        left_out.append(f"brainnet.node and .edge not written: {error}")
    return files, left_out
