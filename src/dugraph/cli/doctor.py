"""`dugraph doctor`: installed packages, capabilities of this machine, and missing extras."""

import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from joblib import cpu_count

import dugraph
from dugraph._version import __version__
from dugraph.cli.output import ExitCode, print_table
from dugraph.settings import DoctorSettings
from dugraph.words import EXTRAS

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,]+)\])?\s*(?P<limits>[^;]*)(;(?P<marker>.*))?")


class Package(NamedTuple):
    """A package with the lowest version declared and the one installed; each may be empty."""

    name: str
    needed: str
    installed: str

    @property
    def state(self) -> str:
        """Whether it is installed in a sufficiently recent version."""
        if not self.installed:
            return "missing"
        return "ok" if _release(self.installed) >= _release(self.needed) else "too old"


def doctor(_: DoctorSettings) -> int:
    """Print the machine, the packages and the extras, then any problem."""
    required = packages_of("")
    core, problems = _core()
    machine = [
        ("installed in", str(Path(dugraph.__file__).parent)),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", platform.platform()),
        ("processors", f"{cpu_count()} of {os.cpu_count()} may be used"),
    ]
    print_table(f"dugraph {__version__}", ("what", "value"), [*machine, *core])
    print()
    used_by: dict[Package, list[str]] = {package: ["dugraph"] for package in required}
    missing = []
    for extra, purpose in EXTRAS.items():
        packages = packages_of(extra)
        for package in packages:
            used_by.setdefault(package, []).append(f"[{extra}]")
        if lacking := ", ".join(package.name for package in packages if package.state != "ok"):
            remedy = f"pip install 'dugraph[{extra}]'"
            missing.append(f"[{extra}] is incomplete ({lacking}). It enables {purpose}: {remedy}.")
    rows = [(*one[:2], one.installed or "-", one.state, ", ".join(users)) for one, users in used_by.items()]
    print_table("packages", ("package", "at least", "installed", "state", "used by"), rows)
    print()
    problems += [
        f"{package.name} {package.needed} or newer is needed, but {package.installed or 'none'} is installed."
        for package in required
        if package.state != "ok"
    ]
    for line in [*missing, *problems]:
        print(line)
    print("dugraph cannot run on this machine." if problems else "dugraph works on this machine.")
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE


def _core() -> tuple[list[tuple[str, str]], list[str]]:
    """Facts about the compiled core, and an error message if it does not work."""
    try:
        from dugraph.search.exhaustive import agrees_with_reference, compiler, instruction_set
        from dugraph.search.limits import available_memory, total_memory
    except ImportError as error:
        return [("compiled core", "missing")], [str(error)]
    agrees = agrees_with_reference()
    facts = [
        ("memory", f"{available_memory() / 2**30:.1f} of {total_memory() / 2**30:.1f} GiB available"),
        ("compiled core", f"built by {compiler()}"),
        ("instruction set", instruction_set()),
        ("check", "the core agrees with the reference" if agrees else "FAILED"),
    ]
    problem = "The compiled core and the NumPy reference disagree: please report this."
    return facts, [] if agrees else [problem]


def packages_of(extra: str) -> list[Package]:
    """The packages of an extra, including those of the extras it builds on; for "", the required packages."""
    found: dict[str, Package] = {}
    for line in metadata.requires("dugraph") or ():
        match = _REQUIREMENT.match(line)
        if match is None or _first(r"extra\s*==\s*['\"]([\w-]+)['\"]", match["marker"] or "") != extra:
            continue
        name = match["name"]
        if name == "dugraph":
            for other in match["extras"].split(","):
                found |= {package.name: package for package in packages_of(other)}
        else:
            found[name] = Package(name, _first(r">=\s*([\w.]+)", match["limits"]), _installed(name))
    return list(found.values())


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a release without trailing zeros: 2.0 is not newer than 2."""
    numbers = [int(number) for number in _first(r"^(\d+(?:\.\d+)*)", version).split(".") if number]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
