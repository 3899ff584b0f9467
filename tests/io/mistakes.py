"""Folders with mistakes of users; `mistakes.md` has the command and the message of each.

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
GROUPS = ("patient", "control", "patient", "control")
DIAGONAL = np.eye(5) == 1
MATRICES = [np.where(DIAGONAL, 1, 0.1 * (k + 1)) for k in range(4)]


def write_intact() -> None:
    FOLDER.mkdir()
    write_matrices(MATRICES)
    write_table(SUBJECTS)


def write_matrices(matrices: list[np.ndarray]) -> None:
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.savetxt(FOLDER / f"{subject}.csv", matrix, fmt="%g", delimiter=",")


def write_table(ids: tuple[str, ...], groups: tuple[str, ...] = GROUPS, header: str = "group") -> None:
    rows = [f"{one}\t{group}\n" for one, group in zip(ids, groups, strict=True)]
    TABLE.write_text(f"participant_id\t{header}\n" + "".join(rows))


def change(subject: str, changed: Callable[[str], str]) -> None:
    file = FOLDER / f"{subject}.csv"
    text = file.read_text()
    file.write_text(changed(text))
    assert file.read_text() != text


def change_all(changed: Callable[[str], str]) -> None:
    for subject in SUBJECTS:
        change(subject, changed)


def rename_all(name: str) -> None:
    for subject in SUBJECTS:
        os.rename(FOLDER / f"{subject}.csv", FOLDER / name.format(subject[4:]))


def replace_all(name: str, content: Callable[[bytes], bytes]) -> None:
    for subject in SUBJECTS:
        file = FOLDER / f"{subject}.csv"
        new = FOLDER / name.format(subject)
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content(file.read_bytes()))
        file.unlink(missing_ok=True)


def file_names_say_more() -> None:
    rename_all("{}_REST1_corr.csv")
    write_table(("01", "02", "03", "04"))


def several_runs() -> None:
    intact = {subject: (FOLDER / f"{subject}.csv").read_bytes() for subject in SUBJECTS}
    for run in "12":
        for subject, content in intact.items():
            (FOLDER / f"{subject}.csv").write_bytes(content)
        replace_all(f"{{0}}/func/{{0}}_task-rest_run-{run}_relmat.tsv", lambda _: b"A\tB\n1\t0.5\n0.5\t1\n")


WEIGHTS = "source,target,weight\nA,B,0.5\nB,C,-0.2\nA,C,0.1\nA,D,0.1\n"
LOOPS = "1 1 0.5\n1 2 -0.2\n1 3 0.1\n2 3 0.1\n2 4 0.2\n"
TWICE = "1 2 0.5\n1 3 -0.2\n2 3 0.1\n3 1 0.2\n2 4 0.2\n"

MISTAKES: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,  # the command is wrong
    "table_is_a_workbook": lambda: TABLE.write_bytes(b"PK\3\4" + bytes(200)),
    "table_is_latin_1": lambda: TABLE.write_bytes(
        "participant_id\tgroup\tsite\nsub-01\tpatient\tZürich\n".encode("latin-1")
    ),
    "table_lost_zeros": lambda: write_table(("1", "2", "3", "4")),
    "file_names_say_more": file_names_say_more,
    "a_file_is_missing": lambda: (FOLDER / "sub-03.csv").unlink(),
    "three_groups": lambda: write_table(SUBJECTS, ("patient", "control", "sibling", "control")),
    "group_column_has_another_name": lambda: write_table(SUBJECTS, header="Diag3"),
    "a_group_is_missing": lambda: write_table(SUBJECTS, ("patient", "control", "", "control")),
    "a_row_appears_twice": lambda: write_table((*SUBJECTS, "sub-01"), (*GROUPS, "control")),
    "fisher_z_values": lambda: write_matrices([np.where(DIAGONAL, 0, 4 * one) for one in MATRICES]),
    "time_series": lambda: write_matrices([np.arange(300.0).reshape(60, 5) ** 2 % 7.5 for _ in SUBJECTS]),
    "a_file_lacks_rows": lambda: change("sub-02", lambda t: "\n".join(t.split("\n")[:3]) + "\n"),
    "a_file_ends_early": lambda: change("sub-02", lambda t: t[:-7]),
    "one_subject_has_another_atlas": lambda: write_matrices([*MATRICES[:3], np.eye(6)]),
    "decimal_commas": lambda: change_all(lambda t: t.replace(",", ";").replace(".", ",")),
    "error_of_a_spreadsheet": lambda: change("sub-02", lambda t: t.replace("0.2", "#REF!", 1)),
    "a_region_is_missing": lambda: write_matrices(
        [MATRICES[0], np.where(np.arange(5) == 1, np.nan, MATRICES[1]), *MATRICES[2:]]
    ),
    "streamline_counts": lambda: write_matrices([np.where(DIAGONAL, 0, k + 10.0) for k in range(4)]),
    "one_triangle_differs": lambda: change("sub-01", lambda t: t.replace("0.1", "0.9", 1)),
    "edge_lists_of_weights": lambda: change_all(lambda _: WEIGHTS),
    "edge_lists_with_loops": lambda: change_all(lambda _: LOOPS),
    "an_edge_appears_twice": lambda: change_all(lambda _: TWICE),
    "compressed_files": lambda: replace_all("{}.csv.gz", lambda content: gzip.compress(content, mtime=0)),
    "workbooks": lambda: rename_all("sub-{}.xlsx"),
    "images": lambda: replace_all("{}_bold.nii.gz", lambda _: b"\x1f\x8b" + bytes(50)),
    "several_variables": lambda: scipy.io.savemat(
        "group.mat", {"A": np.zeros((4, 5, 5)), "B": np.zeros((4, 5, 5))}
    ),
    "one_array_of_other_subjects": lambda: np.save("all.npy", np.zeros((3, 5, 5)) + np.eye(5)),
    "several_runs": several_runs,
}
