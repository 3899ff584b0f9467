"""Two versions of dugraph side by side: the same searches, taking turns, and the ratios of their times.

python benchmarks/versions.py OTHER/.venv/bin/python --rounds 3

OTHER is a checkout of another version with its own environment (`git worktree add OTHER v0.1.0`, then
`make -C OTHER demo`). Ratios above 1 mean that this version is faster; the lists found must be the same.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

CASES = {
    "enumeration, age 0.05": ("age", {"measure": "frequency", "bound": "frequency"}, 0.05, 1),
    "enumeration, age 0.03, 2 threads": ("age", {"measure": "frequency", "bound": "frequency"}, 0.03, 2),
    "enumeration, abide 0.05": ("abide", {"measure": "frequency", "bound": "frequency"}, 0.05, 1),
}
VARIANTS = [
    (measure, score)
    for measure in ("expectation", "median", "mode", "phi_probability")
    for score in ("confidence", "frequency_ratio", "g_test", "hsic", "information_gain")
]
for measure, score in VARIANTS:
    CASES[f"age 0.02, {measure} {score}, 2 threads"] = ("age", {"measure": measure, "score": score}, 0.02, 2)
for measure, score in VARIANTS:
    CASES[f"abide 0.05, {measure} {score}"] = ("abide", {"measure": measure, "score": score}, 0.05, 1)

# Reads cases from stdin, one a line, and answers each with its time and a digest of the list.
SERVER = """
import hashlib, json, sys, warnings
sys.path.insert(0, sys.argv[1])
import cohorts, dugraph as dg
warnings.simplefilter("ignore")
made = {}
for line in sys.stdin:
    name, words, limit, n_jobs = json.loads(line)
    if name not in made:
        made[name] = next(iter(cohorts.named([name])))[1]
    X, y = made[name]
    result = dg.mine_subgraphs(X, y, min_expected_frequency=limit, n_jobs=n_jobs, n_subgraphs=100, **words)
    values = [f"{value:.12g}" for value in result.values]  # versions may add up in another order
    digest = hashlib.sha256(repr((result.subgraphs, values)).encode()).hexdigest()
    print(json.dumps([result.seconds, digest, result.status.value]), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="Python of the other version's environment")
    parser.add_argument("--rounds", type=int, default=3, help="the shortest time of so many counts")
    parser.add_argument("--only", default="", help="cases whose names hold this text")
    options = parser.parse_args()
    servers = [_server(options.other), _server(Path(sys.executable))]
    print("| search | other s | this s | other / this | same list |")
    print("|---|---:|---:|---:|---|")
    ratios = []
    for name, case in CASES.items():
        if options.only not in name:
            continue
        times: list[list[float]] = [[], []]
        digests = set()
        for _ in range(options.rounds):
            for k, server in enumerate(servers):
                seconds, digest, _ = _ask(server, case)
                times[k].append(seconds)
                digests.add(digest)
        other, this = min(times[0]), min(times[1])
        ratios.append(other / this)
        same = "yes" if len(digests) == 1 else "NO"
        print(f"| {name} | {other:.3f} | {this:.3f} | {ratios[-1]:.2f} | {same} |", flush=True)
    print(f"\ngeometric mean {np.exp(np.log(ratios).mean()):.2f}, smallest {min(ratios):.2f}")


def _server(python: Path) -> "subprocess.Popen[str]":
    # The absolute path of the link, not of what it points to: an environment is known by its link.
    return subprocess.Popen(
        [str(python.absolute()), "-c", SERVER, str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(server: "subprocess.Popen[str]", case: object) -> list[object]:
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(case) + "\n")
    server.stdin.flush()
    return list(json.loads(server.stdout.readline()))


if __name__ == "__main__":
    main()
