"""The site of the documentation: complete, without a dead link, and its Python examples run."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import trace_eval
from tests.support.cli import ROOT
from trace_eval.commands.listing import GROUPS

pytest.importorskip("sphinx", reason="pip install '.[docs]'")


class Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if name == "href" and tag == "a" and value:
                self.links.add(unquote(value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_site.py", folder],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_every_public_name_has_an_entry(site: Path, pages: dict[Path, Page]) -> None:
    api = pages[site / "api.html"]
    listed = {f"trace_eval.{name}" for name in trace_eval.__all__}
    assert listed - {"trace_eval.__version__", "trace_eval.POLICIES"} <= api.anchors
    assert "trace_eval.Result.overall" in api.anchors
    assert "PydanticUndefined" not in api.html


def test_every_command_has_an_entry(pages: dict[Path, Page]) -> None:
    anchors = set().union(*(page.anchors for page in pages.values()))
    names = [name for commands in GROUPS.values() for name in commands]
    assert {f"trace-eval-{name}" for name in names} <= anchors


def test_no_link_is_dead(site: Path, pages: dict[Path, Page]) -> None:
    inside = 0
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link) or path.name in ("genindex.html", "search.html"):
                continue
            file, anchor = urldefrag(link)
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path.name}: {link}"
            if anchor and target in pages:
                assert anchor in pages[target].anchors, f"{path.name}: {link}"
            inside += 1
    assert inside > 500


def test_machines_get_every_page_as_markdown(site: Path) -> None:
    lines = (site / "llms.txt").read_text().splitlines()[2:]
    named = [re.fullmatch(r"- \[(.+)\]\((.+\.md)\)", line) for line in lines]
    assert all(match and (site / match[2]).read_text().count("\n") for match in named)
    assert len(named) > 30


def test_the_examples_of_the_api_run_in_their_order(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "api.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    # README's demo: cedar wins 5 of its 6 pairs, ties counted as halves.
    assert "cedar wins most by this judge, 83 %" in done.stdout
    assert done.stdout.splitlines()[-1] == "report.html"
