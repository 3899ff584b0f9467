"""A search that runs out of memory raises MemoryError; the process does not crash."""

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))

# Prints the status of the search, which requires that the process survives.
PROGRAM = """
import resource, sys
import numpy as np
import dugraph as dg
from dugraph.search.mining import mine_within


X, y = np.random.default_rng(0).random((40, 190)), np.arange(40) % 2
dg.mine_subgraphs(X, y, n_subgraphs=5, min_expected_frequency=0.3, n_jobs=2)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
most = used + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    result = mine_within(
        10**7, X, y, n_subgraphs=10**7, min_expected_frequency=0.01, n_jobs=int(sys.argv[2])
    )
    print(result.status.name)
except MemoryError:
    print("MemoryError")
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("megabytes", "n_jobs"), [(m, n) for m in (1, 20, 60) for n in (1, 2)] if SOAK else [(1, 2), (60, 1)]
)
def test_a_search_without_memory_ends_with_an_error(megabytes: int, n_jobs: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(megabytes), str(n_jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Threads take some megabytes for themselves.
    no_threads = "the system gives no more threads: use fewer jobs, or end other programs"
    assert done.stdout.strip() in ("MemoryError", "MEMORY_LIMIT", *([no_threads] if megabytes < 20 else []))
