"""Flags of the scripts that measure one search, and the matching arguments of `mine_subgraphs`."""

import argparse
from typing import Any

from cohorts import MEASURES, SCORES


def search_parser(description: str | None) -> argparse.ArgumentParser:
    """The flags that choose a cohort and a search."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("cohort")
    parser.add_argument("--min-expected-frequency", type=float, default=0.3)
    parser.add_argument("--measure", choices=MEASURES, default="expectation")
    parser.add_argument("--score", choices=SCORES, default="hsic")
    parser.add_argument("--n-subgraphs", type=int, default=100)
    return parser


def asked(options: argparse.Namespace) -> dict[str, Any]:
    """The same as arguments of `mine_subgraphs`."""
    names = ("min_expected_frequency", "n_subgraphs", "measure", "score")
    return {name: getattr(options, name) for name in names}
