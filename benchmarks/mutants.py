"""Do the tests notice slips? Each slip of slips.txt is made in a copy of the project, and tests run there.

python benchmarks/mutants.py [NAME ...] [--keep FOLDER]

Without names all slips. The core's tests are built at -O1 for one instruction set, then again for each slip
in C++; one in a header that everything includes takes a minute. With --keep the copy stays, so that the next
run begins with what is built. Slips that no test noticed are counted at the end, and make the exit code 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# In every Python that the tests start: the finder of an editable installation would answer before the path.
ALL_PROCESSES = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
"""
PYTEST = ("-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", "system or not system")


class Slip(NamedTuple):
    """A possible mistake: a text that occurs once in a file, and its replacement.

    `tests` are test files in Python; slips in C++ are checked by the core's own tests.
    """

    name: str
    file: str
    tests: list[str]
    old: str
    new: str


def read_slips() -> list[Slip]:
    text = Path(__file__).with_name("slips.txt").read_text(encoding="utf-8")
    slips = []
    for block in text.split("\n\n"):
        if block.startswith("#"):
            continue
        head, old, new = block.strip("\n").split("\n")
        name, file, *tests = head.split()
        slips.append(Slip(name, file, tests, old[2:], new[2:]))
    return slips


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="slips to make (default: all)")
    parser.add_argument("--keep", type=Path, help="folder for the copy, which stays")
    options = parser.parse_args()
    chosen = [slip for slip in read_slips() if not options.names or slip.name in options.names]
    if missing := {*options.names} - {slip.name for slip in chosen}:
        parser.error(f"no such slip: {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory() as folder:
        home = (options.keep or Path(folder)).absolute()
        core = [slip for slip in chosen if not slip.tests]
        survivors = (
            [slip.name for slip in core if not noticed_by_core(home, slip)] if core_works(home, core) else []
        )
        survivors += [slip.name for slip in chosen if slip.tests and not noticed_by_pytest(home, slip)]
    print(f"{len(chosen)} slips, {len(survivors)} not noticed: {', '.join(survivors) or 'none'}")
    sys.exit(bool(survivors))


def core_works(home: Path, core: list[Slip]) -> bool:
    """Copy and build the core and its tests, which must pass without a slip."""
    if not core:
        return False
    shutil.copytree(ROOT / "cpp", home / "cpp", dirs_exist_ok=True, copy_function=copy_if_other)
    build = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    write_if_other(home / "CMakeLists.txt", build.replace(" -O3 ", " -O1 -DDUGRAPH_NO_CLONES "))
    run("cmake", "-S", str(home), "-B", str(home / "build"), "-DDUGRAPH_CORE_TESTS=ON")
    if told := failure_of_core(home):
        sys.exit(f"The core's tests fail without any slip: {told}")
    return True


def copy_if_other(source: str, target: str) -> None:
    """Copy a file unless it exists: the build goes by modification times."""
    write_if_other(Path(target), Path(source).read_text(encoding="utf-8"))


def write_if_other(target: Path, text: str) -> None:
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def failure_of_core(home: Path) -> str:
    """Output of the core's tests or of the compiler; empty if they pass."""
    built = run("cmake", "--build", str(home / "build"), "--parallel", str(os.cpu_count()))
    if built.returncode:
        return "does not compile: " + next(
            (line for line in built.stdout.splitlines() if "error" in line), ""
        )
    try:
        done = run(str(home / "build" / "core_tests"), seconds=600)
    except subprocess.TimeoutExpired:
        return "does not end"
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    return (failed[0] if failed else f"ended with {done.returncode}") if done.returncode else ""


def noticed_by_core(home: Path, slip: Slip) -> bool:
    place = home / slip.file
    right = place.read_text(encoding="utf-8")
    place.write_text(slipped(slip, right), encoding="utf-8")
    try:
        return told(slip, failure_of_core(home))
    finally:
        place.write_text(right, encoding="utf-8")


def noticed_by_pytest(home: Path, slip: Slip) -> bool:
    import dugraph
    from dugraph import _core

    package = home / "python" / "dugraph"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(Path(dugraph.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_core.__file__, package)
    place = package.parent / Path(slip.file).relative_to("src")
    place.write_text(slipped(slip, place.read_text(encoding="utf-8")), encoding="utf-8")
    (package.parent / "sitecustomize.py").write_text(ALL_PROCESSES, encoding="utf-8")
    found = run(sys.executable, "-c", "import dugraph; print(dugraph.__file__)", path=package.parent)
    assert Path(found.stdout.strip()).parent == package, found
    done = run(sys.executable, *PYTEST, *slip.tests, path=package.parent)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    if done.returncode not in (0, 1) or (done.returncode == 1 and not failed):
        sys.exit(
            f"{slip.name}: pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return told(slip, failed[0] if failed else "")


def slipped(slip: Slip, text: str) -> str:
    if text.count(slip.old) != 1:
        sys.exit(f"{slip.name}: {slip.file} has {text.count(slip.old)} times, not once: {slip.old}")
    return text.replace(slip.old, slip.new)


def told(slip: Slip, failure: str) -> bool:
    print(f"{slip.name:22} {'noticed' if failure else 'NOT NOTICED':12} {failure[:150]}", flush=True)
    return bool(failure)


def run(
    *command: str, path: Path | None = None, seconds: float | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command in the project's folder; with a path, Python looks for packages there first."""
    environment = os.environ | ({} if path is None else {"PYTHONPATH": str(path)})
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment, timeout=seconds
    )


if __name__ == "__main__":
    main()
