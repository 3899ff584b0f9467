"""Files of other programs: readers that give cohorts, writers that take results."""

from dugraph.io.read import read_cohort

__all__ = ["read_cohort"]
