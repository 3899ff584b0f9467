"""HCP's parcellated connectomes: `netmats1.txt`, a row of all pairs per subject, and `subjectIDs.txt`."""

from __future__ import annotations

import re
from math import isqrt
from pathlib import Path

from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import matrix_samples
from dugraph.io.connectomes import Connectomes, joined
from dugraph.io.delimited import DelimitedText, read_numbers
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.source import Source

_NAME = re.compile(r"netmats(?P<netmats>\d)\.txt")
_IDS = re.compile(r"subjectIDs.*\.txt", re.IGNORECASE)
# The release has netmats/3T_HCP1200_MSMAll_d15_ts2/netmats1.txt, and subjectIDs.txt beside netmats.
_LEVELS = 3


def finds(source: Source) -> str | None:
    """Return whether there are netmats, by name."""
    files = _files(source)
    return listed(dict.fromkeys(file.name for file in files)) if files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one row per subject, all pairs of regions in it; subjects as the file of ids has them."""
    file = _one_file(source, options)
    if options.values is None:
        raise InputError(
            f"{file}: it must be known what the numbers are: those of HCP are z statistics, Fisher z times a "
            "factor that FSLNets estimates, not correlations.",
            parameter="values",
            way_out=(
                *("Take their ranks with ", Setting("values", "fisher_z"), " and "),
                *(Setting("probability", "rank"), "; if they were turned into correlations, add "),
                *(Setting("values", "correlation"), "."),
            ),
        )
    ids_file = _ids_file(source, file)
    options.budget.check_files([file, ids_file])
    text = DelimitedText.read(ids_file, options.budget, ",")
    ids = [cells[0].strip() for cells, _ in text.rows()]
    numbers = read_numbers(file, options.budget, header=False).numbers
    n_regions = isqrt(numbers.shape[1])
    if n_regions * n_regions != numbers.shape[1]:
        raise InputError(
            f"{file}: every row must hold all pairs of regions, both directions and the diagonal, but "
            f"{counted(numbers.shape[1], 'number')} do not form a square matrix. Check whether the file was "
            "cut short."
        )
    if len(ids) != len(numbers) or len(text.first) != 1:
        raise InputError(
            f"{ids_file}: there must be one id in each line for each row of {file.name}, but there are "
            f"{len(ids)} lines for {len(numbers)} rows. Take the two files of one release."
        )
    samples = matrix_samples(numbers.reshape(-1, n_regions, n_regions), ids, file)
    notes = {"subjects": f"by their order in {ids_file.name}"}
    return joined(samples, options.values, options.budget, options.atlas, notes)


def _files(source: Source) -> list[Path]:
    return [file for file in source.files if _NAME.fullmatch(file.name)]


def _one_file(source: Source, options: ReadOptions) -> Path:
    files = _files(source)
    if not files:
        raise InputError(
            f"{source.path}: the matrices of HCP must be named netmats1.txt or netmats2.txt, but there are "
            f"none among {source.seen()}. Check the path."
        )
    wanted = options.select.get("netmats")
    if set(options.select) - {"netmats"}:
        raise InputError(
            f"select must be netmats=1 or netmats=2 here, but names {listed(options.select)}.",
            parameter="select",
        )
    chosen = [file for file in files if wanted is None or file.stem == f"netmats{wanted}"]
    if len(chosen) != 1:
        raise InputError(
            f"{source.path}: one file must be chosen, but {len(chosen)} of "
            f"{listed(file.name for file in files)} {'is' if len(chosen) == 1 else 'are'}.",
            parameter="select",
            way_out=(
                *("Choose full correlations with ", Setting("select", {"netmats": "1"})),
                *(" or partial ones with ", Setting("select", {"netmats": "2"}), ", or name the folder."),
            ),
        )
    return chosen[0]


def _ids_file(source: Source, file: Path) -> Path:
    found = [one for one in source.files if _IDS.fullmatch(one.name)]
    for folder in file.resolve().parents[:_LEVELS] if not found else ():
        found = [one for one in sorted(folder.iterdir()) if _IDS.fullmatch(one.name)]
        if found:
            break
    if len(found) != 1:
        raise InputError(
            f"{file}: the ids of the subjects must be in one subjectIDs.txt, in its folder or one or two "
            f"above, but there are {len(found)}. Copy it next to the matrices."
        )
    return found[0]


FORMAT = Format(
    "hcp-netmats",
    "HCP's netmats1.txt, one row of all pairs per subject, with subjectIDs.txt",
    finds,
    read,
)
