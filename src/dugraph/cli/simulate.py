"""`dugraph simulate`: simulate a cohort with known answers."""

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dugraph.cli.convert import check_npz_name
from dugraph.cli.output import ExitCode
from dugraph.files.text import escaped, json_bytes
from dugraph.settings import SimulateSettings

if TYPE_CHECKING:
    from dugraph.simulation import SimulatedCohort

DESCRIPTION = """\
Simulate a cohort of brain networks with planted discriminative subgraphs.
The planted subgraphs are written next to the cohort: cohort.planted.json for cohort.npz."""
EXAMPLE = "  dugraph simulate --like hiv --n-planted 3 --random-state 1 -o cohort.npz"

SETTINGS = SimulateSettings


def run(settings: SimulateSettings) -> int:
    """Simulate, then write the cohort and the planted subgraphs."""
    from dugraph import simulate
    from dugraph.data.arguments import counted
    from dugraph.files.atomic import write_folder

    check_npz_name(settings.output)
    cohort = simulate(**settings.arguments())
    place = Path(settings.output)
    place = Path(os.path.realpath(place)) if place.is_symlink() else place
    target, beside = write_folder(place.parent, simulated_files(place.name, cohort, settings.arguments()))
    print(f"{escaped(target)}: {counted(cohort.graphs.n_graphs, 'graph')}, {cohort.graphs.n_nodes} nodes")
    print(f"{escaped(beside)}: {counted(len(cohort.planted), 'planted subgraph')}")
    return ExitCode.DONE


def simulated_files(name: str, cohort: "SimulatedCohort", settings: dict[str, object]) -> dict[str, bytes]:
    """The cohort file and, next to it, the planted subgraphs and how the cohort was made."""
    from dugraph.data.cohort_file import cohort_bytes

    content = cohort_bytes(cohort.graphs, cohort.y)
    record = {
        "cohort_sha256": hashlib.sha256(content).hexdigest(),
        "planted": [
            {"edge_index": list(subgraph), "edges": [cohort.graphs.edge_name(edge) for edge in subgraph]}
            for subgraph in cohort.planted
        ],
        "simulated_with": settings,
    }
    return {name: content, f"{name.removesuffix('.npz')}.planted.json": json_bytes(record)}
