"""The cohort: uncertain graphs over one set of named nodes, its checks and its file."""

from dugraph.data.atlas import aal_atlas
from dugraph.data.cohort_file import load_cohort, save_cohort
from dugraph.data.edges import signed_edges
from dugraph.data.graphs import UncertainGraphs, check_cohort, check_edge_probability
from dugraph.data.labels import LabelledGraphs, check_labels, class_names

__all__ = [
    "LabelledGraphs",
    "UncertainGraphs",
    "aal_atlas",
    "check_cohort",
    "check_edge_probability",
    "check_labels",
    "class_names",
    "load_cohort",
    "save_cohort",
    "signed_edges",
]
