"""Publications to cite, read from references.bib."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from dugraph._version import __version__


class Reference(NamedTuple):
    """A publication: its entry for BibTeX, and the fields of the entry by name."""

    kind: str
    key: str
    fields: dict[str, str]
    bibtex: str

    @property
    def authors(self) -> list[str]:
        """Given names first; the braces around a group of authors are removed."""
        return [one.strip("{}") for one in self.fields["author"].split(" and ")]

    @property
    def short(self) -> str:
        """As cited in a text: ``Berrett et al., 2020``."""
        names = self.authors if self.kind == "software" else [one.split()[-1] for one in self.authors]
        few = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        return f"{few}, {self.fields['year']}"

    @property
    def text(self) -> str:
        """As in a list of references."""
        of, title = self.fields, re.sub("[{}]", "", self.fields["title"])
        release = f" (version {of['version']}) [software]" if "version" in of else ""
        parts = [f"{', '.join(self.authors)} ({of['year']}). {title}{release}."]
        if home := of.get("journal") or of.get("booktitle") or of.get("publisher"):
            issue = f"({of['number']})" if "number" in of else ""
            volume = f" {of['volume']}{issue}" if "volume" in of else ""
            pages = f", {of['pages'].replace('--', '–')}" if "pages" in of else ""
            parts.append(f"{'In ' if 'booktitle' in of else ''}{home}{volume}{pages}.")
        if "doi" in of:
            parts.append(f"https://doi.org/{of['doi']}")
        if "eprint" in of:
            parts.append(f"arXiv:{of['eprint']}.")
        return " ".join(parts)


def _references() -> dict[str, Reference]:
    file = Path(__file__).with_name("references.bib")
    text = file.read_text(encoding="utf-8").replace("VERSION", __version__)
    found = {}
    for entry in text.strip().split("\n\n"):
        kind, key = re.match(r"@(\w+)\{(\w+),", entry).groups()  # type: ignore[union-attr]
        fields = dict(re.findall(r"^  (\w+) += \{(.*)\},?$", entry, re.MULTILINE))
        found[key] = Reference(kind, key, fields, entry)
    return found


REFERENCES = _references()
"""All that any result may cite, by key."""
CITATION = "\n\n".join(REFERENCES[key].bibtex for key in ("kong2013discriminative", "dugraph"))
"""The reference to cite for any use of dugraph, as BibTeX."""
