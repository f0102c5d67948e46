"""Selections from recordings to files, and as a user types them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from extractors.registry import PROFILES
from fusion import DIMENSIONS, Rating
from tests.support.audio import tone, write
from tests.support.cli import ROOT, trace_eval
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.decide.best.best import select_best
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.decide.best.options import BestOptions
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.base import Case, Judge
from trace_eval.runs.events import RunEvent
from trace_eval.runs.options import Options

#: Identity and level are all that these selections need.
FAST = ExtractOptions(
    workers=0,
    overrides={group: "none" for group in PROFILES["screen"] if group != "signal"},
)


def candidates(folder: Path, *peaks: float, **labels: float) -> Path:
    """One group ``g`` of tones with these peaks."""
    lines = []
    for number, peak in enumerate(peaks):
        name = f"c{number:02}"
        write(folder / f"{name}.wav", tone(peak=peak, seconds=0.5))
        line = {
            "group": "g",
            "candidate": name,
            "text": "Hello.",
            "audio": f"{name}.wav",
        }
        if name in labels:
            line["scores"] = {"anna": labels[name]}  # type: ignore[assignment]
        lines.append(json.dumps(line))
    path = folder / "items.jsonl"
    path.write_text("\n".join(lines))
    return path


@dataclass
class Louder(Judge):
    """Prefers the louder answer."""

    spec: str = "louder"
    asked: list[str] = field(default_factory=list)

    async def judge(self, case: Case) -> Judgement:
        self.asked.append(case.pair.id)
        a, b = (side.signal.peak_dbfs for side in (case.a, case.b))  # type: ignore[union-attr]
        rating = Rating.BOTH_GOOD if a == b else Rating("1" if a > b else "2")
        verdict = DimensionVerdict(rating=rating, reasoning="by the peak")
        return Judgement.scored(
            case.pair.id, self.spec, dict.fromkeys(DIMENSIONS, verdict)
        )


class Stopped(Exception):
    """The selection ends here, in the midst of its work."""


def stopping(judge: Louder, patience: int | None) -> Callable[[RunEvent], None]:
    """Return a listener that ends everything after so many judgements."""

    def listen(event: RunEvent) -> None:
        if event.outcomes and len(judge.asked) == patience:
            raise Stopped

    return listen


def chosen(judge: Judge, **more: object) -> BestOptions:
    return BestOptions(Options(FAST, judge), **more)  # type: ignore[arg-type]


def test_all_of_a_few(tmp_path: Path) -> None:
    items = read_candidates(
        candidates(tmp_path, 0.2, 0.5, 0.3, 0.5, c00=4, c01=5, c02=1)
    )
    judge = Louder()
    selection = select_best(items, tmp_path / "out", chosen(judge))
    (ranking,) = selection.rankings
    # c01 and c03 have the same samples: one candidate.
    assert ranking.winner == "g/c01"
    assert ranking.same == {"g/c03": "g/c01"}
    assert [row.candidate for row in ranking.ranking] == ["g/c01", "g/c02", "g/c00"]
    assert ranking.comparisons == len(judge.asked) == 3
    (gain,) = selection.summary.gains
    assert (gain.by, gain.winner, gain.all) == ("people", 5, pytest.approx(10 / 3))
    written = json.loads((tmp_path / "out" / "best.jsonl").read_text())
    assert written["winner"] == "g/c01"


def test_a_killed_selection_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    peaks = [0.1 + 0.05 * n for n in range(11)]
    items = read_candidates(candidates(tmp_path, *peaks))
    whole = Louder()
    expected = select_best(items, tmp_path / "whole", chosen(whole))
    assert len(whole.asked) == 11 - 4 + 6
    asked: list[str] = []
    for patience in (2, 1, 4, 5, None):
        judge = Louder()
        with contextlib.suppress(Stopped):
            stops = stopping(judge, patience)
            selection = select_best(
                items, tmp_path / "killed", chosen(judge, listener=stops)
            )
        asked += judge.asked
    assert sorted(asked) == sorted(whole.asked)
    assert selection == expected
    assert selection.rankings[0].winner == "g/c10"
    for name in ("best.jsonl", "summary.json"):
        one, other = (tmp_path / run / name for run in ("whole", "killed"))
        assert one.read_bytes() == other.read_bytes()
    # Again: nothing is left to ask.
    idle = Louder()
    select_best(items, tmp_path / "killed", chosen(idle))
    assert idle.asked == []


def test_a_number_picks_and_another_one_checks(tmp_path: Path) -> None:
    items = read_candidates(candidates(tmp_path, 0.2, 0.5, 0.3))
    options = BestOptions(
        Options(FAST), "signal.peak_dbfs", checks=("signal.rms_dbfs:lower",)
    )
    selection = select_best(items, tmp_path / "out", options)
    assert selection.rankings[0].winner == "g/c01"
    (gain,) = selection.summary.gains
    assert gain.losses == 1  # the loudest is worst where less is better
    unchecked = select_best(
        items, tmp_path / "two", BestOptions(Options(FAST), "signal.rms_dbfs")
    )
    assert unchecked.summary.gains == []
    assert "cannot vouch for its own pick" in unchecked.summary.note


def test_a_judge_checks_by_comparing_winners_with_others(tmp_path: Path) -> None:
    items = read_candidates(candidates(tmp_path, 0.2, 0.5, 0.3))
    options = BestOptions(Options(FAST), "signal.peak_dbfs:lower", checks=("rules",))
    (gain,) = select_best(items, tmp_path / "out", options).summary.gains
    assert (gain.by, gain.groups) == ("rules", 1)
    assert gain.wins + gain.ties + gain.losses + gain.unscored == 1
    assert (tmp_path / "out" / "check-1" / "round-1" / "judgements.jsonl").exists()


def test_what_cannot_be_judged_is_named(tmp_path: Path) -> None:
    path = candidates(tmp_path, 0.2, 0.5)
    write(tmp_path / "silent.wav", tone(peak=0.5) * 0)
    with path.open("a") as file:
        for name in ("silent", "missing"):
            file.write(
                "\n"
                + json.dumps({"group": "g", "candidate": name, "audio": f"{name}.wav"})
            )
        file.write("\n" + json.dumps({"audio": "c00.wav"}))
    items = read_candidates(path)
    assert "group: missing" in items.problems[0].what
    (ranking,) = select_best(items, tmp_path / "out", chosen(Louder())).rankings
    assert ranking.winner == "g/c01"
    assert {gone.candidate for gone in ranking.unscored} == {"g/silent", "g/missing"}


def test_layouts_of_candidates(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    listed = {
        "group": 7,
        "reference": "Hi",
        "candidates": ["a.wav", {"audio": "b.wav"}],
    }
    named = {"question_id": "q", "text": "Hi", "system": "tts", "audio": "c.wav"}
    path.write_text(json.dumps(listed) + "\n" + json.dumps(named))
    items = read_candidates(path)
    assert [item.id for item in items.singles] == ["7/1", "7/2", "q/tts"]
    assert {item.question_id for item in items.singles} == {"7", "q"}
    assert all(item.reference == ("Hi",) for item in items.singles)
    assert items.singles[0].answer.audio == tmp_path / "a.wav"
    twice = tmp_path / "twice.jsonl"
    twice.write_text((json.dumps(named) + "\n") * 2)
    assert "'q/tts'" in read_candidates(twice).problems[0].what


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"scheme": "league"}, "scheme 'league' is unknown"),
        ({"by": "loudest"}, "a comparison is decided by overall, content"),
        ({"by": "quality.p808", "checks": ("p808",)}, "cannot vouch"),
        ({"by": "overall", "checks": ("rules",)}, "cannot vouch"),
    ],
)
def test_unknown_choices_and_checks_by_the_same_measure_are_refused(
    tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    items = read_candidates(candidates(tmp_path, 0.2, 0.5))
    with pytest.raises(UserError, match=told):
        select_best(items, tmp_path / "out", BestOptions(Options(FAST), **options))


def test_as_typed_by_a_number(tmp_path: Path) -> None:
    examples = ROOT / "examples" / "candidates.jsonl"
    out = ["--out", tmp_path / "run", "--cache", tmp_path / "cache"]
    done = trace_eval("best", examples, "--by", "quality.p808", *out, ends=0)
    best = map(json.loads, (tmp_path / "run" / "best.jsonl").read_text().splitlines())
    winners = {one["group"]: one["winner"] for one in best}
    assert winners["sleep"] == "sleep/flite-slt"  # not the noisy one
    assert "4 of 4 groups have a winner" in done.out
    assert "cannot vouch for its own pick" in done.out
    assert "paris/silence" in done.err


@pytest.mark.slow
def test_as_typed_with_a_scripted_judge(tmp_path: Path) -> None:
    path = candidates(tmp_path, 0.2, 0.5, 0.3)
    verdicts = {d: {"reasoning": "r", "rating": "1"} for d in DIMENSIONS}
    script = tmp_path / "script.jsonl"
    script.write_text((json.dumps(verdicts) + "\n") * 3)
    typed = [
        "best", path, "--judge", f"scripted:{script}", "-J", "swap=off", "--out", tmp_path / "run",
        "--cache", tmp_path / "cache",
        *(part for g in PROFILES["screen"] if g not in ("signal", "transcript", "quality")
          for part in ("-x", f"{g}=none")),
    ]  # fmt: skip
    estimate = trace_eval(*typed, "--estimate", ends=0)
    assert "3 comparisons in all, 3 in the first round" in estimate.out
    done = trace_eval(*typed, ends=0)
    assert "3 comparisons (0 undecided)" in done.out
    again = trace_eval(
        *typed, ends=0
    )  # nothing is asked: the script would be exhausted
    assert again.out == done.out


def test_a_selection_without_evidence_has_no_winner_and_says_so(tmp_path: Path) -> None:
    path = candidates(tmp_path, 0.5, 0.6, 0.7)
    typed = [
        "best", path, "--out", tmp_path / "run", "--cache", tmp_path / "cache",
        *(part for g in PROFILES["screen"] if g != "signal" for part in ("-x", f"{g}=none")),
    ]  # fmt: skip
    done = trace_eval(*typed, ends=1)
    assert "0 of 1 group have a winner" in done.out
    assert "3 comparisons (3 undecided)" in done.out
    assert "none of 3 comparisons could be judged: evidence_missing" in " ".join(
        done.err.split()
    )
    (ranking,) = map(
        json.loads, (tmp_path / "run" / "best.jsonl").read_text().splitlines()
    )
    assert ranking["status"] == "unscored"
    assert "winner" not in ranking
