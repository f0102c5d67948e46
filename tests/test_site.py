"""The site of the documentation: complete, short, no dead link; its examples run."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import trace_eval
from extractors.registry import load
from extractors.registry import names as extractor_names
from tests.support.cli import ROOT
from tests.support.processes import run_python
from trace_eval.commands.listing import GROUPS
from trace_eval.data.rubrics.load import load_rubric, rubric_names
from trace_eval.judges.registry.kinds import KINDS
from trace_eval.stats.agreement.metrics import METRICS, SCORE_METRICS

pytest.importorskip("sphinx", reason="pip install '.[docs]'")


class Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if name == "href" and tag == "a" and value:
                self.links.append(unquote(value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, examples_cache: Path) -> Path:
    folder = tmp_path_factory.mktemp("site").resolve()
    variables = {"HOME": str(folder), "TRACE_EVAL_CACHE": str(examples_cache)}
    done = run_python("docs/make_site.py", folder, **variables)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    paths = (path for path in site.rglob("*.html") if path.parent.name != "sample")
    return {path.resolve(): Page(path.read_text("utf-8")) for path in paths}


def test_every_public_name_and_every_command_has_an_entry(
    site: Path, pages: dict[Path, Page]
) -> None:
    api = pages[site / "reference" / "api.html"]
    listed = {f"trace_eval.{name}" for name in trace_eval.__all__}
    assert listed - {"trace_eval.__version__", "trace_eval.POLICIES"} <= api.anchors
    assert "trace_eval.Result.overall" in api.anchors
    assert "PydanticUndefined" not in api.html
    assert not [path.name for path, page in pages.items() if "&amp;lt;" in page.html]
    anchors = set().union(*(page.anchors for page in pages.values()))
    names = [name for commands in GROUPS.values() for name in commands]
    assert {f"trace-eval-{name}" for name in names} <= anchors


def test_at_most_45_short_pages_each_on_a_shelf(
    site: Path, pages: dict[Path, Page]
) -> None:
    made = {page for page in pages if page.name not in ("genindex.html", "search.html")}
    assert 40 <= len(made) <= 45
    written = {
        path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")
    }
    placed = {page.relative_to(site).with_suffix(".md") for page in made}
    for_users = {path for path in written if path.parts[0] != "contributors"}
    assert for_users - placed == {
        Path("README.md")
    }  # the list on the first page, index.html
    words = {
        path: len(re.findall(r"[^\s|]+", (ROOT / "docs" / path).read_text()))
        for path in written
    }
    assert max(words.values()) <= 2000, max(words, key=words.__getitem__)


#: Question -> what a reader clicks, from the first page on, and words of the answer
#: there.
QUESTIONS = {
    "How good is it?": (["beside human listeners"], "Concordance"),
    "How do I compare two folders?": (
        ["two systems, 200 prompts"],
        "--a old=old --b new=new",
    ),
    "Does it understand German?": (["languages"], "German (de)"),
    "How do I time calls?": (["calls"], "trace-eval turns call/call.wav"),
    "What does a run cost?": (["estimates and limits"], "--max-cost 5"),
    "How do I add a judge?": (["your own judge"], "class CrestJudge"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_two_clicks_away(
    question: str, site: Path, pages: dict[Path, Page]
) -> None:
    clicks, answer = QUESTIONS[question]
    here = site / "index.html"
    for click in clicks:
        pattern = rf'<a [^>]*href="([^"]+)"[^>]*>(?:<[^>]+>)*{re.escape(click)}<'
        links = re.findall(pattern, pages[here].html)
        assert links, f"{here.name}: no link {click!r}"
        here = (here.parent / urldefrag(links[-1])[0]).resolve()
    text = unescape(re.sub(r"<[^>]+>", "", pages[here].html))
    assert answer in text
    assert len(clicks) <= 2


def test_the_reference_has_a_row_for_whatever_the_code_has(
    pages: dict[Path, Page],
) -> None:
    text = {
        page.name: unescape(re.sub(r"<[^>]+>", "", page_.html))
        for page, page_ in pages.items()
    }
    for name in extractor_names():
        assert name in text["extractors.html"]
        assert " ".join(load(name).limits.split()) in " ".join(
            text["extractors.html"].split()
        )
    for kind in KINDS.values():
        assert kind.usage in text["judges.html"]
    for rubric in rubric_names():
        assert load_rubric(rubric).title in text["judges.html"]
    for metric in (*METRICS, *SCORE_METRICS):
        assert metric.title in text["statistics.html"]
        assert "``" in (metric.statistic.__doc__ or ""), f"{metric.name}: no formula"
    for field in ("instruction.audio", "labels.preference", "question_audio"):
        assert field in text["files.html"]


def test_the_first_page_says_and_shows_what_readme_says(
    site: Path, pages: dict[Path, Page]
) -> None:
    readme = re.sub(r"<!--.*?-->", "", (ROOT / "README.md").read_text("utf-8"))
    before, _, rest = readme.partition("## More\n")
    said = f"{before}\n{rest.partition('## ')[2]}"
    said = re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|^```\w*$", "", said, flags=re.M)
    shown = _letters(unescape(re.sub(r"<[^>]+>", "", pages[site / "index.html"].html)))
    lines = [_letters(line) for line in said.splitlines()]
    assert not [line for line in lines if line not in shown]
    assert sum(map(len, lines)) > 5000
    assert re.search(
        r'<img [^>]*src="_images/demo\.svg"', pages[site / "index.html"].html
    )


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which markup does not change."""
    return re.sub(r"[\W_]+", "", text)


def test_the_site_holds_a_report_of_the_examples(site: Path) -> None:
    report = (site / "sample" / "report.html").read_text("utf-8")
    assert "13" in report
    assert len(list((site / "sample" / "report_audio").iterdir())) >= 26


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


def test_formulas_are_drawn_without_a_script_or_a_network(
    pages: dict[Path, Page],
) -> None:
    assert any(
        '<math xmlns="http://www.w3.org/1998/Math/MathML"' in p.html
        for p in pages.values()
    )
    loaded = re.compile(r"<(?:script|link|img)[^>]*(?:src|href)=\"https?:")
    assert not [path.name for path, page in pages.items() if loaded.search(page.html)]


def test_machines_get_every_page_as_markdown(site: Path) -> None:
    lines = (site / "llms.txt").read_text().splitlines()[2:]
    named = [re.fullmatch(r"- \[(.+)\]\((.+\.md)\)", line) for line in lines]
    assert all(match and (site / match[2]).read_text().count("\n") for match in named)
    assert len(named) >= 40


def test_the_examples_of_the_api_run_in_their_order(
    tmp_path: Path, examples_cache: Path
) -> None:
    text = (ROOT / "docs" / "reference" / "api.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    variables = {"HOME": str(tmp_path), "TRACE_EVAL_CACHE": str(examples_cache)}
    done = run_python("-c", code, cwd=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    # README's demo: cedar wins 5 of its 6 pairs, ties counted as halves.
    assert "cedar wins most by this judge, 83 %" in done.stdout
    assert done.stdout.splitlines()[-1] == "report.html"
