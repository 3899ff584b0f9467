"""Gain of each bound and shortcut of the core: processor time without it over the time with it.

python benchmarks/ablation.py --only modes climbs        # needs cmake and `pip install nanobind`

A copy of the core is compiled in which an environment variable switches each of them off. Processes with and
without take turns, one thread each; the shortest processor time of a search counts, and lists must be equal.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nanobind
import numpy as np
from cohorts import MEASURES, SCORES, VARIANTS

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"age": 0.03, "abide": 0.03, "hiv": 0.42, "dense": 0.15, "adhd": 0.03}
"""min_expected_frequency of each cohort."""
ENUMERATION = ("frequency", None)
FEW = [ENUMERATION, VARIANTS[0], VARIANTS[7], VARIANTS[14], VARIANTS[18]]
EXPECTATION, MEDIAN, MODE, PHI = (
    [(measure, score) for score in SCORES if (measure, score) != ("expectation", "hsic")]
    for measure in MEASURES
)
# Name: the variants it serves, the file below cpp/, the text there, and what replaces it.
SWITCHES = {
    "rounded": (FEW, "walk/worker.hpp", "frame.extensions.size() >= worth_rounding", "!{off} && {text}"),
    "tables": (
        [*EXPECTATION, *MEDIAN, *PHI],
        "bounds/mass_bound.cpp",
        "if (!in_use_ || is_best()) return;",
        "if ({off}) return;\n{text}",
    ),
    "modes": (
        MODE,
        "measures/level.hpp",
        "if (!folded_) raise_by(bounds(), threshold, effort);",
        "if (!{off}) {{ {text} }}",
    ),
    "folded": ([MODE[3]], "measures/level.hpp", "bound_ == Bound::mass && !rows.certain", "!{off} && {text}"),
    "kept": (
        [*EXPECTATION, *PHI],
        "measures/average.cpp",
        "most(kept.rising + kept.falling)",
        "{off} ? infinity : {text}",
    ),
    "normal": ([PHI[0]], "measures/average.cpp", "slope_ == infinity ||", "{off} || {text}"),
    "learned": (
        [*EXPECTATION, *MEDIAN, *PHI],
        "rank/ranking.hpp",
        "if (limits_.bound == Bound::worldwise) return true;",
        "{text}\nif ({off}) return false;",
    ),
    "climbs": (
        VARIANTS,
        "rank/ranking.hpp",
        "std::clamp<std::size_t>(limits_.n_subgraphs / 2",
        "{off} ? 0 : {text}",
    ),
}

# Reads cases from stdin, one a line, and answers each with its processor time and its list.
SERVER = """
import json, sys, time, warnings
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path[:0] = sys.argv[1:3]
import cohorts, dugraph as dg
from hard_variants import dense_cohort
warnings.simplefilter("ignore")
made = {}
for line in sys.stdin:
    name, limit, time_limit, words = json.loads(line)
    if name not in made:
        made[name] = dense_cohort() if name == "dense" else next(iter(cohorts.named([name])))[1]
    begin = time.process_time()
    found = dg.mine_subgraphs(
        *made[name], min_expected_frequency=limit, n_subgraphs=100, n_jobs=1, time_limit=time_limit, **words
    )
    seconds = time.process_time() - begin
    listed = [repr(found.subgraphs), [f"{value:.12g}" for value in found.values]]
    print(json.dumps([seconds, listed, found.status.value]), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=list(SWITCHES), default=list(SWITCHES))
    parser.add_argument("--cohorts", nargs="+", choices=list(LIMITS), default=list(LIMITS))
    parser.add_argument("--time-limit", type=float, default=20, help="seconds; ratios are then lower bounds")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source = _build(Path(name))
        print("| without | geometric mean | smallest | largest | " + " | ".join(options.cohorts) + " |")
        print("|---|" + "---:|" * (3 + len(options.cohorts)))
        complete = _server(source, "")
        for switch in options.only:
            without = _server(source, switch)
            ratios = {
                cohort: _ratios(cohort, switch, complete, without, options) for cohort in options.cohorts
            }
            every = np.concatenate(list(ratios.values()))
            cells = [_mean(every), every.min(), every.max(), *map(_mean, ratios.values())]
            print(f"| {switch} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |", flush=True)
            without.terminate()
        complete.terminate()


def _build(folder: Path) -> Path:
    """Compile a copy of the core with switches; the folder from which Python imports it."""
    for part in ("cpp", "bindings", "src"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "CMakeLists.txt", folder)
    for switch, (_, file, old, new) in SWITCHES.items():
        path = folder / "cpp" / file
        text = path.read_text()
        assert text.count(old) == 1, f"{file} has changed: {old}"
        # Read once, because reading the environment costs as much as the shortcut.
        asked = f'std::getenv("DUGRAPH_ABLATE") == std::string("{switch}")'
        off = f"[] {{ static const bool off = {asked}; return off; }}()"
        switched = text.replace(old, new.format(text=old, off=off))
        path.write_text(f"#include <cstdlib>\n#include <string>\n{switched}")
    build = folder / "build"
    flags = [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-Dnanobind_DIR={nanobind.cmake_dir()}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    subprocess.run(["cmake", "-S", folder, "-B", build, *flags], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
    for module in build.glob("_core*.so"):
        shutil.copy(module, folder / "src" / "dugraph")
    return folder / "src"


def _server(source: Path, switch: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, str(Path(__file__).parent), str(source)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "DUGRAPH_ABLATE": switch},
    )


def _ratios(cohort, switch, complete, without, options):  # type: ignore[no-untyped-def]
    ratios = []
    for measure, score in SWITCHES[switch][0]:
        words = {"measure": measure, "score": score} if score else {"measure": measure, "bound": "frequency"}
        case = (cohort, LIMITS[cohort], options.time_limit, words)
        found = [(_ask(complete, case), _ask(without, case)) for _ in range(options.rounds)]
        for one, other in found:
            if other[2] == "OPTIMAL" and one[1] != other[1]:
                raise AssertionError(f"{cohort}, {measure} {score}: other lists without {switch}")
        ratios.append(min(other[0] for _, other in found) / min(one[0] for one, _ in found))
    return np.array(ratios)


def _ask(server: "subprocess.Popen[str]", case: object) -> list[object]:
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(case) + "\n")
    server.stdin.flush()
    return list(json.loads(server.stdout.readline()))


def _mean(ratios: np.ndarray) -> float:
    return float(np.exp(np.log(ratios).mean()))


if __name__ == "__main__":
    main()
