"""The API reference: made from the docstrings, complete, and without a dead link."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import trace_eval
from tests.support.cli import ROOT

pytest.importorskip("pdoc", reason="pip install '.[test]'")


class Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
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
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    folder = tmp_path_factory.mktemp("reference")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_reference.py", folder],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    assert "does not resolve" not in done.stderr
    return {path: Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}


def test_every_public_name_has_an_entry(pages: dict[Path, Page]) -> None:
    (page,) = (page for path, page in pages.items() if path.name == "trace_eval.html")
    assert set(trace_eval.__all__) - {"__version__"} <= page.anchors
    assert {"Pair.instruction", "Result.overall", "judge_pair"} <= page.anchors


def test_no_link_of_the_reference_is_dead(pages: dict[Path, Page]) -> None:
    inside = 0
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(("http:", "https:")):
                continue
            file, anchor = urldefrag(link)
            target = (path.parent / file).resolve() if file else path
            assert target in pages, f"{path.name}: {link}"
            assert not anchor or anchor in pages[target].anchors, f"{path.name}: {link}"
            inside += 1
    assert inside > 200
