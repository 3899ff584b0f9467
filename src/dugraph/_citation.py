"""What to cite: references as data, written for a text, for a list of references and for BibTeX."""

from __future__ import annotations

from dataclasses import dataclass, field

from dugraph._version import __version__


@dataclass(frozen=True)
class Reference:
    """A publication.

    Attributes
    ----------
    kind, key : str
        As in BibTeX.
    authors : tuple of str
        Given names first.
    title, year : str
    fields : dict of str to str
        Further fields of BibTeX.
    """

    kind: str
    key: str
    authors: tuple[str, ...]
    title: str
    year: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """As cited in a text: ``Berrett et al., 2020``."""
        names = [self._family(author) for author in self.authors]
        few = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        return f"{few}, {self.year}"

    def _family(self, author: str) -> str:
        return author if self.kind == "software" else author.split()[-1]

    @property
    def text(self) -> str:
        """As in a list of references."""
        of, title = self.fields, self.title.replace("{", "").replace("}", "")
        issue = f"({of['number']})" if "number" in of else ""
        volume = f" {of['volume']}{issue}" if "volume" in of else ""
        pages = f", {of['pages'].replace('--', '–')}" if "pages" in of else ""
        home = of.get("journal") or of.get("booktitle") or of.get("publisher")
        parts = [f"{', '.join(self.authors)} ({self.year}). {title}."]
        if "version" in of:
            parts = [f"{parts[0][:-1]} (version {of['version']}) [software]."]
        if home:
            parts.append(f"{'In ' if 'booktitle' in of else ''}{home}{volume}{pages}.")
        if "doi" in of:
            parts.append(f"https://doi.org/{of['doi']}")
        if "eprint" in of:
            parts.append(f"arXiv:{of['eprint']}.")
        return " ".join(parts)

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX."""
        authors = " and ".join(self.authors)
        rows = {
            "author": f"{{{authors}}}" if self.kind == "software" else authors,
            "title": self.title,
            **self.fields,
            "year": self.year,
        }
        width = max(map(len, rows))
        lines = [f"  {name.ljust(width)} = {{{value}}}" for name, value in rows.items()]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


_REFERENCES = (
    Reference(
        "inproceedings",
        "kong2013discriminative",
        ("Xiangnan Kong", "Philip S. Yu", "Xue Wang", "Ann B. Ragin"),
        "Discriminative Feature Selection for Uncertain Graph Classification",
        "2013",
        {
            "booktitle": "Proceedings of the 2013 SIAM International Conference on Data Mining (SDM)",
            "eprint": "1301.6626",
            "eprinttype": "arXiv",
        },
    ),
    Reference(
        "software",
        "dugraph",
        ("The dugraph developers",),
        "dugraph: discriminative connected subgraphs of uncertain graphs, exactly",
        "2026",
        {"version": __version__},
    ),
    Reference(
        "article",
        "benjamini2008screening",
        ("Yoav Benjamini", "Ruth Heller"),
        "Screening for partial conjunction hypotheses",
        "2008",
        {
            "journal": "Biometrics",
            "volume": "64",
            "number": "4",
            "pages": "1215--1222",
            "doi": "10.1111/j.1541-0420.2007.00984.x",
        },
    ),
    Reference(
        "article",
        "berrett2020conditional",
        ("Thomas B. Berrett", "Yi Wang", "Rina Foygel Barber", "Richard J. Samworth"),
        "The conditional permutation test for independence while controlling for confounders",
        "2020",
        {
            "journal": "Journal of the Royal Statistical Society: Series B",
            "volume": "82",
            "number": "1",
            "pages": "175--197",
            "doi": "10.1111/rssb.12340",
        },
    ),
    Reference(
        "book",
        "efron1993introduction",
        ("Bradley Efron", "Robert J. Tibshirani"),
        "An Introduction to the Bootstrap",
        "1993",
        {"publisher": "Chapman and Hall"},
    ),
    Reference(
        "inproceedings",
        "gretton2005measuring",
        ("Arthur Gretton", "Olivier Bousquet", "Alex Smola", "Bernhard Schölkopf"),
        "Measuring statistical dependence with {Hilbert-Schmidt} norms",
        "2005",
        {
            "booktitle": "Algorithmic Learning Theory (ALT 2005)",
            "pages": "63--77",
            "doi": "10.1007/11564089_7",
        },
    ),
    Reference(
        "article",
        "mackinnon1985some",
        ("James G. MacKinnon", "Halbert White"),
        "Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample "
        "properties",
        "1985",
        {
            "journal": "Journal of Econometrics",
            "volume": "29",
            "number": "3",
            "pages": "305--325",
            "doi": "10.1016/0304-4076(85)90158-7",
        },
    ),
    Reference(
        "article",
        "phipson2010permutation",
        ("Belinda Phipson", "Gordon K. Smyth"),
        "Permutation p-values should never be zero: calculating exact p-values when permutations are "
        "randomly drawn",
        "2010",
        {
            "journal": "Statistical Applications in Genetics and Molecular Biology",
            "volume": "9",
            "number": "1",
            "doi": "10.2202/1544-6115.1585",
        },
    ),
    Reference(
        "article",
        "romano2005exact",
        ("Joseph P. Romano", "Michael Wolf"),
        "Exact and approximate stepdown methods for multiple hypothesis testing",
        "2005",
        {
            "journal": "Journal of the American Statistical Association",
            "volume": "100",
            "number": "469",
            "pages": "94--108",
            "doi": "10.1198/016214504000000539",
        },
    ),
    Reference(
        "article",
        "tibshirani1996regression",
        ("Robert Tibshirani",),
        "Regression shrinkage and selection via the lasso",
        "1996",
        {
            "journal": "Journal of the Royal Statistical Society: Series B",
            "volume": "58",
            "number": "1",
            "pages": "267--288",
            "doi": "10.1111/j.2517-6161.1996.tb02080.x",
        },
    ),
    Reference(
        "book",
        "westfall1993resampling",
        ("Peter H. Westfall", "S. Stanley Young"),
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
        "1993",
        {"publisher": "Wiley"},
    ),
    Reference(
        "article",
        "winkler2015multi",
        (
            *("Anderson M. Winkler", "Matthew A. Webster", "Diego Vidaurre", "Thomas E. Nichols"),
            "Stephen M. Smith",
        ),
        "Multi-level block permutation",
        "2015",
        {
            "journal": "NeuroImage",
            "volume": "123",
            "pages": "253--268",
            "doi": "10.1016/j.neuroimage.2015.05.092",
        },
    ),
    Reference(
        "article",
        "zhong2008bias",
        ("Hua Zhong", "Ross L. Prentice"),
        "Bias-reduced estimators and confidence intervals for odds ratios in genome-wide association studies",
        "2008",
        {
            "journal": "Biostatistics",
            "volume": "9",
            "number": "4",
            "pages": "621--634",
            "doi": "10.1093/biostatistics/kxn001",
        },
    ),
)
REFERENCES = {one.key: one for one in _REFERENCES}
"""All that any result may cite, by key."""
CITATION = "\n\n".join(REFERENCES[key].bibtex for key in ("kong2013discriminative", "dugraph"))
"""What every use of dugraph cites, as BibTeX."""
