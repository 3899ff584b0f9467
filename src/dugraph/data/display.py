"""Text and HTML views of a cohort."""

from html import escape
from typing import TYPE_CHECKING

from dugraph.data.wording import counted, listed

if TYPE_CHECKING:
    from dugraph.data.uncertain_graphs import UncertainGraphs


def _title(graphs: "UncertainGraphs") -> str:
    edges, nodes = counted(graphs.n_edges, "edge"), counted(graphs.n_nodes, "node")
    return f"{counted(graphs.n_graphs, 'graph')}, {edges} over {nodes}"


def _rows(graphs: "UncertainGraphs") -> list[tuple[str, str]]:
    row = graphs.describe()
    present = f"{row['mean_edges']:.4g} per graph on average"
    if row["mean_edges"]:
        present += f", mean probability {row['mean_edge_probability']:.4g}"
    rows = [
        ("edges present", present),
        ("nodes", listed(graphs.node_labels)),
        ("graphs", listed(graphs.graph_ids)),
    ]
    if graphs.edge_layers is not None:
        rows.append(("layers", listed(dict.fromkeys(graphs.edge_layers))))
    if graphs.node_coordinates is not None:
        rows.append(("coordinates", "x, y, z of every node"))
    if graphs.participants is not None:
        rows.append(("participants", listed(graphs.participants)))
    if graphs.provenance is not None:
        rows.append(("provenance", listed(graphs.provenance)))
    return rows


def text_view(graphs: "UncertainGraphs") -> str:
    """Describe a cohort in a few lines of text."""
    lines = [f"{type(graphs).__name__}: {_title(graphs)}"]
    return "\n".join(lines + [f"  {name}: {value}" for name, value in _rows(graphs)])


def html_view(graphs: "UncertainGraphs") -> str:
    """Describe a cohort as a small HTML table; every name is escaped, since names come from files."""
    caption = f"<caption>{escape(type(graphs).__name__)}: {_title(graphs)}</caption>"
    body = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in _rows(graphs)
    )
    return f"<table>{caption}<tbody>{body}</tbody></table>"
