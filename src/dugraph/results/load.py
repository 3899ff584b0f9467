"""`load_result`: a folder of results, checked and read back; and which command a folder is of."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dugraph.data.arguments import check_word
from dugraph.exceptions import InputError, Spoken
from dugraph.files.atomic import check_path
from dugraph.results.read_subgraphs import read_p_values, read_subgraphs
from dugraph.results.read_tested import read_test
from dugraph.results.record import (
    KINDS,
    EvaluationRecord,
    SubgraphRecord,
    check_parts,
)
from dugraph.results.rules import check_value, one_of, read_json
from dugraph.results.run_id import check_run_id
from dugraph.results.source import PathLike, Source, check_source, recorded_source
from dugraph.results.tested import TEST, TestRecord

ResultRecord = SubgraphRecord | EvaluationRecord | TestRecord

# Where the record of a command that finds subgraphs begins: its keys are sorted.
_RECORD = re.compile(rb'\{\s*"command":\s*"([a-z]+)"')


def load_result(folder: PathLike, *, data: PathLike | None = None) -> ResultRecord:
    """Read what `save_result` or the command line wrote into a folder, and its cohort.

    Parameters
    ----------
    folder : path-like
        Written by `save_result`, ``dugraph mine -o``, ``dugraph sparse -o``, ``dugraph test -o`` or ``dugraph
        evaluate -o``, of this release or an older one.
    data : path-like, default None
        The cohort file; None: where the results say that it is. Its SHA-256 must be that of the results.

    Returns
    -------
    SubgraphRecord, TestRecord or EvaluationRecord
        ``result`` is what was saved, without times; ``cohort`` the `LabelledGraphs` that it is about.

    Raises
    ------
    InputError
        If there are no results, or if they or their cohort are damaged, altered or missing.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> cohort = dg.LabelledGraphs([[0.9, 0.8, 0.1], [0.8, 0.7, 0.1], [0.2, 0.3, 0.1]], [1, 1, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = dg.save_result(dg.mine_subgraphs(cohort, n_subgraphs=1), folder, cohort)
    ...     record = dg.load_result(folder)
    >>> record.result.subgraphs, record.cohort
    ([(0,)], LabelledGraphs: 3 graphs, 3 edges over 3 nodes; positive: 1 (2), negative: 0 (1))
    """
    home = Path(check_path(folder, "folder"))
    if not home.is_dir():
        found = (
            "this is a file. Name the folder that `dugraph mine -o`, `sparse -o`, `test -o` or `evaluate -o` "
            "wrote."
            if home.exists()
            else "there is no such folder. Check the path; `dugraph mine -o` and `test -o` write one."
        )
        raise InputError(f"{folder}: results must be in a folder, but {found}")
    if (home / "results.json").is_file():
        return _load_record(home, data)
    if (home / "evaluation.json").is_file():
        return load_evaluation(home, data)
    inner = sorted(path.parent.name for path in home.glob("*/results.json"))
    hint = f" Its folders {', '.join(inner)} do: name one of them." if inner else ""
    raise InputError(
        f"{home}: results are in a folder written by `dugraph mine -o`, `sparse -o`, `test -o` or "
        f"`evaluate -o`, but it holds neither results.json nor evaluation.json.{hint}"
    )


def _load_record(home: Path, data: PathLike | None) -> SubgraphRecord | TestRecord:
    file = home / "results.json"
    record = read_json(file)
    loaded = _read_record(file, record, data)
    check_run_id(file, record)
    return loaded


def _read_record(file: Path, record: dict[str, Any], data: PathLike | None) -> SubgraphRecord | TestRecord:
    if check_value(file, "command", record.get("command"), one_of([*KINDS, TEST])) == TEST:
        return read_test(file, record, recorded_source(file, record.get("input"), data))
    kind = check_parts(file, record)
    source = recorded_source(file, record.get("input"), data)
    found = read_subgraphs(file, kind.value_name, record.get("subgraphs"), source.cohort)
    parts = {name: record[name] for name in ("command", "parameters", "proof", "counters", "versions")}
    if record["command"] == "sparse":
        from dugraph.estimators import load_model
        from dugraph.results.fitted import read_fit

        return SubgraphRecord(
            **parts,
            source=source,
            subgraphs=found,
            make_result=_unchanged(file.with_name("model.json"), load_model),
            **read_fit(file, record, source.cohort),
        )
    from dugraph.results.mined import restored_search

    restored = restored_search(file, record, found, source.cohort)
    return SubgraphRecord(
        **parts,
        source=source,
        subgraphs=found,
        make_result=lambda: restored,
        p_values=read_p_values(file, record["subgraphs"]),
    )


def _unchanged(file: Path, read: Callable[[Path], Any]) -> Callable[[], Any]:
    """What reads a file later, unless other results have taken the place of these by then."""
    before = _state(file)

    def make() -> Any:
        if _state(file) != before:
            raise InputError(
                f"{file}: the results must be those that were loaded, but they have since been "
                "replaced. Load them again."
            )
        return read(file)

    return make


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        now = file.stat()
    except OSError:
        return None
    return now.st_ino, now.st_size, now.st_mtime_ns


def load_evaluation(
    home: Path, data: PathLike | None = None, source: Source | None = None
) -> EvaluationRecord:
    """Read the folder of an evaluation; with the source of another result it must be of the same cohort."""
    from dugraph.results.evaluated import read_evaluation

    if not (home / "evaluation.json").is_file():
        raise InputError(f"{home}: the folder must contain what `dugraph evaluate` writes, but does not.")
    file = home / "input.json"
    result = read_evaluation(home / "evaluation.json")
    told = read_json(file) if source is None or file.is_file() else None
    if source is None:
        source = recorded_source(file, told, data)
        return EvaluationRecord(source, result, phenotype=source.phenotype)
    input_told = check_source(file, told) if told is not None else {}
    if input_told.get("sha256", source.sha256) != source.sha256:
        raise InputError(
            f"{home}: mining and evaluation must use the same cohort file, but their hashes differ. Write "
            "separate reports."
        )
    return EvaluationRecord(source, result, phenotype=input_told.get("phenotype"))


def load_test(home: Path, source: Source) -> TestRecord:
    """Read the folder of a test, which must be of the same cohort as another result."""
    file = home / "results.json"
    record = read_json(file) if file.is_file() else {}
    if record.get("command") != TEST:
        raise InputError(f"{home}: the folder must contain what `dugraph test` writes, but does not.")
    if check_source(file, record.get("input"))["sha256"] != source.sha256:
        raise InputError(
            f"{home}: subgraphs and test must use the same cohort file, but their hashes differ. Write "
            "separate reports."
        )
    loaded = read_test(file, record, source)
    check_run_id(file, record)
    return loaded


def refuse_other_results(folder: PathLike, command: str) -> None:
    """Refuse a folder with the results of another command, parts of which would be overwritten.

    Parameters
    ----------
    folder : path-like
        Need not be there yet.
    command : {"mine", "sparse", "test", "evaluate"}
        What is to write into it. Its own older results are no hindrance.
    """
    check_word("command", command, ("mine", "sparse", "test", "evaluate"))
    for other in _commands_of(Path(check_path(folder, "folder"))):
        if other != command:
            raise InputError(
                f"{folder}: a folder holds the results of one command, but this one has those of `dugraph "
                f"{other}`, whose files have the same names as those of `dugraph {command}`.",
                way_out=("Choose another folder", Spoken("", " with -o"), "."),
            )


def _commands_of(folder: Path) -> list[str]:
    # An interrupted run has left only its cells, from which it can resume.
    marks = (folder / "evaluation.json", folder / "cache" / "cells")
    found = ["evaluate"] if any(mark.exists() for mark in marks) else []
    record = folder / "results.json"
    if record.is_file():
        with open(record, "rb") as file:
            begin = _RECORD.match(file.read(100))
        found += [begin[1].decode()] if begin else []
    return found
