"""`write_report`: a result and what belongs to it as one page that loads nothing else."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import math
import os
import platform
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from dugraph._citation import CITATION
from dugraph._version import __version__
from dugraph.data.arguments import abbreviate, check_kind, counted, listed, real_number
from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, check_path
from dugraph.files.html import page_templates
from dugraph.report import findings
from dugraph.report.cautions import cautions
from dugraph.report.cohort import describe_cohort, group_names
from dugraph.report.findings import Parts
from dugraph.report.pictures import canvases, number, union_picture
from dugraph.report.view import view_json
from dugraph.results import (
    EvaluationRecord,
    ReplicationRecord,
    SubgraphRecord,
    TestRecord,
    load_result,
    record_of,
)
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.load import OWN_REPLICATION, OWN_TEST, load_evaluation, load_test
from dugraph.results.paper import write_sections
from dugraph.significance.result import large_number
from dugraph.words import METRIC_WORDS

PathLike = str | os.PathLike[str]
# Runs before the first subgraph is read: with scripts one at a time is laid out, not hundreds.
_FIRST = 'document.documentElement.classList.add("scripted")'


def write_report(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: PathLike | None = None,
    evaluation: Any = None,
    test: Any = None,
    output: PathLike | None = None,
    seconds: float | None = None,
    with_ids: bool = False,
) -> Path:
    """Write a result, in memory or in a folder, as one HTML page that needs no other file and no network.

    Parameters
    ----------
    result : path-like, a result, or what `load_result` gives
        A folder written by `save_result`, ``dugraph mine -o``, ``sparse -o``, ``test -o``, ``replicate -o``
        or ``evaluate -o``; or a MiningResult, a fitted sparse model, SignificanceResult, ReplicationResult or
        EvaluationResult, which need not be in any file.
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
        How long the search took, which folders do not record, so that equal runs give equal files.
    with_ids : bool, default False
        Whether the page shows the ids of participants; by default it can be passed on without them.

    Returns
    -------
    Path
        The page, complete or not there.

    Raises
    ------
    InputError
        If there is nothing to report, or the cohort is missing or another one.

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
    target = Path(check_path(result)) / "report.html" if output is None else Path(check_path(output))
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"{output}: the page is HTML, so its name must end in .html or .htm. Choose another name."
        )
    if seconds is not None:
        real_number(seconds, "seconds")
    check_kind(with_ids, bool, "with_ids", "Pass True to show the ids of participants, else False.")
    parts = _gather(result, evaluation, test, data, {"X": X, "y": y, "pos_label": pos_label})
    content = _page(parts, seconds, with_ids)
    with atomic_file(target) as file:
        file.write(content)
    return target


def report_bytes(
    record: Any,
    *,
    test: TestRecord | None = None,
    replication: ReplicationRecord | None = None,
    seconds: float | None = None,
) -> bytes:
    """The page on a record, with a test or a replication of the same cohort."""
    parts = _gather(record, None, test, None, {})
    if replication is not None:
        parts = dataclasses.replace(parts, replication=replication)
    return _page(parts, seconds)


# ---------------------------------------------------------------- gathering


def _gather(result: Any, evaluation: Any, test: Any, data: PathLike | None, cohort: dict[str, Any]) -> Parts:
    """Join a result, an evaluation and a test of the same cohort, each in memory or in a folder.

    `cohort` has X, y and pos_label of a result in memory, as for `record_of`.
    """
    home = Path(result) if isinstance(result, (str, os.PathLike)) else None
    first = record_of(result, data=data, **cohort) if home is None else load_result(home, data=data)
    source, found, replication = first.source, None, None
    for kind, given, parameter in ((EvaluationRecord, evaluation, "evaluation"), (TestRecord, test, "test")):
        if isinstance(first, kind) and given is not None:
            raise InputError(
                f"{'the first result' if home is None else home}: {parameter} adds results to a report on "
                f"subgraphs, but this is {'an' if parameter[0] == 'e' else 'a'} {parameter} itself. Name the "
                f"folder of `dugraph mine -o` or `sparse -o` first, and this one as {parameter}.",
                parameter=parameter,
            )
    if isinstance(first, SubgraphRecord):
        found = first
        if home is not None and evaluation is None and (home / "evaluation.json").is_file():
            evaluation = home
        if home is not None and test is None:
            test = _own(home / OWN_TEST, TestRecord, source)
    elif isinstance(first, TestRecord):
        test = first
        if home is not None:
            replication = _own(home / OWN_REPLICATION, ReplicationRecord, source, source.path)
    elif isinstance(first, ReplicationRecord):
        replication = first
    else:
        evaluation = first
    column = None
    if isinstance(evaluation, (str, os.PathLike)):
        evaluation = load_evaluation(Path(check_path(evaluation, "folder")), source=source)
    if isinstance(evaluation, EvaluationRecord):
        evaluation, column = evaluation.result, evaluation.phenotype
    if evaluation is not None:
        check_kind(evaluation, EvaluationResult, "evaluation", "Take it from evaluate, or name its folder.")
    return Parts(source, found, evaluation, _same_test(test, source), column, replication)


def _own(folder: Path, kind: type[Any], source: CohortRef, data: PathLike | None = None) -> Any:
    """The result that a command wrote into a folder of another one, if it is still of this cohort."""
    if not (folder / "results.json").is_file():
        return None
    record = load_result(folder, data=data)
    return record if isinstance(record, kind) and record.source.sha256 == source.sha256 else None


def _same_test(test: Any, source: CohortRef) -> TestRecord | None:
    """The test as a record; it must be of the cohort of the other result."""
    if test is None:
        return None
    if isinstance(test, (str, os.PathLike)):
        return load_test(Path(check_path(test, "folder")), source)
    record = record_of(test, source)
    if not isinstance(record, TestRecord):
        raise InputError(f"test must be a SignificanceResult or its folder: got {type(test).__name__}.")
    if record.source.sha256 != source.sha256:
        raise InputError(
            "The subgraphs and the test must come from the same cohort, but do not. Write separate reports."
        )
    return record


# ---------------------------------------------------------------- the page


def _page(parts: Parts, seconds: float | None = None, with_ids: bool = False) -> bytes:
    labelled, record, test, replication = parts.source.cohort, parts.found, parts.test, parts.replication
    cohort, views = describe_cohort(labelled, parts.source.phenotype, with_ids), canvases(labelled.graphs)
    subgraphs, union = [] if record is None else findings.describe_subgraphs(record, views), None
    if record is not None and record.is_fit and subgraphs:
        first = views[0] if views else None
        union = union_picture(labelled.graphs, record.subgraphs, first, signed=not record.models)
    fitted = record is not None and record.is_fit
    records = {
        "the model" if fitted else "the ranking": record,
        "the test": test,
        "the replication": replication,
    }
    written = {name: one for name, one in records.items() if one is not None}
    forecasts = parts.evaluation and findings.describe_evaluation(parts.evaluation, labelled, parts.forecast)
    page = _render(
        {
            "file": parts.source.file,
            "sha256": parts.source.sha256,
            "classes": group_names(labelled),
            "cohort": cohort,
            "mining": record and findings.describe_mining(record),
            "seconds": record.seconds if seconds is None and record is not None else seconds,
            "outlines": [view.outline for view in views],
            "subgraphs": subgraphs,
            "union": union,
            "n_plotted": findings.N_PLOTTED,
            "n_listed": findings.N_LISTED,
            "n_found": 0 if record is None else len(record.subgraphs),
            "test": test,
            "significance": test and findings.describe_significance(test, views),
            "marks_p": record is not None and findings.tests_the_same(test, record),
            "replication": replication and findings.describe_replication(replication),
            "evaluation": forecasts,
            "metric_words": {name: metric.title for name, metric in METRIC_WORDS.items()},
            "view": view_json(parts),
            "is_flat": labelled.graphs.node_coordinates is None,
            "cautions": cautions(parts, cohort),
            "papers": {name: write_sections(one) for name, one in written.items()},
            "citation": CITATION,
            "versions": {
                **next((one.versions for one in written.values()), {}),
                "report written by dugraph": __version__,
                "with Python": platform.python_version(),
            },
        }
    )
    return page.encode()


def _render(context: dict[str, Any]) -> str:
    """Fill the template; only style and script of this package are inline, allowed by their hashes."""
    environment = page_templates(_asset)
    environment.filters |= {
        "abbreviate": abbreviate,
        "counted": counted,
        "large": large_number,
        "listed": lambda names: listed(names, most=12),
        "number": number,
        "quoted": shlex.quote,
        "regions": lambda edges: list(dict.fromkeys(node for edge in edges for node in edge[:2])),
    }
    environment.tests["finite"] = math.isfinite
    inline = {name: Markup(_asset(file)) for name, file in _INLINE.items()}
    policy = _policy(_source(inline["style"]))
    page = environment.get_template("report.html")
    return str(page.render(**context, **inline, first=Markup(_FIRST), policy=policy))


_INLINE = {"style": "report.css", "script": "report.js", "view_script": "view.js"}


def served_policy() -> str:
    """The policy of a report on a server, which may be from elsewhere: only scripts of this version run."""
    inline = "'unsafe-inline'"  # styles of older versions
    return f"{_policy(inline)}; frame-ancestors 'none'"


def _policy(style: str) -> str:
    scripts = " ".join(map(_source, (_FIRST, _asset("report.js"), _asset("view.js"))))
    return (
        f"default-src 'none'; style-src {style}; script-src {scripts}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _asset(name: str) -> str:
    return (files("dugraph.report") / "templates" / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """The hash by which a policy names an inline block."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
