"""Steps shared by the commands: open the cohort, call a public function, write the folder, print."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from dugraph.cli.output import say
from dugraph.cluster.parts import check_shard
from dugraph.data import LabelledGraphs
from dugraph.exceptions import InputError, LimitReachedWarning, ShardDone, UnfinishedTestError
from dugraph.files import atomic
from dugraph.io.writers import check_table_format
from dugraph.results import refuse_other_results
from dugraph.results.cohort_ref import LABELLED, CohortRef, open_cohort
from dugraph.results.load import OWN_REPLICATION, OWN_TEST
from dugraph.results.save import folder_files, record_file
from dugraph.results.shards import begin_shard
from dugraph.search.limits import clear_line
from dugraph.settings import LabelledSettings, PartedSettings

Result = TypeVar("Result")


def check_folder(settings: Any) -> None:
    """Refuse a folder that cannot be written, or that has results of another command, before the work."""
    if settings.output is None:
        if getattr(settings, "report", False):
            raise InputError("--report needs a folder to write into, but none is given. Add -o FOLDER.")
        return
    atomic.check_writable(settings.output)
    refuse_other_results(settings.output, settings.command)
    if getattr(settings, "features", "none") != "none":
        check_table_format(settings.features)


def open_source(settings: LabelledSettings, needed_by: str, as_groups: bool = False) -> CohortRef:
    """Check the folder, then read the cohort; whole numbers with few values need --target.

    `needed_by` is what needs class labels, for the message if there are none.
    """
    check_folder(settings)
    read: Callable[..., LabelledGraphs] = LabelledGraphs.of_any
    if as_groups or settings.target == "groups":
        read = LABELLED["groups"]
    elif settings.target is not None or settings.phenotype is not None:
        read = LABELLED["phenotype"]
    chosen: dict[str, Any] = {"phenotype": settings.phenotype, "where": settings.where, "labelled": read}
    return open_cohort(settings.data, f"{needed_by} needs", settings.pos_label, **chosen)


def checkpoint_of(settings: PartedSettings, source: CohortRef) -> Path | str | None:
    """The path of the checkpoint: that of --checkpoint, or in the folder of --shard, which is begun."""
    if settings.shard is None:
        return settings.checkpoint
    check_shard(settings.shard)
    if settings.output is None:
        raise InputError("--shard needs a folder of its own to write into, but none is given. Add -o FOLDER.")
    for name in ("checkpoint", "report", "test", "plan", "holdout"):
        if getattr(settings, name, None):
            raise InputError(
                f"--shard saves its part in the folder of -o and produces no results yet, so --{name} does "
                "not apply. Leave it out."
            )
    return begin_shard(settings.output, settings.command, source, settings.kept_values())


def say_shard(settings: PartedSettings, message: object) -> None:
    """Say how a shard ended."""
    say(f"dugraph: {message}")
    say(f"written: {settings.output}")


def call(
    function: Callable[..., Result],
    *data: Any,
    dask: str | None = None,
    reported_later: tuple[type[Warning], ...] = (LimitReachedWarning,),
    **asked: Any,
) -> Result:
    """Call a public function; print its warnings on stderr, except those reported at the end.

    `dask` is the address of a cluster whose client the function gets. Errors are phrased for the command
    line: a test that reached its time limit, and labels called `y`.
    """
    with ExitStack() as stack:
        if dask is not None:
            from dugraph.cluster.dask import open_client

            asked["client"] = stack.enter_context(open_client(dask))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        try:
            result = function(*data, **asked)
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
    settings: Any,
    record: Any,
    show: Callable[[], None],
    seconds: float | None = None,
    *,
    test: Any = None,
    replication: Any = None,
    title: str = "",
) -> None:
    """Write the folder, with those of a test or a replication within it and the report; then print."""
    if settings.output is None:
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
    write(folder, contents, show, obsolete, record_file(record), left_out)


def write(
    folder: str | Path,
    contents: Mapping[str, bytes],
    show: Callable[[], None],
    obsolete: Iterable[str] = (),
    last: str = "results.json",
    left_out: Iterable[str] = (),
) -> None:
    """Write files, print the tables, list the files and those that could not be written."""
    # Before the tables: if their reader is gone, the files must not be lost.
    files = atomic.write_folder(folder, contents, obsolete, last)
    show()
    for line in [*(f"written: {path}" for path in files), *left_out]:
        say(line)
