"""The site's settings. ``make docs`` builds it; tables and lists of the API are made first."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from from_code import pages
from sphinx.util.nodes import make_refnode

import fidelity

project = "fidelity-curves"
author = copyright = "The fidelity-curves developers"
release = version = fidelity.__version__
extensions = [
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_title = project
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_show_sourcelink = False
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 180
nb_render_markdown_format = "gfm"
copybutton_exclude = ".linenos, .gp"
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

SHORT_NAMES = "|".join(re.findall(r"^- \[(\w+)\]", fidelity.__doc__, re.MULTILINE))


def as_markup(app, what, name, obj, options, lines: list[str]) -> None:
    """Let |p - q| in docstrings be a formula, [QC] and the like a link, and "a, b:" two names."""
    for i, line in enumerate(lines):
        several = re.match(r" {4}\w+(, \w+)+: ", line)
        if several:
            line = several[0].replace(", ", ",") + line[several.end() :]
        if not line.lstrip().startswith((">>>", "...")):
            words = re.split("(``.*?``)", line)
            words[::2] = [each.replace("|", r"\|") for each in words[::2]]
            lines[i] = re.sub(rf"\[({SHORT_NAMES})\]", r":ref:`[\1] <\1>`", "".join(words))


def by_last_name(app, env, node, shown):
    """Lead from any path of a public name, such as its module's, to its page."""
    objects = env.get_domain("py").objects
    last = node["reftarget"].rpartition(".")[2]
    found = [each for name, each in objects.items() if name.rpartition(".")[2] == last]
    if node.get("refdomain") == "py" and len(found) == 1:
        place = found[0]
        return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, shown)
    return None


def setup(app) -> None:
    """Write the pages that come from the code, and mend their markup."""
    for path, text in pages().items():
        (DOCS / path).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / path).write_text(text, encoding="utf-8")
    app.connect("missing-reference", by_last_name)
    app.connect("autodoc-process-docstring", as_markup, priority=400)  # before napoleon
