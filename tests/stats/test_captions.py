"""Every interval that is shown has a caption that names the method that made it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import trace_eval
from tests.support.datasets_made import write_rows
from tests.support.judged import scripted_run
from trace_eval.compare.gate.evaluate import gate_runs
from trace_eval.compare.gate.report import gate_tables
from trace_eval.compare.judges import judge_change
from trace_eval.compare.judges import judge_change_tables as change_tables
from trace_eval.compare.options import ChangeOptions
from trace_eval.estimate.interval import (
    JACKKNIFE,
    RANKS,
    SCORE,
    SIGN_LIMITS,
    IntervalEstimate,
)
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.report.write import write_report
from trace_eval.show.latex import document
from trace_eval.show.table import Table, grid
from trace_eval.turns.compare import compare_systems
from trace_eval.turns.everything import turns_report
from trace_eval.turns.options import TimingLimits
from trace_eval.turns.report import time_turns

COLUMNS = ("id", "instruction_id", "system_a", "system_b", "overall", "content")


def judged(folder: Path, instructions: int = 12, pairs: int = 8, seed: int = 1) -> Path:
    """Write two judges that agree by chance alone, several pairs an instruction."""
    draw = random.Random(seed)
    rows = []
    for number in range(instructions * pairs):
        a, b = draw.sample("xyz", 2)
        rows.append(
            (
                f"p{number}",
                f"i{number // pairs}",
                a,
                b,
                draw.choice("12"),
                draw.choice("12"),
            )
        )
    return write_rows(folder / "judged.csv", COLUMNS, rows)


def unnamed(tables: list[Table]) -> list[str]:
    """Return the titles of tables with an interval whose method no caption names."""
    titles = []
    for table in tables:
        values = [value for row in table.cells for value in row]
        shown = [
            one for one in values if isinstance(one, IntervalEstimate) and one.interval
        ]
        if not all(one.method and one.method in table.caption for one in shown):
            titles.append(table.title)
    return titles


def test_a_caption_names_the_methods_that_its_note_leaves_out() -> None:
    cells = [IntervalEstimate(0.5, (0.4, 0.6), method=SCORE), IntervalEstimate(1.0)]
    shown = grid("t", ("a", "b"), [cells], "points")
    assert shown.caption == f"points; intervals: {SCORE}"
    assert grid("t", ("a", "b"), [cells], f"by {SCORE}").caption == f"by {SCORE}"
    assert grid("t", ("a",), [cells[1:]], "points").caption == "points"
    assert SCORE in document([shown], "")


def test_a_gate_and_a_change_of_judges_name_their_methods(tmp_path: Path) -> None:
    path = judged(tmp_path)
    sources = f"{path}:overall", f"{path}:content"
    gate = list(gate_tables(gate_runs(*sources)))
    change = list(change_tables(judge_change(sources, (), ChangeOptions(), None)))
    assert not unnamed([*gate, *change])
    captions = [table.caption for table in (*gate, *change)]
    assert any(JACKKNIFE in caption for caption in captions)
    assert sum("are drawn with seed 0" in caption for caption in captions) == 3
    assert "100 pairs of bootstrap samples" in str([table.rows for table in change])


def test_turns_name_their_methods_at_their_level(tmp_path: Path) -> None:
    rows = []
    for call in range(40):
        for turn in range(4):
            start = 2.0 * turn + 0.01 * (call * (turn + 1) % 7)
            rows.append((f"c{call}", ("user", "agent")[turn % 2], start, start + 1.5))
    path = write_rows(
        tmp_path / "calls.csv", ("conversation", "speaker", "start", "end"), rows
    )
    done = trace_eval("turns", path, ends=0).out
    said = " ".join(done.split())
    for method in ("limits by the ranks of the values", SCORE, JACKKNIFE):
        assert method in said
    report = time_turns(path)
    by_name = report.figures
    assert by_name["response_p50_s"].method == "limits by the ranks of the values"
    assert all(
        (one.method is None) == (one.interval is None) for one in by_name.values()
    )
    against = compare_systems(report, report).table()
    assert "limits of the sign test" in against.caption


def test_limits_and_labelled_events_of_calls_name_their_methods(tmp_path: Path) -> None:
    rows, labels = [], []
    for call in range(40):
        for turn in range(4):
            start = 2.0 * turn + 0.01 * (call * (turn + 1) % 7)
            rows.append((f"c{call}", ("user", "agent")[turn % 2], start, start + 1.5))
        labels.append((f"c{call}", "response", 1.5, 2.0))
    header = ("conversation", "speaker", "start", "end")
    path = write_rows(tmp_path / "calls.csv", header, rows)
    marked = write_rows(
        tmp_path / "labels.csv", ("conversation", "kind", "start", "end"), labels
    )
    typed = TimingLimits(fail_over=("response_p50_s=+.1", "response_p50_s=.9"))
    done = turns_report(path, against=path, labels=marked, limits=typed)
    tables = {table.title: table for table in done.tables()}
    assert tables["Limits"].caption == f"brackets: {SIGN_LIMITS}, or {RANKS}"
    assert [row.method for row in done.limits] == [SIGN_LIMITS, RANKS]
    assert SCORE in tables["measured against labelled events"].caption
    assert {row["method"] for row in done.record()["agreement"]} == {SCORE}
    assert {
        row["median_method"] for row in done.record()["against"]["differences"]
    } >= {SIGN_LIMITS}


def test_instructions_are_the_units_of_conclusions_about_systems(
    tmp_path: Path,
) -> None:
    """Eight equal verdicts of one instruction are one verdict, not eight."""
    draw = np.random.default_rng(1)
    rows = []
    for instruction in range(12):
        told, other = draw.choice(["1", "2"], 2)
        rows += [
            (f"{instruction}-{n}", f"i{instruction}", "x", "y", told, other)
            for n in range(8)
        ]
    path = write_rows(tmp_path / "alike.csv", COLUMNS, rows)
    report = judge_change(
        (f"{path}:overall", f"{path}:content"), (), ChangeOptions(), None
    )
    assert report.systems is not None
    assert [family.raw for family in report.systems.conclusions] == [
        (0, 0, 0),
        (0, 0, 0),
    ]
    flips = report.flips[0].rate.interval
    assert flips is not None
    assert flips[1] - flips[0] > 0.4  # of 96 independent pairs it would be .2 at most


@pytest.mark.parametrize("column", ["overall", "content"])
def test_a_gate_of_nothing_that_was_scored_passes_nothing(
    column: str, tmp_path: Path
) -> None:
    rows = [(f"p{n}", f"i{n}", "x", "y", None, None) for n in range(6)]
    path = write_rows(tmp_path / "none.csv", COLUMNS, rows)
    report = gate_runs(f"{path}:overall", f"{path}:{column}")
    assert report.verdict == "cannot tell"
    assert report.sentence == "cannot tell: verdict no item was scored in both runs"
    change = judge_change(
        (f"{path}:overall", f"{path}:content"), (), ChangeOptions(), None
    )
    assert change.sentence == "not enough data: no item was scored by both"


def test_a_page_of_scores_names_the_methods_of_its_means(tmp_path: Path) -> None:
    """The page said "by resampling whole questions" under limits that draw nothing."""
    records: list[dict[str, object]] = [
        {
            "id": f"i{n}",
            "question_id": f"q{n // 2}",
            "question": "Why?",
            "system": "xy"[n % 2],
        }
        for n in range(24)
    ]
    answered = [{**record, "reference": "r", "candidate": "c"} for record in records]
    replies = [{"reasoning": "It says why.", "score": 1 + n % 5} for n in range(24)]
    run = scripted_run(
        tmp_path, answered, replies, JudgeOptions(samples=1, repair=False)
    )
    page = write_report(run).read_text()
    (said,) = re.findall(
        r"Intervals over whole questions, of at least \d+: ([^;]+);", page
    )
    assert said == SCORE
    assert "resampling" not in page


def test_means_are_written_with_the_ends_of_their_scale(tmp_path: Path) -> None:
    draw = random.Random(3)
    rows = [
        (f"s{n}", f"q{n // 2}", "xy"[n % 2], draw.randint(40, 95)) for n in range(24)
    ]
    path = write_rows(
        tmp_path / "scores.csv", ("id", "question_id", "system", "score"), rows
    )
    latex, plot = tmp_path / "t.tex", tmp_path / "p.svg"
    typed = ("--csv", tmp_path / "csv", "--latex", latex, "--plot", plot)
    trace_eval("rank", path, "--json", tmp_path / "o.json", *typed, ends=0)
    assert "mean score from 0 to 100" in latex.read_text()
    assert "mean score from 0 to 100" in plot.read_text()
    assert (tmp_path / "csv" / "means.csv").is_file()
