"""`write_report`: a folder of results as one page."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.words import METRICS


def write_report(
    folder: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    evaluation: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
) -> Path:
    """Write the results in a folder as one HTML page that needs no other file and no network.

    Parameters
    ----------
    folder : path-like
        Written by ``dugraph mine -o``, ``dugraph sparse -o`` or ``dugraph evaluate -o``.
    data : path-like, default None
        The cohort file; None: where the results say that it is. Its SHA-256 must be that of the results.
    evaluation : path-like, default None
        The folder of an evaluation, to be reported with the subgraphs in `folder`; None: what is in `folder`.
    output : path-like, default None
        The file to write, .html or .htm; None: ``report.html`` in `folder`.
    seconds : float, default None
        How long the search took, which results do not hold, so that equal runs give equal files.

    Returns
    -------
    Path
        The page, complete or not there.

    Raises
    ------
    InputError
        If there is nothing to report, the cohort is not there or another one, or jinja2 is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> from dugraph.cli import main
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     graphs, y, _ = dg.simulate("hiv", random_state=0)
    ...     dg.save_cohort(f"{folder}/cohort.npz", graphs, y)
    ...     _ = main(["mine", f"{folder}/cohort.npz", "--n-subgraphs", "5", "-o", f"{folder}/results"])
    ...     page = dg.write_report(f"{folder}/results")
    ...     page.name, page.stat().st_size < 1_000_000  # doctest: +ELLIPSIS
    exp-hsic: 5 subgraphs, best first, and their expected frequency in both classes
    ...
    ('report.html', True)
    """
    target = Path(folder) / "report.html" if output is None else Path(output)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"{output}: the page is HTML, so its name must end in .html or .htm. Choose such a name."
        )
    try:
        from dugraph.report.page import render
    except ImportError as error:
        raise InputError("A report needs jinja2, which is missing: pip install 'dugraph[report]'.") from error
    from dugraph._citation import CITATION
    from dugraph._version import __version__
    from dugraph.report.cautions import cautions
    from dugraph.report.cohort_part import describe_cohort
    from dugraph.report.evaluation_part import best_marks, describe_evaluation, evaluation_command
    from dugraph.report.folder import read_parts
    from dugraph.report.mining_part import describe_mining
    from dugraph.report.path_chart import path_chart
    from dugraph.report.subgraph_part import N_PLOTTED, describe_subgraphs

    parts = read_parts(folder, data, evaluation)
    cohort = describe_cohort(parts.cohort)
    judged = parts.evaluation and describe_evaluation(parts.evaluation, cohort.n_pos, cohort.n_neg)
    outlines, subgraphs, union = describe_subgraphs(parts)
    page = render(
        {
            "file": parts.cohort.file,
            "sha256": parts.cohort.sha256,
            "classes": parts.cohort.classes,
            "short_classes": [shown(name) for name in parts.cohort.classes],
            "cohort": cohort,
            "mining": parts.record and describe_mining(parts.record, parts.cohort, seconds),
            "outlines": outlines,
            "subgraphs": subgraphs,
            "union": union,
            "path_chart": path_chart(parts.path, parts.record["parameters"]["alpha_in_use"])
            if parts.record and parts.path
            else None,
            "n_plotted": N_PLOTTED,
            "evaluation": judged,
            "evaluation_command": evaluation_command(parts.cohort.file),
            "best_marks": best_marks(judged.rows) if judged else set(),
            "metric_words": {name: metric.title for name, metric in METRICS.items()},
            "cautions": cautions(parts, cohort),
            "citation": CITATION,
            "versions": {
                **((parts.record or {}).get("versions", {})),
                "report written by dugraph": __version__,
                "with Python": platform.python_version(),
            },
        }
    )
    with atomic_file(target) as file:
        file.write(page.encode())
    return target
