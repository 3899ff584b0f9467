"""The cohort: uncertain graphs over one set of named nodes, their checks and their file."""

from dugraph.data.cohort_file import load_cohort, save_cohort
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.validation import check_cohort, check_labels

__all__ = ["UncertainGraphs", "check_cohort", "check_labels", "load_cohort", "save_cohort"]
