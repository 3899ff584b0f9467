"""Files of other programs: readers that give cohorts, writers that take results."""

from dugraph.io.nilearn_bunch import from_nilearn
from dugraph.io.read import read_cohort

__all__ = ["from_nilearn", "read_cohort"]
