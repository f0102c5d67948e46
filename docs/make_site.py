"""Builds the site of the documentation; every unresolved link is an error.

    python docs/make_site.py [FOLDER]       # default: build/docs, as make docs does

Needs the extra ``docs`` (Sphinx). Pages are Markdown of docs/ and of the repository's
root; parts of the reference are made from the code. The first page is README, with the
list of all pages in the place of its short one. Beside each page lies its Markdown,
``llms.txt`` lists all, and ``sample/report.html`` is the report of the example pairs.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils.nodes import Element, SkipNode
from latex2mathml.converter import convert
from make_reference import filled
from sphinx.cmd.build import build_main

from trace_eval import judge

ROOT = Path(__file__).resolve().parent.parent


#: Shelf -> its pages from docs/, in the order of reading; others are not on the site.
SHELVES = {
    "Tutorials": (
        "tutorials/first-answer",
        "tutorials/two-systems",
        "tutorials/thirty-labels",
        "tutorials/calls",
        "tutorials/gate-in-ci",
        "tutorials/own-judge",
    ),
    "How to": (
        "how-to/data",
        "how-to/language-models",
        "how-to/listening",
        "how-to/score-answers",
        "how-to/judge-calls",
        "how-to/platforms",
        "how-to/collect-labels",
        "how-to/listening-tests",
        "how-to/stop-when-sure",
        "how-to/which-gate",
        "how-to/compare-judges",
        "how-to/reports",
        "how-to/reproduce",
        "how-to/best-of-n",
        "how-to/models",
        "how-to/large-runs",
        "how-to/clusters",
        "how-to/docker",
        "how-to/python",
        "how-to/benchmarks",
        "how-to/train-a-scorer",
        "how-to/plug-ins",
    ),
    "Reference": (
        "reference/commands",
        "reference/api",
        "reference/files",
        "reference/judges",
        "reference/extractors",
        "reference/statistics",
        "reference/glossary",
        "reference/cite",
        "results/listeners",
    ),
    "Understand": (
        "explanation/how-good",
        "explanation/judging",
        "explanation/agreement",
        "explanation/few-labels",
        "explanation/timing",
        "explanation/languages",
        "../SECURITY",
    ),
}

CONF = """
project = html_title = "trace-eval"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_math_renderer = "mathml"
html_theme = "furo"
smartquotes = False
html_show_sphinx = html_show_copyright = html_copy_source = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_dmath_allow_space = myst_dmath_allow_digits = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
autodoc_default_options = {"members": True, "exclude-members": "model_config,__init__,__new__"}
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]
highlight_language = "none"


def setup(app):
    from make_site import mathml

    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
"""

_LINK = re.compile(r"(\]\(|(?:src|href)=\")(?!\w+:|#)([^)#\s\"]+)")

# A page that is linked to, in words: ``[words](page.md#place)``.
_PAGE = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+\.md)[^)\s]*\)")

README, LISTED = "README.md", "docs/README.md"

#: Every page of the site by its place in the repository.
ON_SITE = frozenset(
    (
        README,
        LISTED,
        *(posixpath.normpath(f"docs/{n}.md") for s in SHELVES.values() for n in s),
    )
)


def main(folder: Path) -> int:
    """Build the site; returns the exit code."""
    with tempfile.TemporaryDirectory() as home:
        source = Path(home)
        titles = [write_page(source, place, text) for place, text in pages()]
        (source / "conf.py").write_text(CONF)
        code = build_main(["-q", "-W", "--keep-going", "-b", "html", home, str(folder)])
        for path in source.rglob("*.md"):
            shutil.copy(path, folder / path.relative_to(source))
    lines = ["# trace-eval", "", *(f"- [{title}]({name})" for name, title in titles)]
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sample_report(folder / "sample")
    return int(code)


def mathml(visitor: Any, node: Element) -> None:
    """Write a formula of Sphinx as MathML, which needs neither script nor network."""
    display = "block" if node.tagname == "math_block" else "inline"
    visitor.body.append(convert(node.astext(), display=display))
    raise SkipNode


def sample_report(folder: Path) -> None:
    """Judge the example pairs, and leave their report with its recordings."""
    with tempfile.TemporaryDirectory() as home:
        run = judge(
            ROOT / "examples" / "pairs.jsonl", Path(home) / "run", progress=False
        )
        folder.mkdir(exist_ok=True)
        run.report(folder / "report.html", audio=True)


def pages() -> Iterator[tuple[str, str]]:
    """Yield every page's place in the repository and its Markdown for the site.

    Links and generated parts are filled in.
    """
    yield README, f"{first_page()}\n{_shelves()}"
    for names in SHELVES.values():
        for name in names:
            place = posixpath.normpath(f"docs/{name}.md")
            yield place, linked(filled((ROOT / place).read_text("utf-8")), place)


def first_page() -> str:
    """Return README for the site, with the list of all pages instead of its own."""
    readme = linked((ROOT / README).read_text("utf-8"), README)
    listed = linked((ROOT / LISTED).read_text("utf-8"), LISTED)
    before, _, rest = readme.partition("## More\n")
    _, _, after = rest.partition("\n## ")
    _, _, list_of_pages = listed.partition("\n")
    return f"{before}{list_of_pages}\n## {after}"


def linked(text: str, place: str) -> str:
    """Point a page's links to the site; pages that stay in the clone are text."""
    here = posixpath.dirname(on_site(place))

    def kept(match: re.Match[str]) -> str:
        return match[0] if _target(match[2], place) in ON_SITE else match[1]

    def moved(match: re.Match[str]) -> str:
        there = on_site(_target(match[2], place))
        return match[1] + posixpath.relpath(there, here or ".")

    return _LINK.sub(moved, _PAGE.sub(kept, text))


def _target(link: str, place: str) -> str:
    """Return what a link of a page names, from the root of the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), link))


def write_page(source: Path, place: str, text: str) -> tuple[str, str]:
    """Write a page and the files that it shows; return its place and its title."""
    name = on_site(place)
    for _, link in _LINK.findall(text):
        place = _target(link, name)
        file = next(
            (f for f in (ROOT / "docs" / place, ROOT / place) if f.is_file()), None
        )
        if file and file.suffix != ".md":
            (source / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, source / place)
    (source / name).parent.mkdir(parents=True, exist_ok=True)
    (source / name).write_text(text, encoding="utf-8")
    title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
    return name, title


def on_site(place: str) -> str:
    """Where a file of the repository stands on the site."""
    if place in (README, LISTED):
        return "index.md"
    return place.removeprefix("docs/")


def _shelves() -> str:
    """Write the navigation, which the first page holds."""
    parts = []
    for shelf, names in SHELVES.items():
        listed = [on_site(posixpath.normpath(f"docs/{name}.md"))[:-3] for name in names]
        head = ["```{toctree}", f":caption: {shelf}", ":hidden:", ""]
        parts.append("\n".join([*head, *listed, "```"]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/docs")))
