"""Folders with the mistakes that tired users make; `mistakes.md` has the command and the message of each.

A function writes its mistake into the current folder, where `folder` has intact correlation matrices of
four subjects and `participants.tsv` is their table.
"""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.io

SUBJECTS = ("sub-01", "sub-02", "sub-03", "sub-04")
FOLDER = Path("folder")
TABLE = Path("participants.tsv")
MATRICES = [np.where(np.eye(5) == 1, 1, 0.1 * (k + 1)) for k in range(4)]


def write_intact() -> None:
    """Write the matrices and the table."""
    FOLDER.mkdir()
    write_matrices(MATRICES)
    write_table(SUBJECTS)


def write_matrices(matrices: list[np.ndarray], delimiter: str = ",") -> None:
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        lines = [delimiter.join(f"{x:g}" for x in row) for row in matrix]
        (FOLDER / f"{subject}.csv").write_text("\n".join(lines) + "\n")


def write_table(
    ids: tuple[str, ...], groups: tuple[str, ...] = ("patient", "control") * 2, header: str = "group"
) -> None:
    rows = [f"{one}\t{group}\n" for one, group in zip(ids, groups, strict=True)]
    TABLE.write_text(f"participant_id\t{header}\n" + "".join(rows))


def change(name: str, old: str, new: str) -> None:
    file = FOLDER / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def nothing() -> None:
    """The command is wrong, not the files."""


def table_is_a_workbook() -> None:
    TABLE.write_bytes(b"PK\3\4" + bytes(200))


def table_is_latin_1() -> None:
    TABLE.write_bytes("participant_id\tgroup\tsite\nsub-01\tpatient\tZürich\n".encode("latin-1"))


def table_lost_zeros() -> None:
    write_table(("1", "2", "3", "4"))


def file_names_say_more() -> None:
    for subject in SUBJECTS:
        os.rename(FOLDER / f"{subject}.csv", FOLDER / f"{subject[4:]}_REST1_corr.csv")
    write_table(("01", "02", "03", "04"))


def a_file_is_missing() -> None:
    (FOLDER / "sub-03.csv").unlink()


def three_groups() -> None:
    write_table(SUBJECTS, ("patient", "control", "sibling", "control"))


def group_column_has_another_name() -> None:
    write_table(SUBJECTS, header="Diag3")


def a_group_is_missing() -> None:
    write_table(SUBJECTS, ("patient", "control", "", "control"))


def a_row_appears_twice() -> None:
    write_table((*SUBJECTS, "sub-01"), ("patient", "control", "patient", "control", "control"))


def fisher_z_values() -> None:
    write_matrices([np.where(np.eye(5) == 1, 0, 4 * one) for one in MATRICES])


def time_series() -> None:
    write_matrices([np.arange(300.0).reshape(60, 5) ** 2 % 7.5 for _ in SUBJECTS])


def a_file_lacks_rows() -> None:
    lines = (FOLDER / "sub-02.csv").read_text().split("\n")
    (FOLDER / "sub-02.csv").write_text("\n".join(lines[:3]) + "\n")


def a_file_ends_early() -> None:
    text = (FOLDER / "sub-02.csv").read_text()
    (FOLDER / "sub-02.csv").write_text(text[:-7])


def one_subject_has_another_atlas() -> None:
    write_matrices([*MATRICES[:3], np.eye(6)])


def decimal_commas() -> None:
    for subject in SUBJECTS:
        file = FOLDER / f"{subject}.csv"
        file.write_text(file.read_text().replace(",", ";").replace(".", ","))


def error_of_a_spreadsheet() -> None:
    change("sub-02.csv", "0.2", "#REF!")


def a_region_is_missing() -> None:
    write_matrices([MATRICES[0], np.where(np.arange(5) == 1, np.nan, MATRICES[1]), *MATRICES[2:]])


def streamline_counts() -> None:
    write_matrices([np.where(np.eye(5) == 1, 0, k + 10.0) for k in range(4)])


def one_triangle_differs() -> None:
    change("sub-01.csv", "0.1", "0.9")


def edge_lists_of_weights() -> None:
    for subject in SUBJECTS:
        rows = ["source,target,weight", "A,B,0.5", "B,C,-0.2", "A,C,0.1", "A,D,0.1"]
        (FOLDER / f"{subject}.csv").write_text("\n".join(rows) + "\n")


def edge_lists_with_loops() -> None:
    for subject in SUBJECTS:
        (FOLDER / f"{subject}.csv").write_text("1 1 0.5\n1 2 -0.2\n1 3 0.1\n2 3 0.1\n2 4 0.2\n")


def an_edge_appears_twice() -> None:
    for subject in SUBJECTS:
        (FOLDER / f"{subject}.csv").write_text("1 2 0.5\n1 3 -0.2\n2 3 0.1\n3 1 0.2\n2 4 0.2\n")


def compressed_files() -> None:
    for subject in SUBJECTS:
        file = FOLDER / f"{subject}.csv"
        file.with_suffix(".csv.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        file.unlink()


def workbooks() -> None:
    for subject in SUBJECTS:
        os.rename(FOLDER / f"{subject}.csv", FOLDER / f"{subject}.xlsx")


def images() -> None:
    for subject in SUBJECTS:
        (FOLDER / f"{subject}.csv").unlink()
        (FOLDER / f"{subject}_bold.nii.gz").write_bytes(b"\x1f\x8b" + bytes(50))


def several_variables() -> None:
    scipy.io.savemat("group.mat", {"A": np.zeros((4, 5, 5)), "B": np.zeros((4, 5, 5))})


def one_array_of_other_subjects() -> None:
    np.save("all.npy", np.zeros((3, 5, 5)) + np.eye(5))


def several_runs() -> None:
    for subject in SUBJECTS:
        (FOLDER / f"{subject}.csv").unlink()
        for run in "12":
            file = FOLDER / subject / "func" / f"{subject}_task-rest_run-{run}_relmat.tsv"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("A\tB\n1\t0.5\n0.5\t1\n")


MISTAKES: dict[str, Callable[[], None]] = {
    name: one for name, one in list(globals().items()) if getattr(one, "__module__", "") == __name__
}
