"""`dugraph doctor`: the machine, and what is missing with the way to get it."""

import builtins
import re
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from dugraph.cli import doctor, main
from dugraph.cli.doctor import Package, packages_of
from dugraph.search import exhaustive
from dugraph.words import EXTRAS

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
OF_DEVELOPERS = {"all", "dev", "docs", "bench"}


def test_a_sound_installation(capsys):
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("dugraph works on this machine.\n")
    assert np.__version__ in shown
    assert exhaustive.compiler() in shown
    assert re.search(r"instruction set +(AVX-512|AVX2|SSE2|baseline)\n", shown)
    assert "the core agrees with the reference" in shown
    assert re.search(r"memory +[\d.]+ of [\d.]+ GiB available", shown)


def test_the_instruction_set_is_one_that_the_processor_has():
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    needed = {"AVX-512": "avx512f", "AVX2": "avx2"}.get(exhaustive.instruction_set(), "")
    assert needed in flags


def test_requirements_are_those_that_are_declared():
    lowest = dict(re.findall(r"([\w-]+)>=([\d.]+)", line)[0] for line in PROJECT["dependencies"])
    assert {package.name: package.needed for package in packages_of("")} == lowest
    assert all(package.state == "ok" for package in packages_of(""))


def test_every_extra_for_users_is_explained():
    assert set(PROJECT["optional-dependencies"]) - OF_DEVELOPERS == set(EXTRAS)
    names = {package.name for package in packages_of("report")}
    assert {"matplotlib", "nilearn"} <= names  # with those of the extra that it builds on


@pytest.mark.parametrize(
    ("needed", "installed", "state"),
    [
        ("1.26", "1.26.0", "ok"),
        ("2.0", "2", "ok"),
        ("1.9", "1.10rc1", "ok"),
        ("1.26", "1.9", "too old"),
        ("3", "", "missing"),
        ("", "0.1", "ok"),
    ],
)
def test_versions_are_compared_by_their_numbers(needed, installed, state):
    assert Package("x", needed, installed).state == state


def test_a_missing_extra_is_named_with_what_it_enables(monkeypatch, capsys):
    found = metadata.version

    def version(name):
        if name == "rich":
            raise metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(doctor.metadata, "version", version)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert (
        "[cli] is incomplete (rich). It enables progress bars and coloured tables in a terminal: "
        "pip install 'dugraph[cli]'.\n" in shown
    )
    assert re.search(r"rich +13.7 +- +missing +\[cli\]", shown)


def test_a_required_package_that_is_too_old_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "packages_of", lambda extra: [] if extra else [Package("numpy", "99", "2.0")])
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert (
        "numpy 99 or newer is needed, but 2.0 is installed.\ndugraph cannot run on this machine.\n" in shown
    )


def test_a_core_that_cannot_be_loaded_is_an_error(monkeypatch, capsys):
    load = builtins.__import__

    def broken(name, *more):
        if name == "dugraph.search.exhaustive":
            raise ImportError("no core")
        return load(name, *more)

    monkeypatch.setattr(builtins, "__import__", broken)
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "no core\ndugraph cannot run on this machine.\n" in shown


def test_a_core_that_disagrees_with_the_reference_is_an_error(monkeypatch, capsys):
    right = exhaustive.enumerate_subgraphs

    def wrong(*data, **settings):
        subgraphs, values = right(*data, **settings)
        return subgraphs, values * (1 + 1e-9)

    monkeypatch.setattr(exhaustive, "enumerate_subgraphs", wrong)
    assert main(["doctor"]) == 1
    assert "disagree: please report this.\ndugraph cannot run on this machine.\n" in capsys.readouterr().out
