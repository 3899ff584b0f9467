"""`dugraph doctor`: installed packages, capabilities of this machine, and missing extras."""

import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from dugraph._version import __version__
from dugraph.cli.output import ExitCode, print_table
from dugraph.settings import DoctorSettings
from dugraph.words import EXTRAS

DESCRIPTION = """\
Show versions, compiler, instruction set, threads, memory, and which extras are missing.
Also checks the compiled core against the NumPy reference on a small cohort. The exit code is 1 if dugraph
cannot run here; a missing extra is only reported. Paste the output into bug reports."""
EXAMPLE = "  dugraph doctor"


SETTINGS = DoctorSettings

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,]+)\])?\s*(?P<limits>[^;]*)(;(?P<marker>.*))?")


class Package(NamedTuple):
    """A package that dugraph uses.

    `needed` is the lowest version declared, `installed` the one found; each may be empty.
    """

    name: str
    needed: str
    installed: str

    @property
    def suffices(self) -> bool:
        """Whether it is installed in a sufficiently recent version."""
        return bool(self.installed) and _release(self.installed) >= _release(self.needed)

    @property
    def state(self) -> str:
        """The same in a word."""
        return "ok" if self.suffices else "too old" if self.installed else "missing"


def run(_: DoctorSettings) -> int:
    """Print the machine, the packages and the extras, then any problem."""
    required = packages_of("")
    core, core_problem = _core()
    print_table(f"dugraph {__version__}", ("what", "value"), [*_machine(), *core])
    print()
    _print_packages(required)
    print()
    problems = [core_problem] if core_problem else []
    problems += [
        f"{package.name} {package.needed} or newer is needed, but {package.installed or 'none'} is installed."
        for package in required
        if not package.suffices
    ]
    for line in [*_missing_extras(), *problems]:
        print(line)
    print("dugraph cannot run on this machine." if problems else "dugraph works on this machine.")
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE


def _machine() -> list[tuple[str, str]]:
    from joblib import cpu_count

    import dugraph

    return [
        ("installed in", str(Path(dugraph.__file__).parent)),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", platform.platform()),
        ("processors", f"{cpu_count()} of {os.cpu_count()} may be used"),
    ]


def _core() -> tuple[list[tuple[str, str]], str]:
    """Facts about the compiled core, and an error message if it does not work."""
    try:
        from dugraph.search.build import agrees_with_reference, compiler, instruction_set
        from dugraph.search.limits import available_memory, total_memory
    except ImportError as error:
        return [("compiled core", "missing")], str(error)
    agrees = agrees_with_reference()
    facts = [
        ("memory", f"{available_memory() / 2**30:.1f} of {total_memory() / 2**30:.1f} GiB available"),
        ("compiled core", f"built by {compiler()}"),
        ("instruction set", instruction_set()),
        ("check", "the core agrees with the reference" if agrees else "FAILED"),
    ]
    return (
        facts,
        "" if agrees else "The compiled core and the NumPy reference disagree: please report this.",
    )


def _print_packages(required: list[Package]) -> None:
    used_by: dict[Package, list[str]] = {package: ["dugraph"] for package in required}
    for extra in EXTRAS:
        for package in packages_of(extra):
            used_by.setdefault(package, []).append(f"[{extra}]")
    rows = [
        (package.name, package.needed, package.installed or "-", package.state, ", ".join(users))
        for package, users in used_by.items()
    ]
    print_table("packages", ("package", "at least", "installed", "state", "used by"), rows)


def _missing_extras() -> list[str]:
    lines = []
    for extra, purpose in EXTRAS.items():
        lacking = [package.name for package in packages_of(extra) if not package.suffices]
        if lacking:
            lines.append(
                f"[{extra}] is incomplete ({', '.join(lacking)}). It enables {purpose}: "
                f"pip install 'dugraph[{extra}]'."
            )
    return lines


def packages_of(extra: str) -> list[Package]:
    """The packages of an extra, including those of the extras it builds on; for "", the required packages."""
    found: dict[str, Package] = {}
    for line in metadata.requires("dugraph") or ():
        match = _REQUIREMENT.match(line)
        if match is None or _extra_of(match["marker"]) != extra:
            continue
        if match["name"] == "dugraph":
            for other in match["extras"].split(","):
                found |= {package.name: package for package in packages_of(other)}
        else:
            needed = re.search(r">=\s*([\w.]+)", match["limits"])
            installed = _installed(match["name"])
            found[match["name"]] = Package(match["name"], needed[1] if needed else "", installed)
    return list(found.values())


def _extra_of(marker: str | None) -> str:
    match = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", marker or "")
    return match[1] if match else ""


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a release without trailing zeros: 2.0 is not newer than 2."""
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
