"""The gate: its promises on runs of known noise, its refusals, severe items, JUnit."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from benchmarks.coverage.gate import Cell
from blueprints import UserError
from tests.support.cli import trace_eval
from tests.support.judged import judged_run, rated_run
from trace_eval.compare.comparable import NotComparable
from trace_eval.compare.flips import DETERMINISTIC
from trace_eval.compare.gate.evaluate import gate_runs
from trace_eval.compare.gate.junit_xml import junit, junit_error
from trace_eval.compare.gate.power import sign_power, spread
from trace_eval.compare.gate.rows import decide
from trace_eval.compare.options import GateOptions
from trace_eval.judges.registry.kinds import KINDS
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.turns.everything import turns_report
from trace_eval.turns.options import TimingLimits

FEW = GateOptions()
NAMES = [f"i{number}" for number in range(100)]


def labels(wins: int, names: list[str] = NAMES) -> dict[str, str | None]:
    """Label the first ``wins`` items as won."""
    return {name: "1" if row < wins else "2" for row, name in enumerate(names)}


@pytest.mark.parametrize(
    ("cell", "verdict", "least"),
    [
        (Cell(0.06, 200), "cannot tell", 0.93),
        (Cell(0.16, 200, other=True, size=4), "cannot tell", 0.93),
        (Cell(0.06, 1000), "pass", 0.85),
        (Cell(0.06, 200, 0.10), "fail", 0.90),
        (Cell(0.16, 500, 0.10, other=True), "fail", 0.88),
        (Cell(0.06, 500, 0.05), "fail", 0.88),
    ],
)
def test_false_alarms_and_drops(cell: Cell, verdict: str, least: float) -> None:
    # 60 runs have a standard error of .03 at .95; python -m benchmarks.coverage gate
    # draws 1,000
    shares = cell.covered(60)
    assert shares[verdict] >= least - 0.06
    if not cell.drop:
        assert shares["fail"] <= 0.05 + 3 * 0.03


def test_power_of_the_exact_test_is_that_of_simulated_runs() -> None:
    # published with the design: 2,000 runs each, a drop of 5 or 10 points shrunk by the
    # noise
    for flips, items, drop, power in (
        (0.0, 200, 0.05, 0.974),
        (0.06, 200, 0.05, 0.598),
        (0.06, 500, 0.05, 0.950),
        (0.16, 500, 0.10, 0.987),
        (0.27, 1000, 0.05, 0.618),
    ):
        assert sign_power(items, flips, drop * (1 - flips), 0.05) == pytest.approx(
            power, abs=0.035
        )

    gap = np.r_[np.full(16, 1.0), np.full(16, -1.0), np.zeros(168)]
    seen = spread(gap, None, labels=True)
    visible = seen.visible(0.05)
    assert seen.at(visible, 0.05) == pytest.approx(0.8, abs=0.01)


def test_a_drop_fails_and_noise_does_not(tmp_path: Path) -> None:
    base = judged_run(tmp_path / "base", labels(60))
    worse = judged_run(tmp_path / "worse", labels(45), version="v2", seconds=2.0)
    report = gate_runs(base, worse, options=FEW)
    (row,) = report.rows
    assert (report.verdict, report.exit_code, row.metric) == (
        "fail",
        1,
        "pair.preference",
    )
    assert row.difference.value == pytest.approx(-0.15)
    assert row.p == pytest.approx(0.5**15)  # 15 lost, none won
    assert "noise not measured" in report.sentence
    better = gate_runs(worse, base, options=FEW)
    assert better.verdict == "cannot tell"
    assert better.exit_code == 0
    assert gate_runs(worse, base, options=replace(FEW, must_tell=True)).exit_code == 3
    # the margin is larger than the drop, unless the limit must be inside of it too
    wide = replace(FEW, margin=0.16)
    assert gate_runs(base, worse, options=wide).verdict == "pass"
    assert gate_runs(base, worse, options=replace(wide, strict=True)).verdict == "fail"


def test_noise_counts_only_where_no_cache_answered(tmp_path: Path) -> None:
    base = judged_run(tmp_path / "base", labels(60))
    again = {**labels(60), "i0": "2", "i70": "1", "i71": "1"}
    candidate = judged_run(
        tmp_path / "candidate", labels(60), version="v2", seconds=3.0
    )
    fresh = judged_run(tmp_path / "fresh", again, seconds=2.0, parameters={"seed": 7})
    report = gate_runs(base, candidate, [fresh], FEW)
    assert report.rows[0].noise.flips.count == 3
    assert "A/A flips 0.030" in report.rows[0].why
    twice = gate_runs(base, base, [base], FEW)
    assert (twice.verdict, twice.exit_code, twice.rows[0].flips.count) == ("pass", 0, 0)
    assert twice.sentence == "pass: no change: every judgement is the same in both runs"
    assert twice.rows[0].noise.reason == "base: identical judgements: not an A/A"
    cached = judged_run(tmp_path / "cached", labels(60), seconds=2.0, cached=True)
    noise = gate_runs(base, candidate, [cached], FEW).rows[0].noise
    assert not noise.measured
    assert "all replies came from a cache" in str(noise.reason)


def test_the_answer_under_test_may_stand_on_either_side(tmp_path: Path) -> None:
    swapped = NAMES[::2]
    won = labels(60)
    lost = labels(40)

    def seen(which: dict[str, str | None]) -> dict[str, str | None]:
        turn = {"1": "2", "2": "1"}
        return {n: turn[str(v)] if n in swapped else v for n, v in which.items()}

    base = judged_run(tmp_path / "base", seen(won), swapped=swapped)
    worse = judged_run(tmp_path / "worse", seen(lost), swapped=swapped, version="v2")
    assert gate_runs(base, worse, options=FEW).rows[
        0
    ].difference.value == pytest.approx(-0.2)
    both = judged_run(
        tmp_path / "both", seen(lost), version="v2"
    )  # other answers on both sides
    with pytest.raises(UserError, match=r"both answers differ.*--side a"):
        gate_runs(base, both, options=FEW)


def test_one_tagged_reversal_fails_a_better_mean_and_is_named(tmp_path: Path) -> None:
    names = [f"i{number}" for number in range(1000)]
    before, after = labels(500, names), {**labels(521, names), "i7": "2"}
    base = judged_run(tmp_path / "base", before, severe=["i7", "i8"])
    candidate = judged_run(
        tmp_path / "candidate", after, severe=["i7", "i8"], version="v2"
    )
    report = gate_runs(base, candidate, options=FEW)
    assert report.rows[0].difference.value == pytest.approx(0.020)
    assert report.rows[0].verdict == "pass"
    assert report.verdict == "fail"
    assert [item.item for item in report.severe] == ["i7"]
    assert "1 severe item turned into a loss (i7)" in report.sentence
    assert gate_runs(base, candidate, options=replace(FEW, severe=1)).verdict == "pass"


def test_coverage_that_falls_fails(tmp_path: Path) -> None:
    base = judged_run(tmp_path / "base", labels(60))
    holes = {**labels(60), "i3": None, "i4": None}
    candidate = judged_run(tmp_path / "candidate", holes, version="v2")
    report = gate_runs(base, candidate, options=FEW)
    assert (report.verdict, report.coverage.verdict) == ("fail", "fail")
    assert (
        "coverage of pair.preference fell from 100 to 98 of 100 items"
        in report.sentence
    )
    assert report.rows[0].worst == pytest.approx(-0.02)
    fewer = {name: label for name, label in labels(60).items() if name != "i5"}
    missing = judged_run(tmp_path / "missing", fewer, version="v2")
    assert gate_runs(base, missing, options=FEW).coverage.candidate == 99


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"parameters": {"prompt": "other"}}, "judge differs .parameters.prompt"),
        ({"label_set": "forced"}, "label set differs"),
        (
            {"asked": "Sing it."},
            "item texts differ under 100 of the same ids, first 'i0'",
        ),
    ],
)
def test_what_is_not_comparable_is_named(
    tmp_path: Path, change: dict[str, object], field: str
) -> None:
    base = judged_run(tmp_path / "base", labels(60))
    other = judged_run(tmp_path / "other", labels(60), version="v2", **change)
    with pytest.raises(NotComparable, match=field):
        gate_runs(base, other, options=FEW)


def test_the_command_ends_with_its_code_and_writes_both_files(tmp_path: Path) -> None:
    base = judged_run(tmp_path / "base", labels(60))
    worse = judged_run(tmp_path / "worse", labels(45), version="v2")
    other = judged_run(
        tmp_path / "other", labels(60), version="v2", parameters={"prompt": "x"}
    )
    files = "--junit", tmp_path / "out" / "gate.xml", "--json", tmp_path / "gate.json"
    done = trace_eval("gate", base, worse, *files, "--runs-per-week", "20")
    assert done.code == 1
    assert done.out.startswith("fail: preference worse by 15.0 points")
    assert "1 false alarms a week" in done.err
    assert json.loads((tmp_path / "gate.json").read_text())["verdict"] == "fail"
    assert Xml.parse(tmp_path / "out" / "gate.xml").find(".//failure") is not None
    done = trace_eval("gate", base, other, *files)
    assert done.code == 2
    assert "parameters.prompt" in done.err
    (error,) = Xml.parse(tmp_path / "out" / "gate.xml").iter("error")
    assert "parameters.prompt" in error.get("message", "")
    done = trace_eval("gate", base, other, "--judge-changed")
    assert done.code == 0
    assert done.out.startswith("recordings and prompt changed")


def test_junit_survives_hostile_names(tmp_path: Path) -> None:
    name = '<&"]]>'
    evil = f"i\x00\x1b[31m{name}\ufffe"
    items = [*NAMES, evil]
    base = judged_run(tmp_path / name, labels(101, items), severe=[evil])
    worse = judged_run(
        tmp_path / "worse", labels(80, items), version="v2", severe=[evil]
    )
    report = gate_runs(base, worse, options=FEW)
    document = junit(report, 1.5)
    root = Xml.fromstring(document.encode())
    (suite,) = root.findall("testsuite")
    assert [
        (case.get("classname"), case.get("name")) for case in suite.findall("testcase")
    ] == [
        ("pair.preference", f"not worse than {name}"),
        ("pair.preference.severe", f"item i[31m{name}"),
        ("coverage", f"pair.preference scored as often as by {name}"),
    ]
    for kind, tag in (
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ):
        assert int(suite.get(kind, "")) == len(suite.findall(f"testcase/{tag}"))
    assert (suite.get("tests"), root.get("tests"), root.get("failures")) == (
        "3",
        "3",
        "2",
    )
    assert suite[0].tag == "properties"
    assert {p.get("name") for p in suite[0]} >= {
        "n",
        "flips",
        "alpha",
        "margin",
        "judge",
    }
    (error,) = Xml.fromstring(junit_error(f"\x01{name}", name).encode()).iter("error")
    assert error.get("message") == name


def test_scores_are_gated_on_their_scale(tmp_path: Path) -> None:
    before = rated_run(tmp_path / "before", dict.fromkeys(NAMES, 5.0))
    after = {name: 4.0 if row < 20 else 5.0 for row, name in enumerate(NAMES)}
    worse = rated_run(tmp_path / "after", after, seconds=2.0)
    report = gate_runs(before, worse, options=FEW)
    (row,) = report.rows
    assert (row.metric, report.verdict) == ("correctness.score", "fail")
    assert row.difference.value == pytest.approx(
        -0.05
    )  # 20 of 100 lose one of four steps
    with pytest.raises(UserError, match=r"--by win: not judged by both"):
        gate_runs(before, worse, options=GateOptions(by=("win",)))


def test_runs_whose_ids_hold_the_system_name_the_remedy(tmp_path: Path) -> None:
    runs = []
    for name in ("old", "new"):
        ids = [f"{name}/{n}" for n in range(100)]
        runs.append(judged_run(tmp_path / name, labels(60, ids)))
    old, new = runs
    with pytest.raises(
        UserError, match=r"id is 'old/0' in the first and 'new/0' in the second;"
    ):
        gate_runs(old, new, options=FEW)
    tables = [tmp_path / f"{name}.csv" for name in ("old", "new")]
    for path in tables:
        rows = "".join(f"{path.stem}/{n},q{n},1\n" for n in range(9))
        path.write_text(f"item,instruction_id,said\n{rows}")
    with pytest.raises(UserError, match=r"questions match: .* --column id=question_id"):
        gate_runs(*(f"{path}:said" for path in tables), options=FEW)


def test_tables_of_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("item", "old", "new", "severe"))
        rows.writerows(
            (n, "1", "1" if row else "2", int(not row)) for row, n in enumerate(NAMES)
        )
    report = gate_runs(f"{path}:old", f"{path}:new", options=FEW)
    assert [item.item for item in report.severe] == ["i0"]
    assert report.verdict == "fail"
    assert "not recorded" in report.notes[0]


def _calls(folder: Path, name: str, later_s: float, faulty: int = 0) -> Path:
    """Write a run of ``rate --judge turns`` over twelve calls of one exchange each.

    Recordings of the first ``faulty`` ones cannot be timed; replies there come 5 s
    later still.
    """
    fault = {"audit": "not usable: x", "faults": [{"name": "x", "spoils": "all"}]}
    speakers = [{"name": role, "role": role} for role in ("user", "agent")]
    lines = []
    for number in range(12):
        start = 1.5 + 0.1 * number + later_s + 5 * (number < faulty)
        spans = ("user", 0.0, 1.0), ("agent", start, start + 3)
        turns = [
            dict(zip(("speaker", "start_s", "end_s"), span, strict=True))
            for span in spans
        ]
        end = {"at_s": start + 4}
        call = {
            "speakers": speakers,
            "clock": {"kind": "recording"},
            "turns": turns,
            "end": end,
        }
        call |= {"meta": fault} if number < faulty else {}
        lines.append(
            json.dumps({"id": f"c{number}", "system": name, "conversation": call})
        )
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n")
    rate_manifest(
        path, folder / name, RateOptions(judge=("turns",), rubrics=("handling",))
    )
    return folder / name


def test_a_slower_release_is_never_just_better(tmp_path: Path) -> None:
    old, new, same = (
        _calls(tmp_path, name, by)
        for name, by in (("r41", 0.0), ("r42", 0.6), ("r43", 0.05))
    )
    report = gate_runs(old, new, options=FEW)
    assert (
        "r42 answers 0.60 s later than r41 [0.60, 0.60], in 12 of 12 calls"
        in report.sentence
    )
    assert "response_p50_s" in report.timing.by_figure
    limits = TimingLimits(fail_over=("response_p50_s=+0.2",))
    stopped = gate_runs(old, new, options=replace(FEW, limits=limits))
    assert (stopped.verdict, stopped.exit_code) == ("fail", 1)
    assert stopped.sentence.startswith("fail: response_p50_s, at most +0.2 allowed: ")
    suite = Xml.fromstring(junit(stopped).encode())
    (case,) = (
        c
        for c in suite.iter("testcase")
        if c.get("classname") == "timing.response_p50_s"
    )
    assert case.find("failure") is not None
    passed = gate_runs(old, same, options=replace(FEW, limits=limits))
    assert [row.verdict for row in passed.limits] == ["pass"]
    absolute = replace(FEW, limits=TimingLimits(fail_over=("response_p50_s=1.2",)))
    by_value = gate_runs(old, new, options=absolute)
    assert [row.verdict for row in by_value.limits] == ["fail"]
    unshown = replace(FEW, limits=TimingLimits(fail_over=("response_p50_s=1.17",)))
    met = gate_runs(old, old, options=unshown)
    assert [(row.verdict, row.shown) for row in met.limits] == [("pass", False)]
    assert met.exit_code == 0
    assert "met by its value; the interval [" in met.sentence
    mended = gate_runs(
        old, _calls(tmp_path, "r44", 0.05, 4), options=replace(FEW, limits=limits)
    )
    assert mended.timing.by_figure["response_p50_s"].scenarios == 8
    assert [row.verdict for row in mended.limits] == ["pass"]
    (note,) = [note for note in mended.notes if "timing leaves out" in note]
    assert "4 recordings cannot be timed" in note
    assert "c0, c1, c2 and 1 more" in note
    against = turns_report(
        tmp_path / "r44.jsonl", against=tmp_path / "r41.jsonl"
    ).against
    assert (
        "r44 answers 0.05 s later than r41 [0.05, 0.05], in 8 of 8 calls"
        in against.sentence()
    )
    run = judged_run(tmp_path / "pairs", labels(101))
    with pytest.raises(UserError, match="holds no conversations"):
        gate_runs(run, run, options=replace(FEW, limits=limits))


def test_a_drop_of_the_margin_itself_does_not_exceed_it() -> None:
    options = GateOptions(margin=0.05)
    drops = np.array(
        [-0.01, -0.09, -0.02, -0.08] * 5
    )  # their mean is -0.05 but for rounding
    for order in range(20):
        mean = float(np.random.default_rng(order).permutation(drops).mean())
        assert decide(mean, 0.9, 0.001, options) == "pass"
    assert decide(-0.051, 0.9, 0.001, options) == "fail"


def test_judges_without_noise_are_those_that_ask_no_model() -> None:
    """Names of deterministic judges stand apart from their table, which gates skip."""
    asks_none = {
        name for name, kind in KINDS.items() if kind.about.startswith("no model")
    }
    assert set(DETERMINISTIC) == asks_none
