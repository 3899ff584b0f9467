"""Pictures of subgraphs, cohorts and studies, drawn with matplotlib."""

from dugraph.plot.study_picture import draw_study
from dugraph.plot.subgraph_picture import draw_subgraphs

__all__ = ["draw_study", "draw_subgraphs"]
