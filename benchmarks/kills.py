"""Kill a running evaluation with SIGKILL at random instants, resume it, and compare the bytes.

python benchmarks/kills.py age --n-kills 5 --n-splits 20 --n-jobs 2
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).with_name("experiments.py")
COMPARED = ("results.csv", "table.csv", "table.md", "table.tex", "evaluation.json")


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Begin an evaluation in a process group of its own, so that its workers can be killed with it."""
    command = [sys.executable, str(SCRIPT), *arguments, "-o", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cohort")
    parser.add_argument("--n-kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options, more = parser.parse_known_args()
    arguments = [options.cohort, *more]
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = Path(scratch) / "whole", Path(scratch) / "killed"
        begin = time.perf_counter()
        if start(whole, arguments).wait() != 0:
            raise SystemExit("the whole run failed")
        seconds = time.perf_counter() - begin
        print(f"whole run: {seconds:.0f} s")
        for _ in range(options.n_kills):
            process = start(killed, arguments)
            time.sleep(rng.uniform(0, seconds / options.n_kills))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            print(f"killed with {len(list(killed.glob('*/cache/cells/[!.]*.json')))} cells on disk")
        if start(killed, arguments).wait() != 0:
            raise SystemExit("the run that was taken up failed")
        for name in COMPARED:
            same = (whole / options.cohort / name).read_bytes() == (
                killed / options.cohort / name
            ).read_bytes()
            print(f"{name}: {'same bytes' if same else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
