"""`dugraph replicate`: are the subgraphs of one cohort confirmed in another?"""

import dataclasses
import time
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import SHOWN_ROWS, ExitCode, NumberText, print_table, say
from dugraph.cli.run import check_folder, say_written, without_warnings, write_folder
from dugraph.files.text import escaped
from dugraph.settings import ReplicateSettings
from dugraph.words import NONE

if TYPE_CHECKING:
    from dugraph import ReplicationResult

DESCRIPTION = """\
Test the subgraphs found in one cohort in another cohort.
Regions and classes are matched by name. Each subgraph is tested in the direction found in the first
cohort; the probability of confirming any subgraph that does not differ in the second one is at most --alpha.
The graphs of the first cohort are not needed, only the folder of its test. Prints a table with the effects
of both cohorts. With -o, writes a folder with results.json, results.csv, blocks.csv (with --blocks site, the
effects in each site), null_maxima.csv of the first test, config.toml, and results.graphml and BrainNet Viewer
files of the confirmed subgraphs: see docs/significance.md."""
EXAMPLE = """\
  dugraph replicate test second.npz --report -o replication
  dugraph replicate test second.npz --blocks site --covariates age,sex -o replication"""

SETTINGS = ReplicateSettings


def run(settings: ReplicateSettings) -> int:
    """Test the subgraphs in the second cohort, write the files, print the table and the claim."""
    from dugraph import replicate
    from dugraph.results.cohort_ref import open_second_cohort
    from dugraph.results.load import load_discovery
    from dugraph.results.records import replicated_record

    check_folder(settings)
    begin = time.monotonic()
    first = load_discovery(settings.result)
    phenotype = settings.phenotype or first.phenotype
    source = open_second_cohort(settings.data, first.result, phenotype, settings.where)
    settings = _as_in_test(settings, first.result.parameters, source.cohort.graphs.participants or {})
    result = without_warnings(lambda: replicate(first.result, source.cohort, **settings.arguments()))
    if source.shares_graphs(first.input):
        say(
            "dugraph: the second cohort has graphs in which the subgraphs were found, so this confirms "
            "nothing. Take other participants, or find and confirm with `dugraph test --holdout`."
        )
    asked = {**settings.kept_values(), "phenotype": phenotype}
    record = replicated_record(result, source, asked, first.input)
    # Before the table: if its reader is gone, the files must not be lost.
    saved = write_folder(settings, record, time.monotonic() - begin)
    print_replication(result)
    say_written(saved)
    return ExitCode.DONE


def _as_in_test(
    settings: ReplicateSettings, test: Mapping[str, Any], columns: Container[str]
) -> ReplicateSettings:
    """The settings with the blocks and covariates of the test, unless others, or none, are given."""
    used: dict[str, Any] = {}
    for name in ("blocks", "covariates"):
        given, tested = getattr(settings, name), test[name] or []
        if given is not None or not tested:
            used[name] = None if given == [NONE] else given
            continue
        missing = [one for one in tested if one not in columns]
        used[name] = None if missing else list(tested)
        said = f"{name} as in the test: {', '.join(tested)} (--{name} none: without them)"
        if missing:
            said = (
                f"the test used the {name} {', '.join(tested)}, but the second cohort has no column "
                f"{missing[0]}: it is replicated without {name}"
            )
        elif name == "blocks" and settings.permute == settings.options()["permute"].default:
            used["permute"] = test["permute"]
        say(escaped(f"dugraph: {said}."))
    return dataclasses.replace(settings, **used)


def print_replication(result: "ReplicationResult", n_rows: int = SHOWN_ROWS) -> None:
    """Print the subgraphs with the effects of both cohorts, and the claim.

    Parameters
    ----------
    result : ReplicationResult
    n_rows : int
        Subgraphs to show.
    """
    if len(result):
        several = len(set(result.contrasts)) > 1
        effect = "a group against the rest" if several else result.contrasts[0]
        heads = (
            "confirmed",
            "adjusted p",
            "both cohorts",
            "first effect",
            "effect",
            "95 % interval",
            "edges",
        )
        rows = [
            (
                "yes" if result.replicated[k] else "no",
                *(NumberText(f"{p[k]:.3g}") for p in (result.p_values, result.conjunction_p_values)),
                *(NumberText(f"{one[k]:+.3g}") for one in (result.first_effects, result.effects)),
                f"{result.effect_intervals[k, 0]:+.2g} to {result.effect_intervals[k, 1]:+.2g}",
                result.names[k][1:-1],
            )
            for k in range(min(n_rows, len(result)))
        ]
        n = int(result.replicated.sum())
        alpha = result.parameters["alpha"]
        print_table(
            f"{n} of {len(result)} subgraphs are confirmed at {alpha:g}; effect: {effect}", heads, rows
        )
        if len(result) > n_rows:
            print(f"... and {len(result) - n_rows} more")
        print()
    print(escaped(result.message))
