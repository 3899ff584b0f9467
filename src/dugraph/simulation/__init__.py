"""Simulated cohorts with planted subgraphs, and possible worlds."""

from dugraph.simulation.cohort import SimulatedCohort, simulate
from dugraph.simulation.worlds import possible_worlds

__all__ = ["SimulatedCohort", "possible_worlds", "simulate"]
