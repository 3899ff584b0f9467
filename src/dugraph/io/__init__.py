"""Files of other programs: readers that give cohorts, writers that take results."""

from dugraph.io.nilearn_bunch import from_nilearn
from dugraph.io.read import read_cohort
from dugraph.io.writers.brainnet import brainnet_files
from dugraph.io.writers.feature_table import feature_table
from dugraph.io.writers.graphml import graphml_bytes

__all__ = ["brainnet_files", "feature_table", "from_nilearn", "graphml_bytes", "read_cohort"]
