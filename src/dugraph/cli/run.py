"""Steps shared by the commands: open the cohort, compute with warnings as lines, write the folder, print."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from dugraph.cli.output import clear_line, say
from dugraph.cluster.parts import check_shard
from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.labels import CLASSES
from dugraph.exceptions import InputError, LimitReachedWarning, ShardDone, UnfinishedTestError
from dugraph.files import atomic
from dugraph.io.writers import check_table_format
from dugraph.results import refuse_other_results
from dugraph.results.cohort_ref import CohortRef, open_cohort
from dugraph.results.load import OWN_REPLICATION, OWN_TEST
from dugraph.results.save import folder_files, record_file
from dugraph.results.shards import begin_shard
from dugraph.settings import (
    CohortSettings,
    FolderSettings,
    LabelledSettings,
    ParallelSettings,
    PartedSettings,
)

Result = TypeVar("Result")


def check_folder(settings: FolderSettings) -> None:
    """Refuse a folder that cannot be written into, before a long computation."""
    if settings.report and settings.output is None:
        raise InputError("--report needs a folder to write into, but none is given. Add -o FOLDER.")
    check_output(settings.output, settings.command)


def check_output(folder: str | None, command: str) -> None:
    """Refuse a folder that cannot be written into, or that has the results of another command."""
    if folder is not None:
        atomic.check_writable(folder)
        refuse_other_results(folder, command)


def open_source(settings: CohortSettings, needed_by: str, as_groups: bool = False) -> CohortRef:
    """Check the folder and the format of features, then read the cohort."""
    check_folder(settings)
    features = getattr(settings, "features", "none")
    if settings.output is not None and features != "none":
        check_table_format(features)
    return open_labelled(settings, needed_by, as_groups)


def open_labelled(settings: LabelledSettings, needed_by: str, as_groups: bool = False) -> CohortRef:
    """Read a cohort with its labels; whole numbers with few values need --target.

    `needed_by` is what needs class labels, for the message if there are none.
    """
    read: Callable[..., LabelledGraphs] = LabelledGraphs.of_any
    if as_groups or settings.target == "groups":
        read = LabelledGraphs.of_groups
    elif settings.target is not None or settings.phenotype is not None:
        read = LabelledGraphs.of_phenotype
    return open_cohort(
        settings.data,
        f"{needed_by} needs",
        settings.pos_label,
        phenotype=settings.phenotype,
        where=settings.where,
        labelled=read,
    )


def dask_client(settings: ParallelSettings) -> AbstractContextManager[Any]:
    """The Dask client of `--dask`, as a context; None without the flag."""
    if settings.dask is None:
        return nullcontext()
    from dugraph.cluster.dask import open_client

    return open_client(settings.dask)


def shard_checkpoint(settings: PartedSettings, source: CohortRef | None) -> Path | None:
    """Begin the folder of `--shard`; return the path of its checkpoint, None without the flag."""
    if settings.shard is None:
        return None
    check_shard(settings.shard)
    if settings.output is None or source is None:
        raise InputError("--shard needs a folder of its own to write into, but none is given. Add -o FOLDER.")
    for name in ("checkpoint", "report", "test", "plan", "holdout"):
        if getattr(settings, name, None):
            raise InputError(
                f"--shard saves its part in the folder of -o and produces no results yet, so --{name} does "
                "not apply. Leave it out."
            )
    return begin_shard(settings.output, settings.command, source, settings.kept_values())


def say_shard(settings: PartedSettings, message: str) -> None:
    """Say how a shard ended."""
    say(f"dugraph: {message}")
    say(f"written: {settings.output}")


def computed(
    work: Callable[[], Result], reported_later: tuple[type[Warning], ...] = (LimitReachedWarning,)
) -> Result:
    """Do the work; its warnings become lines on stderr, except those reported at the end.

    Errors are phrased for the command line: a test that reached its time limit, and labels called `y`.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = work()
        except ShardDone:
            raise
        except UnfinishedTestError as error:
            raise error.sentence from error
        except InputError as error:
            if error.parameter == "y":
                raise error.renamed("phenotype") from error
            raise
        finally:
            clear_line()
    for warning in caught:
        if not issubclass(warning.category, reported_later):
            say(f"dugraph: {warning.message}")
    return result


def finish(
    settings: FolderSettings,
    record: Any,
    show: Callable[[], None],
    seconds: float | None = None,
    *,
    test: Any = None,
    replication: Any = None,
    title: str = "",
) -> None:
    """Write the folder, with those of a test or a replication within it and the report; then print."""
    if settings.output is None or record is None:
        show()
        return
    folder, features = Path(settings.output), getattr(settings, "features", "none")
    contents, obsolete, left_out = folder_files(
        record, folder, features=features, title=title, replication=replication
    )
    for name, inner in ((OWN_TEST, test), (OWN_REPLICATION, replication)):
        if inner is not None:
            own = folder_files(inner, folder / name, with_text=inner is not replication)
            contents |= {f"{name}/{file}": content for file, content in own.contents.items()}
            obsolete += [f"{name}/{file}" for file in own.obsolete]
            left_out += own.left_out
    if settings.report:
        from dugraph.report.write import report_bytes

        contents["report.html"] = report_bytes(record, test=test, replication=replication, seconds=seconds)
    finish_files(folder, contents, show, obsolete, record_file(record), left_out)


def finish_files(
    folder: str | Path | None,
    contents: Mapping[str, bytes],
    show: Callable[[], None],
    obsolete: Iterable[str] = (),
    last: str = "results.json",
    left_out: Iterable[str] = (),
) -> None:
    """Write files, print the tables, list the files and those that could not be written."""
    # Before the tables: if their reader is gone, the files must not be lost.
    files = []
    if folder is not None:
        files = atomic.write_folder(folder, contents, obsolete, last)
    show()
    for line in [*(f"written: {path}" for path in files), *left_out]:
        say(line)


def drawn_svg(draw: Callable[[Any], object], size: tuple[float, float] = (5.0, 3.75)) -> bytes:
    """Draw into the axes of a new figure; return it as SVG, the same bytes in every run."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "Pictures need matplotlib, which is missing: pip install 'dugraph[plot]'."
        ) from error
    with rc_context({"svg.hashsalt": "dugraph", "svg.fonttype": "none"}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def class_headings(cohort: LabelledGraphs) -> list[str]:
    """Head the columns of the groups: two classes by name, or by role if names are numbers."""
    if cohort.kind != CLASSES:
        return [abbreviate(name) for name in cohort.group_names] or ["frequency"]
    named = all(any(map(str.isalpha, name)) for name in cohort.names)
    return [abbreviate(name) for name in cohort.names] if named else ["positive", "negative"]
