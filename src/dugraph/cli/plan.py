"""`dugraph plan`: the settings of a test, fixed before looking at the labels."""

import datetime
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dugraph.cli.info import suggestion
from dugraph.cli.output import ExitCode, NumberText, print_table, progress, say
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.settings import PlanSettings, TestSettings

if TYPE_CHECKING:
    from dugraph import PowerResult, UncertainGraphs

DESCRIPTION = """\
Write the plan of a test: its settings, the hash of the graphs, versions and the date.
The labels are not used. `dugraph test COHORT --plan FILE` carries the plan out and refuses other settings and
other graphs, naming each deviation; its message and report state when the test was planned. A plan is a short
text file with a checksum, which can be registered. With --n-edges and --frequencies it states the expected
power: see docs/significance.md."""
EXAMPLE = """\
  dugraph plan cohort.npz --blocks site --covariates age,sex --n-edges 2 --frequencies 0.5,0.3 -o plan.toml"""

SETTINGS = PlanSettings


def today() -> datetime.date:
    """The date of a plan, in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def run(settings: PlanSettings) -> int:
    """Check the settings against the graphs, write the plan and print it."""
    from dugraph import load_cohort
    from dugraph.data.where import select_participants
    from dugraph.files.atomic import atomic_file
    from dugraph.results.plan import make_plan, shown_setting

    if os.path.lexists(settings.output):
        raise InputError(
            f"{settings.output}: a plan must be a new file, but this one exists. Choose another name; "
            "plans are not replaced."
        )
    graphs, _ = load_cohort(settings.data)
    if settings.where is not None:
        graphs = graphs[select_participants(graphs.participants or {}, settings.where)]
    check_settings(settings, graphs)
    power = _power(settings, graphs)
    plan = make_plan(settings, graphs, Path(settings.data).name, today(), power)
    with atomic_file(settings.output) as file:
        file.write(plan.to_toml())
    rows = [(name, shown_setting(plan.settings.get(name))) for name in TestSettings.planned()]
    print_table(f"planned on {plan.date.isoformat()}", ("setting", "value"), rows)
    _print_tested(settings, graphs)
    if power is not None:
        print(f"\n{escaped(_sentence(power))}")
    say(escaped(f"written: {settings.output}"))
    return ExitCode.DONE


def check_settings(settings: PlanSettings, graphs: "UncertainGraphs") -> None:
    """Refuse settings with which no test is possible for any labels."""
    from dugraph.significance.permutations import check_alpha_reachable
    from dugraph.significance.statistics import n_size_classes
    from dugraph.significance.testing import check_alpha

    n_classes = n_size_classes(settings.size_classes, settings.max_edges, graphs.n_edges)
    most = sys.maxsize  # how many distinct ones there are depends on the labels
    check_alpha_reachable(check_alpha(settings.alpha), n_classes, settings.n_permutations + 1, most)
    if (settings.n_edges is None) != (settings.frequencies is None):
        raise InputError(
            "--n-edges and --frequencies describe an expected subgraph together, but only one is given. Add "
            "the other, or leave both out."
        )
    if settings.n_edges is not None and settings.statistic != "z":
        raise InputError(
            f"The power is known for --statistic z, but the statistic is {settings.statistic}. Leave out "
            "--n-edges and --frequencies, or plan a test of z."
        )


def _power(settings: PlanSettings, graphs: "UncertainGraphs") -> "PowerResult | None":
    from dugraph import power_analysis
    from dugraph.significance.testing import progress_line

    if settings.n_edges is None or settings.frequencies is None:
        return None
    shared = ("alternative", "alpha", "size_classes", "min_expected_frequency", "max_edges", "random_state")
    return power_analysis(
        graphs,
        n_edges=settings.n_edges,
        frequencies=settings.frequencies,  # type: ignore[arg-type]  # their number is checked there
        n_graphs=[graphs.n_graphs],
        positive_share=settings.positive_share,
        progress=progress("testing random labels", None, progress_line),
        **{name: getattr(settings, name) for name in shared},
    )


def _print_tested(settings: PlanSettings, graphs: "UncertainGraphs") -> None:
    """Print the number of subgraphs to be tested, which depends on the graphs alone."""
    from dugraph.search.admitted import admitted_table, count_admitted

    most = min(settings.max_edges or 3, 3)
    counts = count_admitted(graphs, settings.min_expected_frequency, most)
    rows = [(f"{size} edge{'s' * (size > 1)}", NumberText(count)) for size, count in enumerate(counts, 1)]
    print()
    print_table("connected subgraphs that would be tested", ("size", "number"), rows)
    print(suggestion(admitted_table(graphs, 2)))
    if counts[0].number == 0:
        say(
            "dugraph: no subgraph is frequent enough: the test would have nothing to do. Plan it with a "
            "smaller --min-expected-frequency."
        )


def _sentence(power: "PowerResult") -> str:
    from dugraph.data.arguments import counted

    asked = power.parameters
    positive, negative = asked["frequencies"]
    return (
        f"Expected power: {power.power[0]:.2f} for a subgraph of {counted(asked['n_edges'], 'edge')} with "
        f"expected frequencies of {positive:g} and {negative:g} in {power.n_graphs[0]:,} graphs, without "
        "blocks and covariates."
    )
