"""Pipes, devices, descriptors and files that would fill the memory are refused at once."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.estimators.model_file import load_model
from dugraph.exceptions import InputError

READERS: dict[str, Callable[[object], object]] = {
    "cohort": dg.load_cohort,
    "selector": dg.SubgraphSelector.from_json,
    "sparse": dg.SparseSubgraphClassifier.from_json,
    "model": load_model,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_pipes_devices_and_folders_are_refused(reader: Callable[[object], object], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(InputError, match="must be an ordinary file, but it is a pipe or a device"):
            reader(path)
    with pytest.raises(InputError, match="Is a directory"):
        reader(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        reader(tmp_path / "nothing")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_number_is_no_path(reader: Callable[[object], object]) -> None:
    copy = os.dup(1)
    try:
        with pytest.raises(InputError, match=f"must be text or a pathlib.Path, but is {copy}"):
            reader(copy)
        os.fstat(copy)  # still open
    finally:
        os.close(copy)


def test_a_small_file_of_large_arrays_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10_000, 10_000)}
    )
    file = tmp_path / "bomb.npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("X.npy", "w") as member:
        member.write(header.getvalue())
        for _ in range(80):
            member.write(bytes(10**6))
    with pytest.raises(InputError, match="must be at most 250 times as large as the file"):
        dg.load_cohort(file)


def test_a_huge_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    with file.open("wb") as stream:
        stream.truncate(100 * 2**20)  # takes no room on the disk
    with pytest.raises(InputError, match="must have at most 67,108,864 bytes"):
        load_model(file)
