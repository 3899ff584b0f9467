"""`write_report`: a result, in memory or in a folder, as one page."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from dugraph.data.arguments import real_number
from dugraph.data.phenotype import CLASSES
from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, check_path
from dugraph.words import METRIC_WORDS


def write_report(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: str | os.PathLike[str] | None = None,
    evaluation: Any = None,
    test: Any = None,
    output: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
) -> Path:
    """Write a result, in memory or in a folder, as one HTML page that needs no other file and no network.

    Parameters
    ----------
    result : path-like, a result, or what `load_result` gives
        A folder written by `save_result`, ``dugraph mine -o``, ``sparse -o``, ``test -o`` or ``evaluate -o``;
        or a MiningResult, a fitted sparse model, SignificanceResult or EvaluationResult, which need not be in
        any file.
    X, y, pos_label
        The cohort of a result in memory, as for `save_result`; not with a folder, which knows its own.
    data : path-like, default None
        The cohort file; None: where the results say that it is. Its SHA-256 must be that of the results.
    evaluation : path-like or EvaluationResult, default None
        An evaluation of the same cohort, to be reported with subgraphs; None: what is in the folder.
    test : path-like or SignificanceResult, default None
        A test of significance of the same cohort, to be reported with subgraphs or an evaluation.
    output : path-like, default None
        The file to write, .html or .htm; None: ``report.html`` in the folder.
    seconds : float, default None
        How long the search took, which folders do not tell, so that equal runs give equal files.

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
    >>> graphs, y, _ = dg.simulate("hiv", random_state=0)
    >>> result = dg.mine_subgraphs(graphs, y, n_subgraphs=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = dg.write_report(result, graphs, y, output=f"{folder}/page.html")
    ...     page.name, page.stat().st_size < 1_000_000
    ('page.html', True)
    """
    in_folder = isinstance(result, (str, os.PathLike))
    if in_folder:
        check_path(result, "folder")
    if in_folder and any(given is not None for given in (X, y, pos_label)):
        raise InputError(f"{result}: a folder records its own cohort. Leave out X, y and pos_label.")
    if output is None and not in_folder:
        raise InputError("A result in memory has no folder for its page. Pass the page's path as output.")
    target = Path(check_path(result if output is None else output))
    target = target / "report.html" if output is None else target
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"{output}: the page is HTML, so its name must end in .html or .htm. Choose another name."
        )
    asked: dict[str, Any] = {"data": data, "evaluation": evaluation, "test": test, "seconds": seconds}
    content = report_bytes(result, X, y, pos_label=pos_label, **asked)
    with atomic_file(target) as file:
        file.write(content)
    return target


def report_bytes(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: str | os.PathLike[str] | None = None,
    evaluation: Any = None,
    test: Any = None,
    seconds: float | None = None,
) -> bytes:
    """Return the page that `write_report` writes."""
    try:
        from dugraph.report.page import render
    except ImportError as error:
        raise InputError("A report needs jinja2, which is missing: pip install 'dugraph[report]'.") from error
    from dugraph._citation import CITATION
    from dugraph._version import __version__
    from dugraph.report.cautions import cautions
    from dugraph.report.cohort_part import describe_cohort
    from dugraph.report.evaluation_part import best_marks, describe_evaluation, evaluation_command
    from dugraph.report.folder import gather
    from dugraph.report.mining_part import describe_mining
    from dugraph.report.path_chart import path_charts
    from dugraph.report.significance_part import N_LISTED, describe_significance, tests_the_same
    from dugraph.report.subgraph_part import N_PLOTTED, describe_subgraphs

    if seconds is not None:
        real_number(seconds, "seconds")
    known = {"X": X, "y": y, "pos_label": pos_label}
    parts = gather(result, evaluation, test, data, known)
    labelled, record = parts.source.cohort, parts.found
    if record is not None and seconds is None:
        seconds = record.seconds
    cohort = describe_cohort(labelled, parts.source.phenotype)
    names = labelled.names if labelled.kind == CLASSES else labelled.group_names
    judged = parts.evaluation and describe_evaluation(
        parts.evaluation, cohort.n_pos, cohort.n_neg, parts.forecast
    )
    outlines, subgraphs, union = describe_subgraphs(labelled, record)
    page = render(
        {
            "file": parts.source.file,
            "sha256": parts.source.sha256,
            "classes": names,
            "short_classes": [shown(name) for name in names],
            "cohort": cohort,
            "mining": record and describe_mining(record, seconds),
            "outlines": outlines,
            "subgraphs": subgraphs,
            "union": union,
            "path_charts": path_charts(record) if record else [],
            "n_plotted": N_PLOTTED,
            "significance": parts.test and describe_significance(parts.test),
            "marks_p": record is not None and tests_the_same(parts.test, record),
            "n_listed": N_LISTED,
            "evaluation": judged,
            "evaluation_command": evaluation_command(parts.source.file),
            "best_marks": best_marks(judged.rows) if judged else set(),
            "metric_words": {name: metric.title for name, metric in METRIC_WORDS.items()},
            "cautions": cautions(parts, cohort),
            "citation": CITATION,
            "versions": {
                **(record.versions if record else parts.test.versions if parts.test else {}),
                "report written by dugraph": __version__,
                "with Python": platform.python_version(),
            },
        }
    )
    return page.encode()
