"""`dugraph merge`: the shards of a job array become one result."""

import argparse
from pathlib import Path

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import check_folder

DESCRIPTION = """\
Merge the shards of a job array into the results of one `dugraph mine` or `dugraph test`.
Shards come from `dugraph mine cohort.npz --shard 1/2 -o shards/1` and so on. Name every shard of a run
exactly once. If a limit stopped a search in some shard, the merged list is the best so far. -o gets the
files of a run without shards, identical to the byte except for the counters: see docs/clusters.md."""
EXAMPLE = "  dugraph merge shards/1 shards/2 -o merged"

_OPEN = "checkpoint.npz"
_NO_TIME = 1e-9  # seconds: the search stops after its first part


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add = parser.add_argument
    add("shards", metavar="SHARD", nargs="+", help="folders of all shards")
    add("--data", metavar="FILE", help="the cohort file, if it has moved since the shards ran")
    add(
        "--report",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="also write FOLDER/report.html, to open in a browser (default: no)",
    )
    add("-o", "--output", metavar="FOLDER", required=True, help="folder for the results")


def run(options: argparse.Namespace) -> int:
    """Merge the checkpoints, then run the command from the merged one."""
    from dugraph.cli.program import build_parser
    from dugraph.files.atomic import make_folder
    from dugraph.results.shards import SHARD_FILE, merge_shards, read_shard_run

    began = read_shard_run(options.shards[0], options.data)
    whole = build_parser().parse_args([began.command, str(began.source.path)])
    for name in vars(whole).keys() & began.settings.keys():
        setattr(whole, name, began.settings[name])
    whole.output, whole.report = options.output, options.report
    check_folder(whole)
    checkpoint = make_folder(options.output) / _OPEN
    merged = merge_shards([Path(folder) / SHARD_FILE for folder in options.shards], checkpoint)
    whole.checkpoint = str(checkpoint)
    whole.time_limit = None if merged.is_done else _NO_TIME
    code = int(whole.run(whole))
    if code == ExitCode.DONE:
        checkpoint.unlink()
    return code
