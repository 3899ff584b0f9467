"""`dugraph mine --test`: which of the listed subgraphs are significant."""

import argparse
import dataclasses
from typing import TYPE_CHECKING

from dugraph.cli.folder_run import without_warnings
from dugraph.cli.progress import test_progress
from dugraph.cli.wording import in_flags
from dugraph.exceptions import UnfinishedTestError

if TYPE_CHECKING:
    from dugraph.results import SubgraphRecord, TestRecord
    from dugraph.results.source import Source

_TAKEN_OVER = ("covariates", "min_expected_frequency", "max_edges", "n_jobs", "time_limit")
_LONG = "this may take a while. A larger --min-expected-frequency or a smaller --max-edges makes it shorter."


def test_cohort(options: argparse.Namespace, source: "Source") -> tuple["TestRecord | None", str]:
    """Test the subgraphs that are admitted to the search; what a time limit left unfinished is said.

    Returns
    -------
    TestRecord or None
        None if the time limit was reached.
    str
        Why there is none; empty otherwise.
    """
    from dugraph import significant_subgraphs
    from dugraph.results import record_of

    settings = {name: getattr(options, name) for name in _TAKEN_OVER}
    progress = test_progress("testing", options.progress, _LONG)
    try:
        result = without_warnings(lambda: significant_subgraphs(source.cohort, **settings, progress=progress))
    except UnfinishedTestError as error:
        # The parser keeps no public list of its flags.
        return None, in_flags(error.sentence, options.parser._option_string_actions)
    return record_of(result, source, settings={**settings, "phenotype": options.phenotype}), ""


def marked(record: "SubgraphRecord", tested: "TestRecord | None") -> "SubgraphRecord":
    """The record with the p-values of the test; both are about the same subgraphs."""
    if tested is None:
        return record
    found = tested.result
    p_values = dict(zip(found.subgraphs, found.p_values.tolist(), strict=True))
    return dataclasses.replace(record, p_values=[p_values.get(one.edges) for one in record.subgraphs])
