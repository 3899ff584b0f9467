"""What is installed alongside dugraph, read from its metadata: names, versions, and whether they suffice."""

import re
from importlib import metadata
from typing import NamedTuple

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,]+)\])?\s*(?P<limits>[^;]*)(;(?P<marker>.*))?")


class Package(NamedTuple):
    """A package that dugraph uses.

    `needed` is the lowest version declared, `installed` the one found; each is "" where there is none.
    """

    name: str
    needed: str
    installed: str

    @property
    def suffices(self) -> bool:
        """Whether it is there, in a version that is new enough."""
        return bool(self.installed) and _release(self.installed) >= _release(self.needed)

    @property
    def state(self) -> str:
        """The same in a word."""
        return "ok" if self.suffices else "too old" if self.installed else "missing"


def required_packages() -> list[Package]:
    """What dugraph cannot do without."""
    return _packages("")


def packages_of_extra(extra: str) -> list[Package]:
    """What an extra installs, with what the extras that it builds on install."""
    return _packages(extra)


def _packages(extra: str) -> list[Package]:
    found: dict[str, Package] = {}
    for line in metadata.requires("dugraph") or ():
        match = _REQUIREMENT.match(line)
        if match is None or _extra_of(match["marker"]) != extra:
            continue
        if match["name"] == "dugraph":
            for other in match["extras"].split(","):
                found |= {package.name: package for package in _packages(other)}
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
    """The numbers of a release, without its zeros at the end: 2.0 is not newer than 2."""
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
