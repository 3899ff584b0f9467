"""Checks before a file is read: its size, the memory that it may take, and whether its bytes are text."""

from __future__ import annotations

import os
import reprlib
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from dugraph.data.arguments import abbreviate, is_real
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import MAX_BYTES

MAX_NAME = 1_000
"""Characters of a region name or a subject id; longer ones come from damaged files."""

# First bytes of files with tables that are not text -> what they are, and the way out.
_NO_TEXT = {
    b"PK\3\4": ("an Excel workbook (.xlsx) or a zip archive", "Export the table as CSV, or unpack it."),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook (.xls)", "Export the table as CSV."),
    b"\x1f\x8b": ("compressed with gzip", "Unpack it first."),
}


@dataclass
class MemoryBudget:
    """The memory that one run may take, in bytes; sizes are checked before memory is allocated."""

    max_memory: int = MAX_BYTES
    claimed: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        limit = self.max_memory
        if not is_real(limit) or not limit > 0:
            raise InputError(
                f"max_memory must be a positive number of bytes, but is {reprlib.repr(limit)}.",
                parameter="max_memory",
            )

    def claim(self, n_bytes: int, what: object) -> None:
        """Count bytes that stay in memory until the cohort is made, or refuse them."""
        self.check(n_bytes, what)
        self.claimed += n_bytes

    def check(self, n_bytes: int, what: object) -> None:
        """Refuse bytes beyond the limit, without counting them: they are freed soon."""
        if self.claimed + n_bytes > self.max_memory:
            raise InputError(
                f"{what}: everything that is read must take at most {self.max_memory} bytes, but with this "
                f"it would take {self.claimed + n_bytes}.",
                parameter="max_memory",
                way_out=("Raise ", Setting("max_memory"), " if the files can be trusted."),
            )

    def check_files(self, files: Iterable[Path]) -> None:
        """Refuse files whose sizes together go beyond the limit."""
        total = 0
        for file in files:
            total += file_size(file)
            self.check(total, file)


def file_size(file: Path) -> int:
    """Return the size of an ordinary file; pipes and devices, which would block a reader, are refused."""
    try:
        found = os.stat(file)
    except FileNotFoundError as error:
        raise InputError(f"{file}: there is no such file. Check the path.") from error
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{file}: must be an ordinary file, but it is a folder, a pipe or a device.")
    return found.st_size


def file_head(file: Path, n_bytes: int) -> bytes | None:
    """Return the first bytes of a file; None if it is not an ordinary file or cannot be read."""
    try:
        if not file.is_file():
            return None
        with open(file, "rb") as stream:
            return stream.read(n_bytes)
    except OSError:
        return None


def read_bytes(file: Path, budget: MemoryBudget) -> bytes:
    """Read a whole file whose size fits the budget."""
    size = file_size(file)
    budget.check(size, file)
    with open(file, "rb") as stream:
        # One byte more, to notice a file that grows.
        content = stream.read(size + 1)
    if len(content) != size:
        raise InputError(f"{file}: the file changed while it was read. Wait until it is written.")
    return content


def read_text(file: Path, budget: MemoryBudget) -> bytes:
    """Read a file that must be UTF-8 text, not empty and without NUL, and drop its byte order mark."""
    content = read_bytes(file, budget)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            f"{file}: text must be UTF-8, but it begins with the bytes {content[:2].hex(' ')}, the mark of "
            "UTF-16. Save it as UTF-8."
        )
    for beginning, (what, way) in _NO_TEXT.items():
        if content.startswith(beginning):
            raise InputError(f"{file}: a table must be text, but this is {what}. {way}")
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content or content.isspace():
        raise InputError(f"{file}: the file must hold a table, but it is empty. Write or copy it again.")
    nul = content.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{file}, line {line_of(content, nul)}: text must not contain NUL bytes, so it is not text or "
            "is damaged. Copy it again, or save it as UTF-8."
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file}, line {line_of(content, error.start)}: text must be UTF-8, but it holds the byte "
            f"{content[error.start]:#04x} (Latin-1 or another encoding). Save it as UTF-8."
        ) from error
    return content


def line_of(content: bytes, position: int) -> int:
    """Return the line, counted from 1, that contains a byte."""
    before = content[:position]
    # Windows ends count once; the line ends of old Macs count too.
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def check_length(name: str, file: object, what: str) -> str:
    """Refuse a name that is too long, which comes from a damaged file."""
    if len(name) > MAX_NAME:
        raise InputError(
            f"{file}: a {what} may have {MAX_NAME} characters, but one has {len(name)}: {abbreviate(name)}. "
            "Shorten it, or copy the file again if it is damaged."
        )
    return name


@contextmanager
def intact(file: Path, what: str) -> Iterator[None]:
    """Turn any exception that a library raises for damaged content into an InputError."""
    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(
            f"{file}: must be an intact {what} that fits into memory, but it declares more. Copy or "
            "write it again, or use a machine with more memory."
        ) from error
    except Exception as error:
        # The message may quote the bytes.
        text = (str(error) or type(error).__name__)[:200]
        raise InputError(
            f"{file}: must be an intact {what}, but it is damaged, truncated or in another format "
            f"({text if text.isprintable() else repr(text)}). Copy or write it again."
        ) from error


def library(name: str) -> Any:
    """Import a library of the extra ``io``, or say how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"Reading this needs {name.partition('.')[0]}, which is not installed: pip install 'dugraph[io]'."
        ) from error
