"""Runs side by side: numbers by hand, the command's tables, JSON and page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blueprints import UserError
from fusion import DIMENSIONS
from tests.support import calls
from tests.support.audio_cases import write
from tests.support.cli import trace_eval
from tests.support.judged import write_folder
from tests.support.report_pages import opened
from tests.support.sheets import write_sheet
from trace_eval.api.judged import Run
from trace_eval.compare.evaluate import compare_runs
from trace_eval.compare.options import CompareOptions
from trace_eval.compare.page import write_page
from trace_eval.compare.scores import compare_folders
from trace_eval.compare.tables import compare_answer
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.opinions.labels import read_labels
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions

if TYPE_CHECKING:
    from playwright.sync_api import Browser


OPTIONS = CompareOptions()

#: pair -> human label, the judge that reads (typed ties), the one that listens (plain);
#: None: unscored.
VERDICTS: dict[str, tuple[str, str | None, str | None]] = {
    "p0": ("1", "1", "1"),
    "p1": ("2", "1", "2"),
    "p2": ("tie", "both_bad", "tie"),
    "p3": ("1", "2", "1"),
    "p4": ("2", "both_good", None),
    "p5": ("1", "1", "2"),
}


def _judgement(pair: str, label: str | None, plain: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"pair": pair, "judge": "j", "status": "scored"}
    if label is None:
        return {
            **record,
            "status": "unscored",
            "reason": "filtered",
            "detail": "withheld",
        }
    about = ["overall"] if plain else DIMENSIONS
    verdict = {"rating": label, "reasoning": f"because of {pair}"}
    usage = {
        "input_tokens": 100,
        "output_tokens": 10,
        "cost_usd": 0.01 if plain else 0.001,
    }
    opinions = [
        {
            "order": order,
            "ratings": dict.fromkeys(about, label),
            "usage": usage,
            "seconds": 2.0 if plain else 0.5,
            "cached": order == "ba",
            **({"sent": {"parts": 2, "seconds": 30.0, "sha256": "0"}} if plain else {}),
        }
        for order in ("ab", "ba")
    ]
    label_set = {"label_set": "plain"} if plain else {}
    return {
        **record,
        **label_set,
        "dimensions": dict.fromkeys(about, verdict),
        "opinions": opinions,
    }


def _run(folder: Path, sounds: Path, plain: bool, prefix: str = "") -> Path:
    """Write a run of the verdicts above."""
    pairs, judgements, overall = [], [], []
    for bare, (people, read, heard) in VERDICTS.items():
        name = prefix + bare
        label = heard if plain else read
        pair = Pair(
            id=name,
            instruction=Instruction(text=f"<b>say {name}</b>"),
            a=Answer(audio=sounds, system="x"),
            b=Answer(audio=sounds, system="y"),
            labels=Labels(preference=people),  # type: ignore[arg-type]
        )
        pairs.append(pair)
        judgements.append(Judgement.model_validate(_judgement(name, label, plain)))
        fused = {"pair": name, "policy": "content_first", "rating": label, "why": "x"}
        overall.append(Overall.model_validate(fused))
    spec = "audio:openai:m" if plain else "openai:m"
    record = {
        "judge": {"spec": spec, "parameters": {}},
        "sessions": [
            {"started": "2026-01-01T00:00:00", "extracted_s": {"signal": 3.0}}
        ],
    }
    return write_folder(
        folder, record, pairs=pairs, judgements=judgements, overall=overall
    )


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    sounds = write(tmp_path / "sound.wav", 0.2, 300.0)
    return [
        _run(tmp_path / "text", sounds, False),
        _run(tmp_path / "audio", sounds, True),
    ]


def test_a_judge_that_reads_beside_one_that_listens(runs: list[Path]) -> None:
    report = compare_runs(runs, options=OPTIONS)
    assert report.names == ("text", "audio")
    assert report.shared == 6
    text, audio = report.costs
    assert (text.judge, audio.judge) == ("openai:m", "audio:openai:m")
    assert (text.scored, audio.scored, audio.unscored) == (6, 5, {"filtered": 1})
    # every call at its price, though half of them came from the cache
    assert text.cost_usd == pytest.approx(12 * 0.001)
    assert audio.cost_usd == pytest.approx(10 * 0.01)
    assert audio.cost_per_item == pytest.approx(0.02)
    assert (text.call_s, audio.call_s) == (1.0, 4.0)
    assert (text.audio_s, audio.audio_s, text.extract_s) == (0.0, 300.0, 0.5)
    people = {(s.judge, s.dimension): s for s in report.people}
    # text right on p0 p2 p5 of 6; audio on p0 p1 p2 p3 of 5
    assert people["text", "preference"].metrics["accuracy_3way"].value == pytest.approx(
        3 / 6
    )
    assert people["audio", "preference"].metrics[
        "accuracy_3way"
    ].value == pytest.approx(4 / 5)
    (difference,) = [d for d in report.differences if d.dimension == "preference"]
    assert difference.items == 5
    assert difference.difference.value == pytest.approx(1 / 5)  # 4 of 5 against 3 of 5
    assert (difference.mcnemar.only_first, difference.mcnemar.only_second) == (1, 2)
    assert difference.mcnemar.p == 1.0
    (mutual,) = [m for m in report.mutual if m.dimension == "preference"]
    assert (mutual.items, mutual.labels) == (5, ("1", "2", "tie"))
    assert mutual.same.value == pytest.approx(2 / 5)
    assert [item.pair for item in report.apart] == ["p1", "p3", "p5"]
    assert report.apart[0].distance == 3.0
    assert report.apart[0].people == {"preference": "2"}


def test_each_share_has_the_number_of_its_pairs(runs: list[Path]) -> None:
    """The judge that listens left one out, so both shares are of other pairs."""
    first, *_ = compare_answer(compare_runs(runs, options=OPTIONS))
    assert (
        "of 5 pairs (preference; 1 more that they labelled is unscored), text on 50 %"
        in first
    )
    assert re.search(r"text on 50 % \[\d+, \d+\] of 6: ", first)


def test_an_interval_clear_of_0_is_explained_where_nothing_is_shown(
    runs: list[Path],
) -> None:
    """Of one difference alone it may be clear; the test counts how many were made."""
    report = compare_runs(runs, options=OPTIONS)
    (row,) = [d for d in report.differences if d.dimension == "preference"]

    def sentence(low: float, p: float, p_holm: float) -> str:
        own = IntervalEstimate(0.2, (low, 0.35))
        test = replace(row.mcnemar, p=p)
        changed = replace(row, difference=own, mcnemar=test, p_holm=p_holm)
        others = [one for one in report.differences if one is not row]
        first, *_ = compare_answer(
            replace(report, differences=(row, row, *others, changed))
        )
        return first

    number = len(report.differences) + 2
    assert "not shown to be better" in sentence(0.05, 0.02, 0.06)
    assert sentence(0.05, 0.02, 0.06).endswith(
        f"; its interval is clear of 0, but that is one of {number} differences, which"
        " Holm's test counts."
    )
    assert sentence(0.01, 0.06, 0.06).endswith("but the exact test does not show it.")
    assert "clear of 0" not in sentence(-0.01, 0.06, 0.06)
    assert "interval" not in sentence(0.05, 0.001, 0.03)
    assert sentence(-0.01, 0.001, 0.03).endswith("p = 0.03); its interval holds 0.")


def test_runs_and_labels_go_by_the_shortest_names(
    runs: list[Path], tmp_path: Path
) -> None:
    twin = _run(tmp_path / "deeper" / "text", tmp_path / "sound.wav", False)
    people = tmp_path / "far" / "people.csv"
    people.parent.mkdir()
    people.write_text("id,preference\np0,1\np1,2\n")
    report = compare_runs([runs[0], twin], read_labels(people), OPTIONS)
    assert report.names == (f"{tmp_path.name}/text", "deeper/text")
    assert report.labels == "people.csv"
    assert report.notes == ("4 of 6 shared pairs have no human label",)


def test_without_labels_the_runs_are_compared_with_each_other(runs: list[Path]) -> None:
    for folder in runs:
        lines = [
            json.loads(line)
            for line in (folder / "pairs.jsonl").read_text().splitlines()
        ]
        for line in lines:
            del line["labels"]
        (folder / "pairs.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines)
        )
    report = compare_runs(runs, options=OPTIONS)
    assert (report.people, report.differences, report.labels) == ((), (), None)
    assert report.mutual[0].same.value == pytest.approx(2 / 5)
    assert "with each other only" in report.notes[0]


def test_what_cannot_be_compared(runs: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="two or more"):
        compare_runs(runs[:1])
    with pytest.raises(UserError, match="named twice"):
        compare_runs([runs[0], runs[0]])
    other = _run(tmp_path / "other", tmp_path / "sound.wav", False, prefix="q")
    with pytest.raises(UserError, match="no pair in common"):
        compare_runs([runs[0], other])


def test_the_command_prints_writes_json_and_a_page(
    runs: list[Path], tmp_path: Path
) -> None:
    page, out = tmp_path / "out" / "compare.html", tmp_path / "compare.json"
    command = ["compare", *runs, "--fail-under"]
    done = trace_eval(
        *command, "agreement=0", "--json", out, "--html", page, "--full", ends=0
    )
    failed = trace_eval(*command, "agreement=1.01")
    assert (failed.code, "wanted at least 1.01" in failed.out + failed.err) == (1, True)
    for words in (
        "Runs over 6 shared pairs",
        "exact McNemar",
        "Furthest apart",
        "audio:openai:m",
    ):
        assert words in done.out
    assert "With annotators (text)" in done.out
    assert str(tmp_path) not in done.out.replace(str(page), "")
    stored = json.loads(out.read_text())
    assert stored["labels"] == "text"
    assert stored["apart"][0]["verdicts"]["audio"]["preference"] == "2"
    html = page.read_text()
    assert html.count("<audio controls") == 6
    assert "script-src" not in html
    assert "<script" not in html
    assert "&lt;b&gt;say p1&lt;/b&gt;" in html
    assert "because of p1" in html


@pytest.mark.parametrize("width", [1400, 400])
def test_players_and_reasons_of_its_page_can_be_used_at_every_width(
    browser: Browser, runs: list[Path], tmp_path: Path, width: int
) -> None:
    path = tmp_path / "page.html"
    write_page(compare_runs(runs, options=OPTIONS), runs, path)
    with opened(
        browser, path.as_uri(), viewport={"width": width, "height": 900}
    ) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").inner_text() == "text · audio"
        cut = (
            "[...document.querySelectorAll('.titled')].map(t => t.scrollWidth >"
            " innerWidth)"
        )
        assert width > 400 or ((wide := page.evaluate(cut)) and not any(wide))
        boxes = [player.bounding_box() for player in page.locator("audio").all()]
        players = [box["width"] for box in boxes if box]
        assert len(players) == 6
        assert min(players) >= 240
        reason = page.get_by_text("because of p1").first.bounding_box()
        assert reason["x"] + reason["width"] <= width


def test_noise_is_told_beside_a_repetition(runs: list[Path], tmp_path: Path) -> None:
    noisy = _run(tmp_path / "noisy", tmp_path / "sound.wav", True)
    record = json.loads((noisy / "manifest.json").read_text())
    record["judge"]["parameters"] = {"noise_db": 10.0}
    (noisy / "manifest.json").write_text(json.dumps(record))
    report = compare_runs([runs[0], runs[1], noisy], options=OPTIONS)
    assert [(n.base, n.repeat, n.run, n.snr_db) for n in report.noise] == [
        ("text", "audio", "noisy", 10.0)
    ] * 3
    # "noisy" says what "audio" says, so the repetition changes exactly as much
    assert all(n.effect.net in (0.0, None) for n in report.noise)
    assert sum(n.effect.items for n in report.noise) == 5


def _rated_calls(folder: Path, name: str, slow: str) -> Path:
    """Write a run over calls of scenarios s0 to s6, answered late in ``slow``."""
    records = [
        {
            "id": f"{name}-{n}",
            "question_id": f"s{min(n, 6)}",  # the last one was called twice
            "system": name,
            "conversation": calls.conversation(
                None, calls.TURNS if str(n) in slow else calls.QUICK
            ),
        }
        for n in range(8)
    ]
    path = calls.manifest(folder, records, f"{name}.jsonl")
    rate_manifest(
        path, folder / name, RateOptions(judge=("turns",), rubrics=("handling",))
    )
    return folder / name


def test_runs_of_scored_calls_are_paired_by_scenario(
    runs: list[Path], tmp_path: Path
) -> None:
    rated = [_rated_calls(tmp_path, "x", "012346"), _rated_calls(tmp_path, "y", "0")]
    page, out = tmp_path / "compare.html", tmp_path / "compare.json"
    done = trace_eval(
        "compare", *rated, "--json", out, "--html", page, "--full", ends=0
    )
    answer = (
        "y scores 2.71 and x 1.43 by handling over 7 questions: y is not shown to be"
        " better"
    )
    assert done.out.startswith(
        f"{answer} (sign-flip test over questions, p = 0.062).\n"
    )
    record = json.loads(out.read_text())
    assert record["sentences"][0].startswith(answer)
    (row,) = record["differences"]
    # s1 to s4 rise by 2, of the two calls of s6 one does: by 1 in the mean; s0 and s5
    # stay.
    assert (row["questions"], row["higher"], row["lower"]) == (7, 5, 0)
    assert row["difference"]["value"] == pytest.approx(9 / 7)
    low, high = row["difference"]["interval"]
    # 9/7 +- Student's 2.447 * sd / sqrt(7) = 0.880, wider for a variance from seven,
    # moved down by a skewness below 0
    assert 0 < low < 9 / 7 - 0.88
    assert 9 / 7 + 0.8 < high < 4
    assert [one["question"] for one in record["apart"]] == [
        "s1",
        "s2",
        "s3",
        "s4",
        "s6",
    ]
    html = page.read_text()
    assert answer in html
    assert '<span class="chip n">1.00</span></td>' in html
    assert re.search("<b>handling, [xy]</b> 4.0 s, turn 4: late", html)
    finding = Run(rated[0]).comparison(rated[1:])
    assert finding.points[0].name == "y minus x: handling"
    for statistic in (Run(rated[0]).agreement, Run(rated[0]).ranking):
        with pytest.raises(UserError, match="are those of labels; give labels, too"):
            statistic(columns={"score": "mos"})
    with pytest.raises(UserError, match="runs of one kind"):
        compare_folders([rated[0], runs[0]])
    other = tmp_path / "z" / "other.jsonl"
    other.parent.mkdir()
    other.write_text((tmp_path / "y.jsonl").read_text().replace('id": "s', 'id": "t'))
    rate_manifest(
        other, tmp_path / "other", RateOptions(judge=("turns",), rubrics=("handling",))
    )
    with pytest.raises(UserError, match="no question in common"):
        compare_folders([rated[0], tmp_path / "other"])


def test_labels_that_were_not_drawn_alike_give_accuracies_over_all_pairs(
    tmp_path: Path,
) -> None:
    # 40 doubtful pairs, 20 of them asked for; 160 others, 40 of them asked for. "sure"
    # is right on the 160, "doubting" on the 40: on the labelled pairs 40 and 20 of 60,
    # on all 80 and 20 %
    sounds = write(tmp_path / "sound.wav", 0.2, 300.0)
    asked = {*range(20), *range(40, 80)}
    labels = tmp_path / "labels.csv"
    rows = [f"p{n},ann,1,{0.5 if n < 40 else 0.25}" for n in sorted(asked)]
    write_sheet(labels, "id,rater,preference,inclusion", rows)
    folders = []
    for name, is_right in (("sure", lambda n: n >= 40), ("doubting", lambda n: n < 40)):
        verdicts = {f"p{n}": "1" if is_right(n) else "2" for n in range(200)}
        pairs = [
            Pair(
                id=pair,
                a=Answer(audio=sounds, system="x"),
                b=Answer(audio=sounds, system="y"),
            )
            for pair in verdicts
        ]
        judgements = [
            Judgement.model_validate(_judgement(pair, label, True))
            for pair, label in verdicts.items()
        ]
        record = {"judge": {"spec": "openai:m", "parameters": {}}, "sessions": []}
        fused = {"policy": "content_first", "why": "x"}
        overall = [
            Overall.model_validate({"pair": pair, "rating": label, **fused})
            for pair, label in verdicts.items()
        ]
        folder = write_folder(
            tmp_path / name, record, pairs=pairs, judgements=judgements, overall=overall
        )
        folders.append(folder)
    report = compare_runs(folders, labels, OPTIONS)
    assert report.over_all["sure"].labels == pytest.approx(0.8)
    assert report.over_all["doubting"].labels == pytest.approx(0.2)
    (gap,) = report.gaps
    assert gap.difference.labels == pytest.approx(-0.6)
    (sentence, *_) = compare_answer(report)
    assert sentence.startswith("sure agrees with human labels on 80 % [")
    assert "of 200 pairs, doubting on 20 % [" in sentence
    assert (
        "from 60 labels by how they were drawn (preference): shown to be better"
        in sentence
    )
    out = " ".join(
        trace_eval("compare", *folders, "--labels", labels, "--full").out.split()
    )
    assert "With annotators over all pairs, by how they were drawn" in out
    assert "67 %" not in out
