"""Every reader against damaged files of its own layout: read or refused, never another error."""

import contextlib
import os
import random
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS

from dugraph import read_cohort
from dugraph.exceptions import InputError

EXAMPLES = 3000 if os.environ.get("DUGRAPH_SOAK") else 40


@st.composite
def damages(draw):
    """A function of bytes: cut, overwrite, insert, double, or replace them."""
    seed, kind = draw(st.integers(0, 2**32)), draw(st.sampled_from(["cut", "set", "put", "twice", "all"]))
    new = draw(
        st.binary(min_size=1, max_size=12) | st.sampled_from([b"\t", b"\n", b"n/a", b"1e999", b'"', b"-"])
    )

    def damage(content: bytes) -> bytes:
        i = random.Random(seed).randrange(len(content) + 1)
        return {
            "cut": content[:i],
            "set": content[:i] + new + content[i + len(new) :],
            "put": content[:i] + new + content[i:],
            "twice": content + content[i:],
            "all": new,
        }[kind]

    return damage


@pytest.mark.parametrize("name", LAYOUTS)
@given(st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_files_are_read_or_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("fuzz") / name
    folder.mkdir()
    expected = LAYOUTS[name](folder)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    file = data.draw(st.sampled_from(files))
    file.write_bytes(data.draw(damages())(file.read_bytes()))
    atlas = next(iter(folder.glob("*dseg.tsv")), None)
    words = {"values": data.draw(st.sampled_from([None, "count", "fisher_z"])), "missing": "absent"}
    words["probability"] = data.draw(st.sampled_from([None, "rank", "absolute", "largest"]))
    # Some formats bring the classes themselves.
    table = next(iter(folder.glob(expected.participants)), None)
    with contextlib.suppress(InputError):
        read_cohort(folder, atlas=atlas, participants=table, id_column=expected.id_column, **words)
    shutil.rmtree(folder)
