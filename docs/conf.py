"""The site: `make docs` builds it into build/docs, with warnings as errors and without a network."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import dugraph

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "dugraph"
author = "The dugraph developers"
copyright = f"2026, {author}"
version = release = dugraph.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "helptext",
]
root_doc = "index"
exclude_patterns = ["_ext", "_templates", "figures"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = False

# Pages are Markdown as it stands in the repository; the site adds formulas and links to headings.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections have them, in words
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
numpydoc_xref_param_type = False

# Other projects' pages: DUGRAPH_INTERSPHINX=1 fetches their inventories, DUGRAPH_INTERSPHINX=FOLDER takes
# FOLDER/NAME.inv. Without it nothing is fetched, and their names stand without a link.
INVENTORIES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "sklearn": "https://scikit-learn.org/stable",
    "matplotlib": "https://matplotlib.org/stable",
    "networkx": "https://networkx.org/documentation/stable",
    "nilearn": "https://nilearn.github.io/stable",
    "pandas": "https://pandas.pydata.org/docs",
}
_wanted = os.environ.get("DUGRAPH_INTERSPHINX", "")
intersphinx_mapping = (
    {
        name: (url, None if _wanted == "1" else str(Path(_wanted) / f"{name}.inv"))
        for name, url in INVENTORIES.items()
        if _wanted == "1" or (Path(_wanted) / f"{name}.inv").exists()
    }
    if _wanted
    else {}
)

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("dugraph",),
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "capture_repr": (),  # the axes that a plot returns say nothing to a reader
    "show_memory": False,
    "min_reported_time": 1e9,  # times of one machine on one day say nothing
    "write_computation_times": False,
    "download_all_examples": False,
}
suppress_warnings = ["config.cache"]  # the gallery's settings hold functions

html_theme = "pydata_sphinx_theme"
html_title = f"dugraph {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"image_light": "_static/mark.svg", "image_dark": "_static/mark.svg", "text": "dugraph"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "tutorial": [], "commands": [], "glossary": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

_EXAMPLE = re.compile(r"\]\(((?:\.\./)+)examples/(plot_\w+)\.py\)")


def _link_within_site(_app: Sphinx, name: str, source: list[str]) -> None:
    """In the repository pages link to the file of an example; on the site, to its page with pictures."""
    up = "../" * name.count("/")
    source[0] = _EXAMPLE.sub(rf"]({up}gallery/\2.rst)", source[0])


def _skip(_app: Sphinx, _what: str, name: str, _thing: object, skip: bool, _options: object) -> bool:
    """Leave out what scikit-learn adds to every estimator for the routing of metadata."""
    return skip or re.fullmatch(r"set_\w+_request", name) is not None


def _words_of_constant(
    _app: Sphinx, what: str, name: str, thing: object, _options: object, lines: list[str]
) -> None:
    """A constant's words stand below it in the module that makes it; autodoc would show those of its type."""
    from sphinx.pycode import ModuleAnalyzer

    if what != "data":
        return
    lines.clear()
    constant = name.rpartition(".")[2]
    for module in [one for at, one in sys.modules.items() if at.startswith("dugraph.")]:
        if getattr(module, constant, None) is thing:
            words = ModuleAnalyzer.for_module(module.__name__).find_attr_docs().get(("", constant))
            if words:
                lines.extend(words)
                return


def setup(app: Sphinx) -> None:
    """Connect the hooks."""
    app.connect("source-read", _link_within_site)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _words_of_constant, priority=400)  # before numpydoc
