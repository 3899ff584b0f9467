"""The outline of a GraphML document, checked while defusedxml parses it, before networkx may see it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import library, line_of

_DEEPEST = 50
# The graphs of connectomics have thousands of nodes; beyond these a file is damaged or hostile.
_MOST_NODES = 20_000
_LONGEST_TAG = 65_536
_LONG_TAG = re.compile(rb"<[^<>]{%d}" % _LONGEST_TAG)


class Outline:
    """What networkx would pass over in silence is refused here: things twice, nested graphs, ports.

    Attributes
    ----------
    nodes : set of str
        Ids of the nodes.
    n_edges : int
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.nodes: set[str] = set()
        self.n_edges = 0
        self._directions: set[tuple[str, str]] = set()
        self._n_graphs = 0
        self._path: list[str] = []
        self._keys: set[tuple[str, ...]] = set()
        self._data: set[str] = set()
        self._parser: Any = None

    @property
    def both_ways(self) -> bool:
        """Whether every edge is listed once in each direction."""
        pairs = self._directions
        return len(pairs) == self.n_edges > 0 and all((v, u) in pairs for u, v in pairs)

    @classmethod
    def of(cls, file: Path, content: bytes) -> Outline:
        """Parse a document; entities, DTDs and external references are refused before they are read."""
        etree = library("defusedxml.ElementTree")
        outline = cls(file)
        if found := _LONG_TAG.search(content):
            line = line_of(content, found.start())
            raise InputError(
                f"{file}, line {line}: a tag may have {_LONGEST_TAG} bytes, but one has more. Copy or write "
                "the file again."
            )
        parser = etree.XMLParser(target=outline, forbid_dtd=True)
        outline._parser = parser.parser
        try:
            parser.feed(content)
            parser.close()
        except InputError:
            raise
        except library("defusedxml.common").DefusedXmlException as error:
            raise outline._refused(f"GraphML must come without DTD and entities: {shown(error)}") from error
        except (SyntaxError, ValueError, LookupError) as error:
            raise outline._refused(f"the file must be well-formed XML: {shown(error)}") from error
        if outline._n_graphs == 0:
            raise InputError(f"{file}: a GraphML file must hold a graph, but there is none.")
        return outline

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """See an element begin."""
        name = tag.rpartition("}")[2]
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise self._refused(f"elements may be nested {_DEEPEST} deep, but are deeper")
        if name == "graph":
            self._n_graphs += 1
            if self._n_graphs > 1 or parent != "graphml":
                raise self._refused("a file must hold one graph, but there are more; write one file for each")
        elif name in ("hyperedge", "port"):
            raise self._refused(f"a graph must have nodes and edges only, but there is a {name}")
        elif name == "node":
            self._data = set()
            self.nodes.add(self._new(attributes.get("id"), self.nodes, "node id"))
            if len(self.nodes) > _MOST_NODES:
                raise self._refused(f"a graph may have {_MOST_NODES} nodes, but has more; drop some")
        elif name == "edge":
            self._data = set()
            self.n_edges += 1
            if not (attributes.get("source") and attributes.get("target")):
                raise self._refused("an edge must have a source and a target")
            self._directions.add((attributes["source"], attributes["target"]))
        elif name == "key":
            self._add_key(attributes)
        elif name == "data" and parent in ("node", "edge"):
            self._data.add(self._new(attributes.get("key"), self._data, f"attribute of one {parent}"))

    def end(self, tag: str) -> None:
        """See an element end."""
        self._path.pop()

    def data(self, text: str) -> None:
        """Text is left to networkx."""

    def close(self) -> None:
        """See the document end."""

    def _add_key(self, attributes: dict[str, str]) -> None:
        named = (attributes.get(part, "") for part in ("for", "attr.name", "yfiles.type"))
        for key in (("id", attributes.get("id", "")), tuple(named)):
            if key in self._keys:
                raise self._refused(f"keys must differ, but {shown(' '.join(key))} appears twice")
            self._keys.add(key)

    def _new(self, name: str | None, known: set[str], what: str) -> str:
        if not name:
            raise self._refused(f"every {what} must be filled in, but one is empty")
        if name in known:
            raise self._refused(f"every {what} must appear once, but {shown(name)!r} appears twice")
        return name

    def _refused(self, message: str) -> InputError:
        return InputError(f"{self.file}, line {self._parser.CurrentLineNumber}: {message}.")
