"""The cohort: uncertain graphs over one set of named nodes, its checks and its file."""

from dugraph.data.atlas import aal_atlas
from dugraph.data.class_names import class_names
from dugraph.data.cohort_file import load_cohort, save_cohort
from dugraph.data.labelled_graphs import LabelledGraphs
from dugraph.data.signed_edges import signed_edges
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.validation import check_cohort, check_edge_probability, check_labels

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
