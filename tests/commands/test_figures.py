"""``--plot``, ``--latex`` and ``--csv``: the figures of a report in a paper."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from benchmarks.synthetic_run import Recipe, make_run
from tests.support import golden_runs as runs
from tests.support.cli import output_of
from trace_eval.show.latex import escaped

pytest.importorskip("matplotlib")

#: A system's name that means something to LaTeX, XML, mathtext, spreadsheets and
#: terminals.
HOSTILE = r"=a_$\b$ & <i>{100%}" + "\x07"


def typed(*words: object, code: int = 0) -> str:
    return " ".join(output_of(*words, code=code).split())


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    runs.human_table(folder / "human.csv")
    runs.judge_table(folder / "judges.csv")
    for name, pause in (("fast", 0.4), ("slow", 1.2)):
        runs.calls(folder / name, pause)
    return folder


def numbers(value: Any) -> Iterator[float]:
    """Every number of a JSON document."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, int | float):
        yield float(value)


def words(path: Path) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)", path.read_text("utf-8")))


def test_figures_of_agree_as_rows_as_tables_and_as_pictures(
    tables: Path, tmp_path: Path
) -> None:
    names = ("out.json", "out.csv", "out.tex", "f.svg", "c.pdf", "c.svg", "cal.png")
    out = {name: tmp_path / name for name in names}
    call = [
        "agree",
        tables / "judges.csv",
        "--labels",
        tables / "human.csv",
        "--missing",
        "drop",
    ]
    call += ["--calibrated", "--json", out["out.json"], "--csv", out["out.csv"]]
    call += ["--latex", out["out.tex"], "--plot", out["f.svg"]]
    call += [
        "--plot",
        f"confusion={out['c.pdf']}",
        "--plot",
        f"confusion={out['c.svg']}",
    ]
    typed(*call, "--plot", f"calibration={out['cal.png']}")
    report = json.loads(out["out.json"].read_text())
    with out["out.csv"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "table",
        "name",
        "column",
        "value",
        "low",
        "high",
        "n",
        "unit",
    ]
    held = set(numbers(report))
    assert {
        float(row[c]) for row in rows for c in ("value", "low", "high") if row[c]
    } <= held
    (one,) = (
        s
        for s in report["scores"]
        if (s["judge"], s["dimension"]) == ("reader", "overall")
    )
    kappa = one["metrics"]["kappa"]
    (row,) = (
        r
        for r in rows
        if (r["name"], r["column"]) == ("reader, overall", "Cohen's kappa")
    )
    value, *interval = (float(row[c]) for c in ("value", "low", "high"))
    assert (value, interval, int(row["n"])) == (
        kappa["value"],
        kappa["interval"],
        one["scored"],
    )
    text = out["out.tex"].read_text()
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 1
    said = re.findall(r"(\d+) %", " ".join(report["sentences"]))
    assert said
    assert all(f"{number} \\%" in text for number in said)
    assert "%" not in text.split("\n", 1)[1].replace("\\%", "")
    drawn = re.findall(r"\w+: \w+", words(out["f.svg"]))
    assert {"reader: content", "listener: overall"} <= set(drawn)
    cells = {f"{cell:g}" for row in one["confusion"] for cell in row}
    assert {*cells, "both_good"} <= set(words(out["c.svg"]).split())
    pdf = out["c.pdf"].read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/FontFile2" in pdf
    assert not [mark for mark in (b"/Type3", b"/Subtype /Image") if mark in pdf]
    assert out["cal.png"].read_bytes().startswith(b"\x89PNG")
    typed(*call)  # ours are replaced
    out["f.svg"].write_text("mine")
    assert "was changed since trace-eval wrote it" in typed(*call, code=2)


def test_names_of_systems_mean_nothing_to_any_format(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    with pairs.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "system_a", "system_b", "preference"])
        writer.writerows([[n, HOSTILE, "日本", "12"[n % 3 == 0]] for n in range(12)])
    out = {
        kind: tmp_path / f"out.{kind}" for kind in ("csv", "tex", "md", "svg", "pdf")
    }
    plots = [word for kind in ("svg", "pdf") for word in ("--plot", out[kind])]
    tables = ["--csv", out["csv"], "--latex", out["tex"], "--markdown", out["md"]]
    typed("rank", pairs, "--resamples", 20, *tables, *plots)
    page = MarkdownIt("commonmark").enable("table").render(out["md"].read_text("utf-8"))
    assert html.escape(HOSTILE.rstrip("\x07")) in page
    assert not [mark for mark in ("<i>", "\x07") if mark in page]
    assert page.count("<table>") == page.count("<details>") > 1
    drawn = words(out["svg"])
    assert r"=a_$\b$ &amp; &lt;i&gt;{100%}" in drawn
    assert "日本" in drawn
    latex = out["tex"].read_text("utf-8")
    assert (
        r"=a\_\$\textbackslash{}b\$ \& \textless{}i\textgreater{}\{100\%\}  & 12 & 8 & 4 & 0 & 0 &"
        in latex
    )
    assert (
        "system & comparisons & wins & losses & ties & both\\_bad & win rate \\\\"
        in latex
    )
    assert r"\begin{tabular}{@{}lrrrrrr@{}}" in latex
    assert "\x07" not in drawn + latex
    rows = list(csv.DictReader(out["csv"].read_text("utf-8").splitlines()))
    assert rows[0]["name"].startswith("'=a_$")
    rates = {row["name"]: row for row in rows if row["column"] == "win_rate"}
    # the fraction that is ranked, with the interval that the first sentence prints: 4
    # of 12 won
    assert float(rates["日本"]["value"]) == pytest.approx(4 / 12)
    assert float(rates["日本"]["low"]) < 0.5 < float(rates["日本"]["high"])


def test_text_for_latex_is_balanced() -> None:
    assert escaped("a\nb[*]\\") == r"a b{[}{*}{]}\textbackslash{}"
    for sign in map(chr, range(0x20, 0x7F)):
        bare = escaped(sign).replace("\\{", "").replace("\\}", "")
        assert bare.count("{") == bare.count("}")


def test_response_times_of_two_systems(tables: Path, tmp_path: Path) -> None:
    svg, rows, told = (tmp_path / name for name in ("r.svg", "r.csv", "r.json"))
    call = [
        "turns",
        tables / "slow" / "items.jsonl",
        "--against",
        tables / "fast" / "items.jsonl",
    ]
    typed(*call, "--plot", svg, "--csv", rows, "--json", told)
    assert "response time, s" in words(svg)
    figures = json.loads(told.read_text())["figures"]
    with rows.open(newline="") as file:
        read = {(r["name"], r["column"]): r for r in csv.DictReader(file)}
    (first, second) = dict.fromkeys(name for name, _ in read)
    median = float(read[first, "response_p50_s"]["value"])
    assert median == figures["response_p50_s"]
    assert read[first, "response_p50_s"]["unit"] == "s"
    assert median > float(
        read[second, "response_p50_s"]["value"]
    )  # pauses of 1.2 s against 0.4 s


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            ["--plot", "x.gif"],
            "--plot x.gif: name a file that ends in .pdf, .svg, .png",
        ),
        (["--plot", "lines=x.svg"], "give one of forest"),
        (["--csv", "-"], "--csv -: standard output is not supported; name a file"),
        (["--latex", "-"], "--latex -: standard output is not supported; name a file"),
        (["--json", "-"], "--json -: standard output is not supported; name a file"),
        (["--latex", "{mine}"], "no record says trace-eval wrote it"),
    ],
)
def test_what_cannot_be_written_is_refused(
    more: list[str], told: str, tables: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.tex"
    mine.write_text("my paper")
    arguments = [word.format(mine=mine) for word in more]
    assert told in typed(
        "rank", tables / "judges.csv", "--judge", "reader", *arguments, code=2
    )
    assert mine.read_text() == "my paper"


def test_rates_of_every_two_systems_and_accuracy_on_parts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(24))
    out = {n: tmp_path / n for n in ("r.json", "m.svg", "a.json", "c.svg", "l.svg")}
    fast = ["--json"]
    typed("rank", run, *fast, out["r.json"], "--plot", f"matrix={out['m.svg']}")
    ranked = json.loads(out["r.json"].read_text())
    (own,) = (one for one in ranked["systems"] if one["system"] == "alto")
    met = [one for one in ranked["meetings"] if "alto" in (one["first"], one["second"])]
    assert sum(one["comparisons"] for one in met) == own["comparisons"]
    rates = (one["rate"] if one["first"] == "alto" else 1 - one["rate"] for one in met)
    points = sum(
        one["comparisons"] * rate for one, rate in zip(met, rates, strict=True)
    )
    assert points == pytest.approx(own["wins"] + (own["ties"] + own["both_bad"]) / 2)
    drawn = words(out["m.svg"]).split()
    assert all(f"{100 * one['rate']:.0f}" in drawn for one in ranked["meetings"])
    plots = ["--plot", f"categories={out['c.svg']}", "--plot", f"labels={out['l.svg']}"]
    typed("agree", run, "--missing", "drop", *fast, out["a.json"], *plots)
    report = json.loads(out["a.json"].read_text())
    (whole,) = (s for s in report["scores"] if s["dimension"] == "overall")
    value = whole["metrics"]["accuracy_4way"]["value"]
    by = {one["category"]: one for one in report["by_category"]}
    assert sum(one["items"] for one in by.values()) == 24
    mean = sum(one["items"] * one["accuracy"]["value"] for one in by.values()) / 24
    assert mean == pytest.approx(value)
    last = report["by_labels"][-1]
    assert (last["labels"], last["accuracy"]["value"]) == (24, value)
    assert (
        last["accuracy"]["interval"] != report["by_labels"][0]["accuracy"]["interval"]
    )
    drawn = re.findall(r">([^<]+)<", out["c.svg"].read_text("utf-8"))
    assert {f"{name} ({one['items']})" for name, one in by.items()} <= set(drawn)
    assert "majority class" in words(out["l.svg"])
