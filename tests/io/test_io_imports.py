"""`dugraph.io` loads its rooms when they are used."""

import subprocess
import sys

import pytest

import dugraph.io

pytestmark = pytest.mark.system


def test_a_word_is_checked_without_readers_and_scikit_learn():
    code = """
import sys
from dugraph.io.writers import check_table_format

check_table_format("csv")
print(sorted(n for n in sys.modules if n == "sklearn" or n.startswith("dugraph.io.") and "writers" not in n))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_the_public_names_are_there():
    assert all(callable(getattr(dugraph.io, name)) for name in dugraph.io.__all__)
    with pytest.raises(AttributeError, match=r"'dugraph\.io' has no attribute 'nothing'"):
        _ = dugraph.io.nothing
