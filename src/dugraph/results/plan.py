"""The plan of a test: settings, graphs and columns fixed before looking at the labels, and deviations."""

from __future__ import annotations

import datetime
import hashlib
import json
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.results.records import versions_record
from dugraph.results.schema import PlanRef
from dugraph.settings import Settings, TestSettings, option_text, read_toml, toml_line
from dugraph.significance.power import PowerResult

_COLUMNS = ("blocks", "covariates", "phenotype")  # settings that name columns of the participants
_INTRODUCTION = """\
# Plan of a test. `dugraph test COHORT --plan FILE` carries it out, and refuses other settings and graphs.
# To change the plan, write a new one.
"""


class Plan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A test that was planned.

    `cohort` is the name of the cohort file, which may be renamed; `graphs_sha256` comes from `graphs_digest`;
    `columns` has the hashes of the participants' columns that the test uses, except the labels; `settings`
    are the options of `dugraph test` that are fixed, as in config.toml, without those that are None; `power`
    is the expected effect and the power to find it, empty if none was given.
    """

    date: datetime.date
    cohort: str
    n_graphs: int
    graphs_sha256: str
    columns: dict[str, str] = {}
    settings: dict[str, str | int | float | bool]
    versions: dict[str, str]
    power: dict[str, str | int | float] = {}

    def to_toml(self) -> bytes:
        """The content of the file, with a checksum."""
        lines = [f"date = {self.date.isoformat()}"]
        lines += [toml_line(name, getattr(self, name)) for name in ("cohort", "n_graphs", "graphs_sha256")]
        lines.append(toml_line("checksum", self.checksum))
        for name in ("columns", "settings", "versions", "power"):
            if table := getattr(self, name):
                lines += ["", f"[{name}]", *(toml_line(_key(key), one) for key, one in table.items())]
        return (_INTRODUCTION + "\n".join(lines) + "\n").encode()

    @property
    def checksum(self) -> str:
        """A hash of everything else, which detects manual changes."""
        content = [self.date.isoformat(), self.cohort, self.n_graphs, self.graphs_sha256]
        tables = [sorted(table.items()) for table in (self.columns, self.settings, self.versions, self.power)]
        return hashlib.sha256(json.dumps([content, tables]).encode()).hexdigest()

    @property
    def reference(self) -> PlanRef:
        """The reference to the plan in the results of the test."""
        return PlanRef(self.date.isoformat(), self.checksum)

    @property
    def sentence(self) -> str:
        """The sentence about the plan in the message of the test."""
        return (
            f"Graphs, settings and columns are as planned on {self.date.isoformat()} (checksum of the plan "
            f"{self.checksum[:12]})."
        )


def _key(name: str) -> str:
    """A name as a key of TOML."""
    return name if name.isascii() and name.isidentifier() else json.dumps(name)


def make_plan(
    settings: Settings,
    graphs: UncertainGraphs,
    cohort: str,
    date: datetime.date,
    power: PowerResult | None = None,
) -> Plan:
    """Fix the options of a test in `settings`, for the graphs of the file `cohort`.

    `power` is that for one expected effect and the number of graphs of the cohort.
    """
    expected: dict[str, Any] = {}
    if power is not None:
        asked = power.parameters
        expected = {
            "n_edges": asked["n_edges"],
            "frequencies": option_text(asked["frequencies"]),
            "positive_share": asked["positive_share"],
            "n_graphs": int(power.n_graphs[0]),
            "power": round(float(power.power[0]), 4),
            "admitted": round(float(power.admitted[0]), 4),
        }
    return Plan(
        date=date,
        cohort=cohort,
        n_graphs=graphs.n_graphs,
        graphs_sha256=graphs_digest(graphs),
        columns=_column_digests(settings, graphs),
        settings=_fixed(settings),
        versions=versions_record(),
        power=expected,
    )


def _fixed(settings: Settings) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in TestSettings.planned()}
    return {name: option_text(value) for name, value in values.items() if value is not None}


def read_plan(path: str) -> Plan:
    """Read a plan; one that was changed by hand is refused."""
    content = read_toml(path, "written by `dugraph plan`")
    checksum = content.pop("checksum", None)
    try:
        plan = msgspec.convert(content, Plan)
        if plan.checksum == checksum:
            return plan
        what = "this one was changed afterwards: its checksum differs. "
        what += "Use the original file, or write a new plan."
    except msgspec.ValidationError as error:
        what = f"{escaped(error)}. Write it again."
    raise InputError(f"{path}: a plan must be as `dugraph plan` wrote it, but {what}")


def check_plan(plan: Plan, settings: TestSettings, graphs: UncertainGraphs) -> None:
    """Raise InputError, with every deviation, unless the test is the planned one."""
    now, found = _fixed(settings), []
    for name in TestSettings.planned():
        planned, given = plan.settings.get(name), now.get(name)
        if planned != given:
            found.append(f"  {name}: planned {shown_setting(planned)}, now {shown_setting(given)}")
    if graphs_digest(graphs) != plan.graphs_sha256:
        found.append(f"  graphs: not those of {escaped(plan.cohort)} with {plan.n_graphs:,} graphs")
    columns = _column_digests(settings, graphs)
    found += [
        f"  {escaped(abbreviate(name))}: other values in this column of the participants"
        for name in sorted(columns.keys() & plan.columns.keys())
        if columns[name] != plan.columns[name]
    ]
    if found:
        raise InputError(
            f"A test with a plan must be the one planned on {plan.date.isoformat()}, but differs from it.",
            parameter="plan",
            way_out="Carry out the plan as it is, or test without it and report the deviations.",
            details=found,
        )


def shown_setting(value: object) -> str:
    """A setting of a plan as text, for tables and messages."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else escaped(abbreviate(value))


def graphs_digest(graphs: UncertainGraphs) -> str:
    """A hash of graphs without labels and participants: probabilities, edges, nodes, layers and ids."""
    digest = hashlib.sha256()
    names = [graphs.n_graphs, graphs.node_labels, graphs.edge_layers, graphs.graph_ids]
    digest.update(json.dumps(names).encode())
    digest.update(np.ascontiguousarray(graphs.edges, dtype="<i8").tobytes())
    for row in graphs.raw_probability:
        digest.update(np.ascontiguousarray(row, dtype="<f8").tobytes())
    return digest.hexdigest()


def _column_digests(settings: Settings, graphs: UncertainGraphs) -> dict[str, str]:
    """Hashes of the columns named in the settings; columns in a condition are not covered."""
    table, named = graphs.participants or {}, list[str]()
    for option in _COLUMNS:
        given = getattr(settings, option)
        named += [given] if isinstance(given, str) else given or []
    unknown = next((name for name in named if name not in table), None)
    if unknown is not None:
        known = ", ".join(map(abbreviate, table)) or "none"
        raise InputError(
            f"A plan must name columns of the participants, but there is no {abbreviate(unknown)}. The "
            f"columns are {known}."
        )
    kept = {name: table[name] for name in named if name != getattr(settings, "phenotype", None)}
    texts = {name: json.dumps(column.tolist(), default=str) for name, column in kept.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
