"""Builds the site of the documentation; every unresolved link is an error.

    python docs/make_site.py [FOLDER]       # default: build/docs, as make docs does

Needs the extra ``docs`` (Sphinx). Pages are the Markdown of docs/ and of the repository's root;
the pages of commands and of the Python API are made from the code. Beside each page lies its
Markdown, and ``llms.txt`` lists them.
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

import click
import typer
from sphinx.cmd.build import build_main

from trace_eval.commands.cli import app
from trace_eval.commands.listing import GROUPS

ROOT = Path(__file__).resolve().parent.parent


def slug(heading: str) -> str:
    """A heading, up to its colon, as the name of a file."""
    return heading.partition(":")[0].lower().replace(" ", "-")


#: Shelf -> its pages from docs/, in the order of reading; others are not on the site.
SHELVES = {
    "Start": ("../README", "start", "python", "data", "report", "words"),
    "How to": (
        *("judges", "audio-judges", "scores", "scorer", "conversations", "naturalness"),
        *("review", "gate", "scale", "plugins", "runs", "platforms"),
    ),
    "Reference": (
        *(f"commands-{slug(heading)}" for heading in GROUPS),
        *("api", "extractors", "agreement", "policies", "models", "benchmarks"),
    ),
    "Understand": ("people", "conclude", "reliability", "speed", "architecture", "decisions/*"),
    "Project": ("../examples/README", "../CONTRIBUTING", "../SECURITY", "../CHANGELOG"),
}

CONF = """
project = html_title = "trace-eval"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
smartquotes = False
html_show_sphinx = html_show_copyright = html_copy_source = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
autodoc_default_options = {"members": True, "exclude-members": "model_config,__init__,__new__"}
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]
highlight_language = "none"
"""

_LINK = re.compile(r"(\]\(|(?:src|href)=\")(?!\w+:|#)([^)#\s\"]+)")


def main(folder: Path) -> int:
    """Build the site; returns the exit code."""
    with tempfile.TemporaryDirectory() as home:
        source = Path(home)
        titles = [write_page(source, name, text) for name, text in pages()]
        (source / "conf.py").write_text(CONF)
        code = build_main(["-q", "-W", "--keep-going", "-b", "html", home, str(folder)])
        for path in source.rglob("*.md"):
            shutil.copy(path, folder / path.relative_to(source))
    lines = ["# trace-eval", "", *(f"- [{title}]({name})" for name, title in titles)]
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(code)


def pages() -> Iterator[tuple[str, str]]:
    """(place in the repository, Markdown) of every page; those of commands lie in docs/, too."""
    first = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    yield "docs/README.md", f"{first}\n{_shelves()}"
    made = {f"docs/commands-{slug(heading)}.md": text for heading, text in command_pages()}
    for names in SHELVES.values():
        for name in names:
            place = posixpath.normpath(f"docs/{name}.md")
            if place in made:
                yield place, made[place]
                continue
            for path in sorted(ROOT.glob(place)):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def write_page(source: Path, place: str, text: str) -> tuple[str, str]:
    """Write a page with what it links to; returns its name on the site and its title."""
    name = on_site(place)
    here = posixpath.dirname(name)

    def moved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), match[2]))
        there = on_site(target)
        if not target.endswith(".md") and (ROOT / target).is_file():
            (source / there).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / target, source / there)
        return match[1] + posixpath.relpath(there, here or ".")

    (source / name).parent.mkdir(parents=True, exist_ok=True)
    (source / name).write_text(_LINK.sub(moved, text), encoding="utf-8")
    title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
    return name, title


def on_site(place: str) -> str:
    """Where a file of the repository stands on the site."""
    if place == "README.md":
        return "readme.md"
    if place == "docs/README.md":
        return "index.md"
    return place.removeprefix("docs/")


def command_pages() -> Iterator[tuple[str, str]]:
    """(heading of the help page, Markdown of its commands with all their options)."""
    group: Any = typer.main.get_command(app)
    for heading, names in GROUPS.items():
        parts = [f"# Commands: {heading.lower()}"]
        for name in names:
            command = group.get_command(click.Context(group), name)
            parts += _command(f"trace-eval {name}", command)
        yield heading, "\n\n".join(parts) + "\n"


def _shelves() -> str:
    """The navigation, which the first page holds."""
    parts = []
    for shelf, names in SHELVES.items():
        listed = [on_site(posixpath.normpath(f"docs/{name}.md"))[:-3] for name in names]
        head = ["```{toctree}", f":caption: {shelf}", ":hidden:", ":glob:", ""]
        parts.append("\n".join([*head, *listed, "```"]))
    return "\n\n".join(parts) + "\n"


def _command(path: str, command: Any) -> Iterator[str]:
    yield f"## {path}"
    yield " ".join((command.help or "").partition("\f")[0].split())
    below = getattr(command, "commands", {})
    for name, sub in below.items():
        yield from _command(f"{path} {name}", sub)
    rows: dict[str, list[str]] = {}
    for option in [] if below else command.params:
        if not getattr(option, "hidden", False) and option.name != "help":
            panel = getattr(option, "rich_help_panel", None) or "Options"
            rows.setdefault(panel, []).append(_row(option, command))
    for panel, lines in rows.items():
        title = "" if panel == "Options" else f"{panel}:\n\n"
        yield title + "\n".join(["| option | what it says |", "|---|---|", *lines])


def _row(option: Any, command: Any) -> str:
    record = option.get_help_record(click.Context(command)) or (option.name, "")
    name, text = (" ".join(part.split()).replace("|", "\\|") for part in record)
    return f"| `{name}` | {text.replace('<', '&lt;').replace('*', '&#42;')} |"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/docs")))
