"""Pictures of what was found."""

from dugraph.report.subgraph_picture import draw_subgraphs

__all__ = ["draw_subgraphs"]
