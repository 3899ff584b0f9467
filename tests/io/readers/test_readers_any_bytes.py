"""Every reader against damaged files of its own layout: read or refused, with little work and memory."""

import os
import random
import re

import pytest
from fuzzing import Layout, fuzz
from layouts import LAYOUTS
from mutations import MUTATIONS

pytestmark = pytest.mark.system

# The same few cases of each in every run of the suite; ten minutes of them in a soak.
N_CASES = 8
SECONDS = float(os.environ.get("DUGRAPH_FUZZ_SECONDS") or (600 if os.environ.get("DUGRAPH_SOAK") else 0))
SEED = int(os.environ.get("DUGRAPH_FUZZ_SEED", 0))


@pytest.mark.parametrize("name", LAYOUTS)
def test_damaged_files_are_read_or_refused(tmp_path, watched, name):
    done = fuzz(Layout(name, tmp_path), watched, SEED, N_CASES, SECONDS)
    assert not done.fault, done.fault
    assert done.n_cases >= N_CASES


FAULTS = {
    "os.abort()": "ended by SIGABRT",
    "while True: pass": "it took more than 1 s",
    "int('x')": "ValueError: invalid literal for int",
    "b'x' * 200_000_000": "it took 20. MB, allowed are 6.",
    "bytes(2**40)": "MemoryError",
    "warnings.warn('x')": "UserWarning: x",
}


class Faulty:
    """Runs code in place of the third read."""

    def __init__(self, process, code):
        self.process, self.codes = process, iter(["pass", "pass", "pass", code])

    def read(self, *path, **words):
        return self.process.run(next(self.codes), strict=1.0)

    import_for = read


@pytest.mark.parametrize("code", FAULTS)
def test_the_fuzzer_sees_faults(tmp_path, watched, code):
    fault = fuzz(Layout("npy_folder", tmp_path), Faulty(watched, code), 5, 10).fault
    assert re.search(FAULTS[code], fault)
    assert fault.endswith("python tests/io/fuzzing.py npy_folder --case 5:2")


def test_a_case_is_the_same_each_time(tmp_path):
    layout = Layout("csv_folder", tmp_path)
    contents = []
    for _ in range(2):
        files, words = layout.damage("0:3")
        contents.append(({file: file.read_bytes() for file in layout.contents}, words))
        layout.mend(files)
    assert contents[0] == contents[1]
    assert contents[0][0] != layout.contents == {file: file.read_bytes() for file in layout.contents}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_mutation_takes_any_content(mutation):
    for seed in range(200):
        rng = random.Random(seed)
        content = rng.randbytes(rng.randint(1, 40))
        assert isinstance(mutation(content, rng, [content, b""]), bytes)
