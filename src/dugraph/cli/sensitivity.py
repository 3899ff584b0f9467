"""`dugraph sensitivity`: the same test under several settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import LONG, SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import accepted_labels, check_output, drawn_svg, without_warnings
from dugraph.exceptions import InputError, UnfinishedTestError
from dugraph.files.text import escaped
from dugraph.settings import SensitivitySettings

if TYPE_CHECKING:
    from dugraph import SensitivityResult, UncertainGraphs
    from dugraph.results.cohort_ref import CohortRef

DESCRIPTION = """\
Repeat a test under several settings and compare the edges that are found.
Tests every combination of frequency limits, statistics and thresholds, and, with --also, of cohort files of
the same participants that were converted with other probability maps. Prints what each setting finds, and the
edges found by most settings. This is an exploration: it does not show which setting is right, and p-values
are not valid for a setting that was chosen from these.
With -o, writes a folder with results.json, results.csv (the edges), settings.csv, jaccard.csv, jaccard.svg,
edges.svg and config.toml: see docs/significance.md."""
EXAMPLE = """\
  dugraph sensitivity cohort.npz --blocks site -o sensitivity
  dugraph sensitivity cohort.npz --min-expected-frequencies 0.1,0.2 --statistics z,difference,t
  dugraph sensitivity cohort.npz --also absolute.npz,threshold.npz --thresholds 0,0.3"""

SETTINGS = SensitivitySettings


def run(settings: SensitivitySettings) -> int:
    """Test under each setting, write the files, print the tables."""
    from dugraph import sensitivity_analysis
    from dugraph.files.atomic import write_folder
    from dugraph.plot.significance import plot_sensitivity
    from dugraph.results.cohort_ref import open_cohort
    from dugraph.results.tables_only import sensitivity_files

    check_output(settings.output, "sensitivity")
    source = open_cohort(
        settings.data,
        "a test needs",
        settings.pos_label,
        phenotype=settings.phenotype,
        where=settings.where,
        labelled=accepted_labels(settings),
    )
    others = {Path(file).name: _other(file, source) for file in settings.also or []}
    show = progress("testing", settings.progress, _progress_line, hint=LONG)
    try:
        result = without_warnings(
            lambda: sensitivity_analysis(source.cohort, others=others, **settings.arguments(), progress=show)
        )
    except UnfinishedTestError as error:
        raise error.sentence from error
    files = []
    if settings.output is not None:
        contents = sensitivity_files(result, settings.to_toml(), source)
        pictures = {"jaccard.svg": drawn_svg(lambda ax: plot_sensitivity(result, ax=ax), (6.5, 5.5))}
        if result.edges:
            pictures["edges.svg"] = drawn_svg(
                lambda ax: plot_sensitivity(result, edges=True, ax=ax), (7.0, 6.5)
            )
        files = write_folder(
            settings.output, {**pictures, **contents}, obsolete=["edges.svg"], last="results.json"
        )
    print_sensitivity(result)
    for path in files:
        say(escaped(f"written: {path}"))
    return ExitCode.DONE


def _other(file: str, source: "CohortRef") -> "UncertainGraphs":
    """The graphs of another cohort file, in the order of the first."""
    import numpy as np

    from dugraph import load_cohort

    graphs, _ = load_cohort(file)
    place = {name: row for row, name in enumerate(graphs.graph_ids)}
    ids = source.cohort.graphs.graph_ids
    missing = [name for name in ids if name not in place]
    if missing:
        raise InputError(
            f"{file}: a cohort with other probabilities must have all participants of {source.file}, but "
            f"{len(missing)} are missing, such as {escaped(missing[0])}. Convert it from the same table."
        )
    return graphs[np.array([place[name] for name in ids])]


def _progress_line(now: dict[str, Any]) -> str:
    from dugraph.significance.testing import progress_line

    return f"setting {now['variant']} of {now['n_variants']}: {progress_line(now)}"


def print_sensitivity(result: "SensitivityResult", n_rows: int = SHOWN_ROWS) -> None:
    """Print the findings of each setting, the edges found by most settings, and the main numbers in words."""
    from dugraph.significance.sensitivity import edge_rows, setting_rows

    rows = [(name, *map(NumberText, numbers)) for name, *numbers in setting_rows(result)]
    heads = ("setting", "tested", "significant", "irreducible", "edges")
    print_table("what each setting finds", heads, rows)
    if result.edges:
        print()
        title = f"edges by the number of settings that find them, of {len(result.names)}"
        table = [(*map(NumberText, numbers), name) for *numbers, name in edge_rows(result, n_rows)]
        print_table(title, ("settings", "share", "mean effect", "edge"), table)
        if len(result.edges) > n_rows:
            print(f"... and {len(result.edges) - n_rows} more")
    print(f"\n{escaped(result.message)}")
