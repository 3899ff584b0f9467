"""`dugraph power`: how many graphs a test needs, and what it can find with those there are."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import LONG, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import check_output, drawn_svg, without_warnings
from dugraph.exceptions import InputError, UnfinishedTestError
from dugraph.files.text import escaped
from dugraph.settings import PowerSettings

if TYPE_CHECKING:
    from dugraph import PowerResult, UncertainGraphs

DESCRIPTION = """\
Compute the power of a test to detect a subgraph, by the number of graphs.
The subgraph has --n-edges edges and the expected --frequencies in the two classes. The critical values
come from a pilot cohort, real or simulated (--like), whose labels are not used. Do not take the frequencies
from a subgraph that is significant in the pilot itself: they are inflated by selection; those that `dugraph
replicate` estimates in a second cohort are not. Prints a table: the power; the probability that the subgraph
is frequent enough to be tested; and the frequency in the positive class that is detected with the target
power. With -o, writes a folder with results.json, results.csv, power.svg, detectable.svg and config.toml."""
EXAMPLE = """\
  dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 -o power
  dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 --n-graphs 80,90,100
  dugraph power --like adhd --n-edges 2 --frequencies 0.6,0.3 --min-expected-frequency 0.2"""

SETTINGS = PowerSettings
PILOT_GRAPHS = 100
"""Graphs of a simulated pilot."""


def run(settings: PowerSettings) -> int:
    """Compute the power, write the files, print the table."""
    from dugraph import power_analysis
    from dugraph.files.atomic import write_folder
    from dugraph.plot.significance import plot_power
    from dugraph.results.tables_only import power_files
    from dugraph.significance.testing import progress_line

    if settings.n_edges is None or settings.frequencies is None:
        raise InputError(
            "The power is that for a certain subgraph, so --n-edges and --frequencies are needed: for "
            "example --n-edges 2 --frequencies 0.5,0.3."
        )
    check_output(settings.output, "power")
    graphs, pilot = _pilot(settings)
    show = progress("testing random labels", settings.progress, progress_line, hint=LONG)
    try:
        result = without_warnings(lambda: power_analysis(graphs, **settings.arguments(), progress=show))
    except UnfinishedTestError as error:
        raise error.sentence from error
    files = []
    if settings.output is not None:
        pictures = {
            "power.svg": drawn_svg(lambda ax: plot_power(result, ax=ax)),
            "detectable.svg": drawn_svg(lambda ax: plot_power(result, detectable=True, ax=ax)),
        }
        contents = {**pictures, **power_files(result, settings.to_toml(), pilot)}
        files = write_folder(settings.output, contents, last="results.json")
    print_power(result)
    for path in files:
        say(escaped(f"written: {path}"))
    return ExitCode.DONE


def _pilot(settings: PowerSettings) -> tuple["UncertainGraphs", dict[str, Any]]:
    """The pilot cohort and its description."""
    from dugraph import load_cohort, simulate
    from dugraph.results.plan import graphs_digest

    if (settings.data is None) == (settings.like is None):
        raise InputError(
            "A pilot is needed, either a cohort or a simulated one, but "
            f"{'both were' if settings.data else 'none was'} given. Name a cohort file, or use --like adhd."
        )
    if settings.data is None:
        seed = settings.random_state
        graphs = simulate(str(settings.like), n_graphs=PILOT_GRAPHS, n_planted=0, random_state=seed).graphs
        return graphs, {"simulated_like": settings.like, "n_graphs": PILOT_GRAPHS}
    graphs, _ = load_cohort(settings.data)
    file = Path(settings.data).name
    return graphs, {"file": file, "n_graphs": graphs.n_graphs, "graphs_sha256": graphs_digest(graphs)}


def print_power(result: "PowerResult") -> None:
    """Print a row for each number of graphs, and the main numbers in words."""
    asked = result.parameters
    positive, negative = asked["frequencies"]
    rows = [
        (
            int(n),
            *(NumberText(f"{share:.3f}") for share in (power, admitted)),
            NumberText("-" if math.isnan(found) else f"{found:.3f}"),
        )
        for n, power, admitted, found in zip(
            result.n_graphs, result.power, result.admitted, result.detectable, strict=True
        )
    ]
    title = (
        f"power for {asked['n_edges']} edge{'s' * (asked['n_edges'] > 1)}, expected frequencies {positive:g} "
        f"and {negative:g}; detectable with power {asked['power']:g} instead of {positive:g}"
    )
    print_table(title, ("graphs", "power", "admitted", "detectable"), rows)
    print(f"\n{escaped(result.message)}")
