"""Pictures of what was found."""

from dugraph.report.study_picture import draw_study
from dugraph.report.subgraph_picture import draw_subgraphs

__all__ = ["draw_study", "draw_subgraphs"]
