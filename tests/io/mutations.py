"""Ways to damage a file as accidents and attackers do; each takes and gives bytes."""

import random
import re
import zlib
from collections.abc import Callable, Sequence

FRAGMENTS = (
    *(b"\0", b"\t", b"\n", b"\r\n", b"\r", b'"', b",", b";", b" ", b"#", b"n/a", b"nan", b"inf", b"-"),
    *(b"../../x", b"<script>alert(1)</script>", b"=cmd|' /C calc'!A0", "\u202e".encode(), "\u0661".encode()),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b'<!DOCTYPE a [<!ENTITY b "c">]>', b"&b;", b"</graph>", b"<graph>", b"<port/>", b"]]>", b"<!--"),
    *(b"A" * 20_000, b"\t" * 5_000, b",\n" * 5_000, b"\n" * 5_000, b"<" * 5_000, b'"' * 5_001, b"9" * 5_000),
)
NUMBERS = (
    *(b"0", b"-1", b"1", b"2", b"1e999", b"-1e999", b"1e-999", b"nan", b"0x10", b"1_0", b"--1", b"1.2.3"),
    *(b"2147483648", b"-2147483649", b"18446744073709551616", b"1" * 400, "\u0663".encode(), b"1,5"),
)
SIZES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
_NUMBER = re.compile(rb"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")

Mutation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def flip_bits(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Turn over one to eight bits."""
    damaged = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def cut(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """End early, begin late, or lack a piece."""
    i, j = sorted(rng.choices(range(len(content) + 1), k=2))
    return rng.choice([content[:i], content[i:], content[:i] + content[j:]])


def repeat(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have a piece several times."""
    i, j = sorted(rng.choices(range(len(content) + 1), k=2))
    return content[:j] + content[i:j] * rng.choice([1, 1, 2, 20]) + content[j:]


def splice(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have a piece of another file, inserted or written over."""
    other = rng.choice(others)
    a, b = sorted(rng.choices(range(len(other) + 1), k=2))
    i = rng.randrange(len(content) + 1)
    return content[:i] + other[a:b] + content[i + rng.choice([0, b - a]) :]


def insert(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have a hostile fragment inserted, written over, or alone."""
    new, i = rng.choice(FRAGMENTS), rng.randrange(len(content) + 1)
    return rng.choice([content[:i] + new + content[i:], content[:i] + new + content[i + len(new) :], new])


def change_number(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have another number in a text."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return insert(content, rng, others)
    one = rng.choice(found)
    return content[: one.start()] + rng.choice(NUMBERS) + content[one.end() :]


def change_size(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have another number in binary: lengths, offsets and dimensions lie at even places."""
    width = rng.choice([1, 2, 4, 8])
    value = rng.choice(SIZES) % 2 ** (8 * width)
    i = rng.randrange(len(content)) // width * width
    new = value.to_bytes(width, rng.choice(["little", "big"]))
    return content[:i] + new + content[i + width :]


def change_lines(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Have a line twice, not at all, elsewhere, or with other ends."""
    lines = content.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        lines.insert(j, lines[i])
    elif kind == 1:
        del lines[i]
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        return content.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b" \n"]))
    return b"".join(lines)


def change_packed(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Damage what is packed by zlib and pack it again, with the length before it as MATLAB has it."""
    starts = [i for i in range(len(content) - 1) if content[i : i + 2] in (b"\x78\x9c", b"\x78\x5e")]
    if not starts:
        return flip_bits(content, rng, others)
    i, stream = rng.choice(starts), zlib.decompressobj()
    try:
        plain = stream.decompress(content[i:])
    except zlib.error:
        return flip_bits(content, rng, others)
    if not plain:
        return flip_bits(content, rng, others)
    small = zlib.compress(rng.choice([flip_bits, cut, change_size, repeat])(plain, rng, others))
    end = len(content) - len(stream.unused_data)
    length = content[i - 4 : i]
    if length == (end - i).to_bytes(4, "little"):
        length = len(small).to_bytes(4, "little")
    return content[: max(i - 4, 0)] + length + small + content[end:]


MUTATIONS: tuple[Mutation, ...] = (
    *(flip_bits, cut, repeat, splice, insert, change_number, change_size, change_lines, change_packed),
)


def damaged(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Damage a file in one to three ways; pieces are taken from other files."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if content:
            content = rng.choice(MUTATIONS)(content, rng, others)
    return content
