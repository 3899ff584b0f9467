"""Long edge lists in Parquet files: the footer is judged first, then columns are read in batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import library, read_bytes
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import EdgeTable, Names, Roles

PARQUET = (".parquet", ".pq")

_BATCH = 65_536
# A row names an edge that no other row names, so it takes some bits; beyond this the file is a bomb.
_ROWS_PER_BYTE, _MANY_ROWS = 16, 500_000
_BYTES_PER_BYTE, _MANY_BYTES = 200, 64 * 2**20


def read_parquet_edges(file: Path, options: ReadOptions) -> tuple[EdgeTable, Roles]:
    """Read an edge list from a Parquet file.

    Parameters
    ----------
    file : Path
    options : ReadOptions

    Returns
    -------
    table : EdgeTable
    roles : Roles
    """
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    content = read_bytes(file, options.budget)
    try:
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        schema = opened.schema_arrow
        roles = Roles.of(schema.names, options.values, file)
        _check_types(pyarrow, schema, roles, file)
        _check_sizes(opened.metadata, roles, options, file, len(content))
        texts = [
            name for name in roles.text.values() if not pyarrow.types.is_integer(schema.field(name).type)
        ]
        # Names stay positions in a dictionary, so that a long name in a million rows is one long name.
        opened = parquet.ParquetFile(
            pyarrow.BufferReader(content), read_dictionary=texts, page_checksum_verification=True
        )
        return _read(pyarrow, opened, roles, file), roles
    except InputError:
        raise
    # Damaged content may raise nearly anything, OSError included: the file itself was read above.
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise InputError(
            f"{file}: the file must be intact Parquet: {shown(error)}. Write or copy it again."
        ) from error
    except MemoryError as error:
        raise InputError(
            f"{file}: the file must be intact Parquet, but claims more than it contains."
        ) from error


def _check_types(pyarrow: Any, schema: Any, roles: Roles, file: Path) -> None:
    types = pyarrow.types
    for name in roles.text.values():
        kind = schema.field(name).type
        plain = kind.value_type if types.is_dictionary(kind) else kind
        if not (types.is_string(plain) or types.is_large_string(plain) or types.is_integer(kind)):
            raise InputError(
                f"{file}: column {name} must be text or whole numbers, but is {shown(kind)}. Convert "
                "it first."
            )
    kind = schema.field(roles.value).type
    if not (types.is_floating(kind) or types.is_integer(kind)):
        raise InputError(f"{file}: column {roles.value} must hold numbers, but is {shown(kind)}.")


def _check_sizes(metadata: Any, roles: Roles, options: ReadOptions, file: Path, n_content: int) -> None:
    """Refuse a file by what its footer claims: rows, and bytes when unpacked."""
    n_rows = metadata.num_rows
    if n_rows <= 0:
        raise InputError(f"{file}: an edge list must have rows, but its footer says {n_rows}.")
    if n_rows > _ROWS_PER_BYTE * n_content + _MANY_ROWS:
        raise InputError(
            f"{file}: a file of {n_content} bytes cannot list {n_rows} different edges. Write it again from "
            "its source."
        )
    # By row groups: asked about a column, pyarrow ends the process if its statistics are damaged.
    n_bytes = sum(abs(metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups))
    if n_bytes > _BYTES_PER_BYTE * n_content + _MANY_BYTES:
        raise InputError(
            f"{file}: a file of {n_content} bytes must not unpack to {n_bytes}. Write it again from its "
            "source."
        )
    # Unpacked pages, then positions and values and the sorting of them.
    n_columns = len(roles.text) + 1
    options.budget.check(n_bytes + n_rows * (n_columns * 8 + 100), file)


def _read(pyarrow: Any, opened: Any, roles: Roles, file: Path) -> EdgeTable:
    known: dict[str, dict[str, int]] = {role: {} for role in roles.text}
    codes: dict[str, list[NDArray[np.int64]]] = {role: [] for role in roles.text}
    values = []
    n_rows = 0
    columns = [*roles.text.values(), roles.value]
    for batch in opened.iter_batches(_BATCH, columns=columns, use_threads=False):
        for role, name in roles.text.items():
            codes[role].append(_codes(pyarrow, batch.column(name), known[role], role, n_rows, file))
        numbers = batch.column(roles.value).cast(pyarrow.float64(), safe=False)
        values.append(numbers.to_numpy(zero_copy_only=False).astype(np.float64))
        n_rows += len(batch)
        if n_rows > opened.metadata.num_rows:
            raise InputError(f"{file}: the footer must give the number of rows, but there are more.")
    if n_rows != opened.metadata.num_rows:
        raise InputError(
            f"{file}: the footer promises {opened.metadata.num_rows} rows, but there are {n_rows}. The file "
            "is damaged; write it again."
        )
    text = {role: Names(np.concatenate(codes[role]), tuple(known[role])) for role in roles.text}
    return EdgeTable(text, np.concatenate(values), lambda row: f"{file}, row {row + 1}")


def _codes(
    pyarrow: Any, column: Any, known: dict[str, int], role: str, n_before: int, file: Path
) -> NDArray[np.int64]:
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column.validate(full=True)
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        if role != "y":
            raise InputError(f"{file}, row {n_before + row + 1}: {role} must be filled in, but is null.")
    # -1 stands for a null, the last place of the table below.
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    used = np.unique(indices[indices >= 0])
    names = column.dictionary.take(pyarrow.array(used)).to_pylist()
    table = np.empty(len(column.dictionary) + 1, dtype=np.int64)
    table[used] = [known.setdefault("" if n is None else str(n).strip(), len(known)) for n in names]
    if column.null_count:
        table[-1] = known.setdefault("", len(known))
    return np.asarray(table[indices])
