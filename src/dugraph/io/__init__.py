"""Files of other programs: readers that give cohorts, writers that take results."""
