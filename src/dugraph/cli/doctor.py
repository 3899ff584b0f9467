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
    machine = [
        ("installed in", str(Path(dugraph.__file__).parent)),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", platform.platform()),
        ("processors", f"{cpu_count()} of {os.cpu_count()} may be used"),
    ]
    problems = []
    try:
        from dugraph.search.exhaustive import agrees_with_reference, compiler, instruction_set
        from dugraph.search.limits import available_memory, total_memory
    except ImportError as error:
        machine.append(("compiled core", "missing"))
        problems.append(str(error))
    else:
        agrees = agrees_with_reference()
        if not agrees:
            problems.append("The compiled core and the NumPy reference disagree: please report this.")
        machine += [
            ("memory", f"{available_memory() / 2**30:.1f} of {total_memory() / 2**30:.1f} GiB available"),
            ("compiled core", f"built by {compiler()}"),
            ("instruction set", instruction_set()),
            ("check", "the core agrees with the reference" if agrees else "FAILED"),
        ]
    print_table(f"dugraph {__version__}", ("what", "value"), machine)
    print()
    users: dict[Package, list[str]] = {}
    missing = []
    for extra, purpose in {"": "", **EXTRAS}.items():
        packages = packages_of(extra)
        for one in packages:
            users.setdefault(one, []).append(f"[{extra}]" if extra else "dugraph")
        lacking = [one for one in packages if one.state != "ok"]
        if extra and lacking:
            names = ", ".join(one.name for one in lacking)
            remedy = f"It enables {purpose}: pip install 'dugraph[{extra}]'."
            missing.append(f"[{extra}] is incomplete ({names}). {remedy}")
        elif lacking:
            problems += [
                f"{one.name} {one.needed} or newer is needed, but {one.installed or 'none'} is installed."
                for one in lacking
            ]
    rows = [(*one[:2], one.installed or "-", one.state, ", ".join(by)) for one, by in users.items()]
    print_table("packages", ("package", "at least", "installed", "state", "used by"), rows)
    print()
    for line in [*missing, *problems]:
        print(line)
    print("dugraph cannot run on this machine." if problems else "dugraph works on this machine.")
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE


def packages_of(extra: str) -> list[Package]:
    """The packages of an extra, including those of the extras it builds on; for "", the required packages."""
    found: dict[str, Package] = {}
    for line in metadata.requires("dugraph") or ():
        requirement, _, marker = line.partition(";")
        if _first(r"extra\s*==\s*['\"]([\w-]+)['\"]", marker) != extra:
            continue
        name = _first(r"([\w.-]+)", requirement)
        if name == "dugraph":
            for other in _first(r"\[([\w,]+)\]", requirement).split(","):
                found |= {package.name: package for package in packages_of(other)}
            continue
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = ""
        found[name] = Package(name, _first(r">=\s*([\w.]+)", requirement), installed)
    return list(found.values())


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a release without trailing zeros: 2.0 is not newer than 2."""
    release = re.sub(r"(\.0+)+$", "", _first(r"^([\d.]*)", version))
    return tuple(int(number) for number in release.split(".") if number)
