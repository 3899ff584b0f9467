"""`dugraph simulate`: a cohort with known answers."""

import argparse
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dugraph.cli.exit_code import ExitCode
from dugraph.files.json_text import json_bytes
from dugraph.files.plain_text import escaped
from dugraph.words import PAPER_DATASETS

if TYPE_CHECKING:
    from dugraph.simulation import SimulatedCohort

DESCRIPTION = """\
Simulate a cohort of brain networks with planted discriminative subgraphs.
The planted subgraphs are written next to the cohort: cohort.npz gets cohort.planted.json."""
EXAMPLE = "  dugraph simulate --like hiv --n-planted 3 --random-state 1 -o cohort.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "--like",
        choices=PAPER_DATASETS,
        default="adhd",
        help="dataset of the paper's Table 3 to imitate (default: adhd)",
    )
    parser.add_argument(
        "--n-graphs", type=int, metavar="N", help="even number of graphs (default: as in Table 3)"
    )
    parser.add_argument(
        "--n-planted", type=int, default=3, metavar="N", help="planted subgraphs (default: 3)"
    )
    parser.add_argument(
        "--effect",
        type=float,
        metavar="E",
        help="from 0 to 1: how much larger a share of patients than of controls has the whole planted "
        "subgraph (default: 0.5, 0.85, 0.75 for adhd, adni, hiv)",
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="SEED", help="seed (default: 0)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="cohort file to write (.npz)")


def run(options: argparse.Namespace) -> int:
    """Simulate, then write the cohort and the planted subgraphs."""
    from dugraph import simulate
    from dugraph.cli.outputs import check_npz_name
    from dugraph.data.wording import counted
    from dugraph.files.one_folder import write_files

    check_npz_name(options.output)
    settings = {
        name: getattr(options, name) for name in ("like", "n_graphs", "n_planted", "effect", "random_state")
    }
    cohort = simulate(**settings)
    place = Path(options.output)
    place = Path(os.path.realpath(place)) if place.is_symlink() else place
    target, beside = write_files(place.parent, simulated_files(place.name, cohort, settings))
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
