"""Two versions of dugraph side by side: the same searches and tests in turn, and ratios of their times.

python benchmarks/versions.py OTHER/.venv/bin/python --rounds 3

OTHER is a checkout of another version with its own environment (`git worktree add OTHER v0.1.0`, then
`make -C OTHER demo`). One thread; processor time, the shortest of all rounds. Ratios above 1 mean that this
version is slower. The lists must be the same, with values that agree to 1e-12.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from cohorts import VARIANTS

LIMITS = {"hiv": 0.42, "age": 0.03, "abide": 0.03, "schizo": 0.01, "adhd": 0.03}
"""min_expected_frequency of the searches in each cohort."""
STATISTICS = ("z", "difference", "t")
TESTED = {"age": 0.1, "abide": 0.05, "adhd": 0.1}
"""min_expected_frequency of the tests in each cohort."""

# Reads cases from stdin, one per line, and answers each with its processor time and its list.
SERVER = """
import json, sys, time, warnings
sys.path.insert(0, sys.argv[1])
import cohorts, dugraph as dg
warnings.simplefilter("ignore")
made = {}
for line in sys.stdin:
    name, function, words = json.loads(line)
    if name not in made:
        made[name] = next(iter(cohorts.named([name])))[1]
    began = time.process_time()
    if function == "mine":
        result = dg.mine_subgraphs(*made[name], n_jobs=1, n_subgraphs=100, **words)
        values = [float(value) for value in result.values]
    else:
        result = dg.significant_subgraphs(*made[name], n_jobs=1, n_permutations=399, **words)
        values = [float(value) for value in result.statistics]
    seconds = time.process_time() - began
    print(json.dumps([seconds, [list(map(int, g)) for g in result.subgraphs], values]), flush=True)
"""


def cases() -> dict[str, tuple[str, str, dict[str, object]]]:
    """Name of each case: the cohort, the function and its arguments."""
    searches = {
        f"{cohort} {limit}, {measure} {score}": (
            cohort,
            "mine",
            {"measure": measure, "score": score, "min_expected_frequency": limit},
        )
        for cohort, limit in LIMITS.items()
        for measure, score in VARIANTS
    }
    tests = {
        f"test, {cohort} {limit}, {statistic}": (
            cohort,
            "test",
            {"statistic": statistic, "min_expected_frequency": limit},
        )
        for cohort, limit in TESTED.items()
        for statistic in STATISTICS
    }
    return searches | tests


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="Python of the other version's environment")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each case; the shortest counts")
    parser.add_argument("--only", default="", help="cases whose names contain this text")
    options = parser.parse_args()
    servers = [_server(options.other), _server(Path(sys.executable))]
    print("| case | other s | this s | this / other | same list | values differ by |")
    print("|---|---:|---:|---:|---|---:|")
    ratios: dict[str, list[float]] = {"mine": [], "test": []}
    n_differ = 0
    for name, case in cases().items():
        if options.only not in name:
            continue
        times: list[list[float]] = [[], []]
        for _ in range(options.rounds):
            answers = [_ask(server, case) for server in servers]
            for k, answer in enumerate(answers):
                times[k].append(answer[0])
        same, difference = _compare(answers[0][1:], answers[1][1:])
        n_differ += not same
        other, this = min(times[0]), min(times[1])
        ratios[case[1]].append(this / other)
        word = "yes" if same else "NO"
        print(
            f"| {name} | {other:.3f} | {this:.3f} | {this / other:.2f} | {word} | {difference:.0e} |",
            flush=True,
        )
    for function, found in ratios.items():
        if found:
            mean = np.exp(np.log(found).mean())
            print(f"\n{function}: {len(found)} cases, geometric mean {mean:.3f}, largest {max(found):.2f}")
    print(f"lists that differ: {n_differ}")


def _compare(one: list[list[float]], two: list[list[float]]) -> tuple[bool, float]:
    """Whether two answers list the same subgraphs in the same order; their largest relative difference."""
    if one[0] != two[0]:
        return False, float("nan")
    a, b = np.array(one[1]), np.array(two[1])
    difference = float((np.abs(a - b) / np.maximum(np.abs(a), 1e-300)).max(initial=0)) if len(a) else 0.0
    return difference <= 1e-12, difference


def _server(python: Path) -> "subprocess.Popen[str]":
    # The absolute path of the link, not of its target: an environment is found by its link.
    return subprocess.Popen(
        [str(python.absolute()), "-c", SERVER, str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(server: "subprocess.Popen[str]", case: object) -> list:
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(case) + "\n")
    server.stdin.flush()
    return list(json.loads(server.stdout.readline()))


if __name__ == "__main__":
    main()
