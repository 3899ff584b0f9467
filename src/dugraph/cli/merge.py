"""`dugraph merge`: combine the shards of a job array into one result."""

import dataclasses
from pathlib import Path
from typing import Any

from dugraph.cli.output import ExitCode
from dugraph.cli.run import check_folder
from dugraph.settings import MergeSettings

DESCRIPTION = """\
Merge the shards of a job array into the results of one `dugraph mine` or `dugraph test`.
Shards come from `dugraph mine cohort.npz --shard 1/2 -o shards/1` and so on. Name every shard of a run
exactly once. If a limit stopped the search of a shard, the merged list is the best so far. The files in
-o are identical to those of a run without shards, except for the counters: see docs/clusters.md."""
EXAMPLE = "  dugraph merge shards/1 shards/2 -o merged"

_OPEN = "checkpoint.npz"
_NO_TIME = 1e-9  # seconds: the search stops after its first part


SETTINGS = MergeSettings


def run(settings: MergeSettings) -> int:
    """Merge the checkpoints, then run the command from the merged one."""
    from dugraph.cli import mine, test
    from dugraph.files.atomic import make_folder
    from dugraph.results.shards import SHARD_FILE, merge_shards, read_shard_run

    began = read_shard_run(settings.shards[0], settings.data)
    command: Any = {"mine": mine, "test": test}[began.command]
    data, output = str(began.source.path), settings.output
    whole = command.SETTINGS.of({**began.settings, "data": data, "output": output, "report": settings.report})
    check_folder(whole)
    checkpoint = make_folder(output) / _OPEN
    merged = merge_shards([Path(folder) / SHARD_FILE for folder in settings.shards], checkpoint)
    limit = None if merged.is_done else _NO_TIME
    code = int(command.run(dataclasses.replace(whole, checkpoint=str(checkpoint), time_limit=limit)))
    if code == ExitCode.DONE:
        checkpoint.unlink()
    return code
