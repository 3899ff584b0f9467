"""`--shard I/N` of `mine` and `test`: one part of a job array, saved in its own folder."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.progress import say
from dugraph.exceptions import InputError
from dugraph.files.plain_text import escaped

if TYPE_CHECKING:
    from dugraph.results.source import Source


def add_shard_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the flag."""
    parser.add_argument(
        "--shard",
        metavar="I/N",
        help="compute part I of N, for a job array: -o is the folder of this part, `dugraph merge` joins "
        "the parts",
    )


def shard_checkpoint(
    options: argparse.Namespace, source: "Source | None", settings: dict[str, Any]
) -> Path | None:
    """The place of the shard's checkpoint, in its folder; None without a shard."""
    if options.shard is None:
        return None
    from dugraph.cluster.shards import check_shard
    from dugraph.results.shards import begin_shard

    check_shard(options.shard)
    if options.output is None or source is None:
        raise InputError("--shard needs a folder of its own to write into, but none is given. Add -o FOLDER.")
    for name in ("checkpoint", "report", "test"):
        if getattr(options, name, None):
            raise InputError(
                f"--shard saves its part in the folder of -o and produces no results yet, so --{name} does "
                "not apply. Leave it out."
            )
    labels = {name: getattr(options, name) for name in ("phenotype", "pos_label")}
    return begin_shard(options.output, options.command, source, {**settings, **labels})


def say_shard(options: argparse.Namespace, message: str) -> None:
    """Say how a shard ended."""
    say(f"dugraph: {message}")
    say(escaped(f"written: {options.output}"))
