"""Cards: verdicts by their rules, pages of one and of several judges, gates."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from extractors.base import UNKNOWN_LIMITS
from extractors.registry import limits_of, names
from tests.support.cli import output_of
from tests.support.label_tables import table
from trace_eval.decide.agree import agree
from trace_eval.decide.card import make_cards
from trace_eval.decide.card_files import markdown
from trace_eval.decide.gates import checked
from trace_eval.decide.operation import operation
from trace_eval.decide.verdict import decide, standing_of
from trace_eval.estimate.share import Share
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import DataWarning
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.probe.report import ProbeReport, ProbeRow
from trace_eval.stats.agreement.levels import human_ceiling
from trace_eval.stats.inference.calibrate import calibrate
from trace_eval.stats.inference.labelled_run import gather, labelled
from trace_eval.stats.inference.win_rates import win_rate_tables
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.ranking.outcomes import outcomes_of

RNG = np.random.default_rng(8)


def score(right: float, number: int = 200):
    truth = RNG.integers(0, 2, number)
    votes = np.where(RNG.random(number) < right, truth, 1 - truth)
    said = "".join("12"[code] for code in votes)
    correct = "".join("12"[code] for code in truth)
    source = table("judge", {"overall": said})
    labels = table("labels", {"overall": correct})
    return agree([source], labels, AgreeOptions()).scores[0]


def test_verdicts_follow_their_rules() -> None:
    """Limits of coverage and position are tested in ``test_answers``."""
    good = score(0.85)
    assert standing_of(good) is not None
    # what was never tested, or on too few pairs to show, is not passed
    for p, pairs in ((None, 0), (1.0, 29)):
        assert (
            f"unknown: {pairs} pairs are judged"
            in decide(good, 1.0, p, both_orders=pairs).why
        )
    assert (
        decide(
            good,
            coverage=1.0,
            position_p=0.5,
            warnings=(DataWarning("place", ""),),
            both_orders=200,
        ).use
        == "screen only"
    )
    assert "prefers a position" in decide(good, 1.0, 0.001).why
    assert decide(good, 0.4999, None).why == "only 49.99% of the pairs are scored"
    assert decide(
        good, coverage=0.7996, position_p=0.5, warnings=(), both_orders=200
    ).why.endswith("scored only 79.96%")
    assert decide(None, 1.0, None).use == "unknown"
    assert decide(score(0.9, 20), 1.0, None).use == "unknown"
    swapped = (DataWarning("swapped", "far below chance"),)
    assert (
        decide(good, coverage=1.0, position_p=None, warnings=swapped).use
        == "do not use"
    )


def test_the_human_ceiling_by_hand() -> None:
    # a: x 1, y 1; b: x 1, y 2; c: x only: one of two shared opinions agrees
    got = human_ceiling(
        table("l", {"overall": "11122"}, id=list("aabbc"), rater=list("xyxyx"))
    )
    assert (got.raters, got.pairs, got.agreement) == (2, 2, 0.5)
    assert human_ceiling(table("labels", {"overall": "12"})) is None


def test_how_a_run_went(run: Path) -> None:
    got = operation(run)
    assert (got.pairs, got.scored) == (40, 38)
    assert sum(got.unscored.values()) == 2
    assert got.calls >= 38 * 6
    assert got.both_orders == 38
    assert 0 <= got.consistent <= 38


def test_a_judge_that_calls_no_model_has_no_cost(run: Path) -> None:
    (card,) = make_cards([run])
    ran = operation(run)
    calls = dataclasses.replace(card, operation=dataclasses.replace(ran, cost_usd=None))
    assert "Cost unknown; all sessions" in markdown([calls])
    rules = dataclasses.replace(
        card, operation=dataclasses.replace(ran, calls=0, cost_usd=None)
    )
    assert "No model was called, so there is no cost; all" in markdown([rules])


def test_every_extractor_has_its_limits() -> None:
    assert [name for name in names() if limits_of(name) == UNKNOWN_LIMITS] == []
    assert limits_of("uninstalled") == UNKNOWN_LIMITS


def test_a_card_of_a_run(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "card"
    output_of("card", run, "--out", out, "--json", tmp_path / "card.json")
    text, page = (out / "card.md").read_text(), (out / "card.html").read_text()
    for words in (
        "Fit for: ",
        "The rules, in order:",
        "38 scored (95.0%)",
        "Human ceiling: not known, no item has two raters",
        "majority class",
        "swap, all dimensions",
        "unreadable",
    ):
        assert words in text.replace("\\", ""), words
        assert words in page, words
    (stored,) = json.loads((tmp_path / "card.json").read_text())
    assert stored["verdict"]["use"] in ("rank systems", "screen only", "do not use")


def judge_file(folder: Path, name: str, right: float) -> Path:
    rng = np.random.default_rng(len(name))
    truth = np.tile([1, 2], 60)
    votes = np.where(rng.random(120) < right, truth, 3 - truth)
    rows = "".join(f"p{n},{code}\n" for n, code in enumerate(votes))
    path = folder / name
    path.write_text(f"id,preference\n{rows}")
    return path


def test_several_judges_make_one_table_and_no_labels_say_so(tmp_path: Path) -> None:
    files = [judge_file(tmp_path, "a.csv", 0.9), judge_file(tmp_path, "bb.csv", 0.2)]
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "id,preference\n" + "".join(f"p{n},{1 + n % 2}\n" for n in range(120))
    )
    command = "card", *files, "--out", tmp_path / "out"
    output_of(*command, "--labels", labels)
    text = (tmp_path / "out" / "card.md").read_text()
    table_rows = [line for line in text.splitlines() if line.startswith("| a.csv")]
    assert "screen only" in table_rows[0]  # nobody tried both orders
    assert "do not use" in text
    # the labels may have another name
    theirs = tmp_path / "theirs.csv"
    theirs.write_text(labels.read_text().replace("preference", "vote"))
    output_of(*command, "--labels", theirs, "--column", "preference=vote")
    assert (tmp_path / "out" / "card.md").read_text() == text
    output_of(*command)
    text = (tmp_path / "out" / "card.md").read_text()
    assert "agreement with human labels: there are no labels" in text
    assert text.count("Fit for: unknown") == 2


def both_orders(folder: Path, same: int, pairs: int = 200) -> tuple[Path, Path]:
    """Write a judge asked twice, B first the second time, and labels with instructions.

    Where it is not the same, whatever is shown first wins; it is right wherever it is
    the same.
    """
    votes, truth = ["id,overall,clip_a,clip_b"], ["id,overall,instruction_id"]
    for n in range(pairs):
        better = 1 + n % 2
        swapped = 3 - better if n < same else 1
        votes += [
            f"p{n},{better if n < same else 1},a{n},b{n}",
            f"q{n},{swapped},b{n},a{n}",
        ]
        truth += [f"p{n},{better},i{n // 2}", f"q{n},{3 - better},i{n // 2}"]
    paths = folder / "twice.csv", folder / "twice_labels.csv"
    for path, lines in zip(paths, (votes, truth), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


def test_both_orders_of_a_file_are_seen(tmp_path: Path) -> None:
    judge, people = both_orders(tmp_path, 123)
    command = "card", judge, "--out", tmp_path / "card", "--full"
    printed = output_of(*command, "--labels", people)
    assert "123/200" in printed
    # 39 instructions speak, once each: 2 to the power of -38
    assert "prefers a position (p = 3.6e-12)" in printed
    text = (tmp_path / "card" / "card.md").read_text().replace("\\", "")
    assert "first 77, second 0, same answer 123" in text
    assert "100 instructions" in text  # the labels name them, the judgements do not
    assert "95% intervals over instructions" in text
    # no labels: the place is tested all the same
    assert "123/200" in output_of(*command)
    assert "Fit for: unknown" in (tmp_path / "card" / "card.md").read_text()
    judge, people = both_orders(tmp_path, 200)
    (card,) = make_cards([judge], read_labels(people))
    assert card.verdict.use == "rank systems"
    assert card.same_in_both_orders == (200, 200)
    assert any("longer answer" in text for text in card.unknown)
    # what the labels name and the file does not have is not scored
    people.write_text(people.read_text() + "".join(f"x{n},1,i\n" for n in range(200)))
    (card,) = make_cards([judge], read_labels(people))
    assert (card.scored, card.items, card.verdict.use) == (400, 600, "screen only")


def test_rows_of_one_pair_are_one_unit(tmp_path: Path) -> None:
    judge, people = both_orders(tmp_path, 150)
    source, labels = read_opinions(judge), read_labels(people)
    labels = dataclasses.replace(labels, facts={})
    both = agree([source], labels, AgreeOptions())
    apart = dataclasses.replace(source, facts={})
    alone = agree([apart], labels, AgreeOptions())
    assert both.drawn == "items, copies and both orders of a pair as one"
    assert alone.drawn == "items"
    widths = [
        np.diff(report.scores[0].metrics["accuracy_4way"].interval or (0, 0))[0]
        for report in (both, alone)
    ]
    # 150 pairs right twice, 50 right once: variance 2 / 64 per pair of two rows, not 7
    # / 64 each; in the old way of 400 single rows it was sqrt(7 / 64 / 400), with pairs
    # sqrt(3 / 64 / 200) (a ratio of .93); that rows of a pair are less alike than
    # others is not relied on
    assert 0.92 < widths[0] / widths[1] < 1.1
    run = gather(source, labels)
    unit = run.table.units()
    assert len(np.unique(unit)) == 200
    assert calibrate(run).groups == 200
    facts = {"system_a": "xyxy", "system_b": "yxyx", "clip_a": "abcd", "clip_b": "badc"}
    facts = {name: list(letters) for name, letters in facts.items()}
    assert outcomes_of(table("j", {"overall": "1122"}, **facts)).unit.tolist() == [
        0,
        0,
        1,
        1,
    ]


def test_copies_are_one_unit_of_win_rates() -> None:
    rng = np.random.default_rng(3)
    truth = np.repeat(rng.choice(["1", "2"], 60), 4)  # four copies of each pair
    number = len(truth)
    facts = {"system_a": ["x"] * number, "system_b": ["y"] * number}
    clips = {
        "clip_a": [f"a{n // 4}" for n in range(number)],
        "clip_b": [f"b{n // 4}" for n in range(number)],
    }
    labels = table("labels", {"preference": "".join(truth[:120])})

    def width(**more: list[str]) -> tuple[float, str]:
        judged = table("judge", {"preference": "".join(truth)}, **facts, **more)
        got = win_rate_tables(labelled(judged, labels))
        low, high = got.systems[0].rate.labels_interval or (0.0, 0.0)
        return high - low, got.design

    (apart, shown), (together, words) = width(), width(**clips)
    assert together == pytest.approx(2 * apart, rel=0.15)  # a quarter of the units
    assert shown.endswith("variance over items")
    assert words.endswith("variance over items, copies of a pair as one")


def probed(folder: Path, judge: str) -> Path:
    held = Share(3, 4)
    rows = (
        ProbeRow(
            name="identical",
            expected="a tie",
            held=held,
            unscored=1,
            limits=held.interval(),
        ),
        ProbeRow(name="silence", expected="A wins", held=Share(0, 0), unscored=5),
    )
    return ProbeReport(
        judge=judge, pairs=5, rows=rows, left_out=("mp3: no ffmpeg",)
    ).save(folder)


def test_probes_stand_on_the_card_and_at_its_gates(tmp_path: Path) -> None:
    judge, other = (
        judge_file(tmp_path, "a.csv", 0.9),
        judge_file(tmp_path, "bb.csv", 0.9),
    )
    out = tmp_path / "card"
    command: tuple[object, ...] = "card", judge, other, "--out", out
    output_of(*command)
    text = (out / "card.md").read_text()
    assert "Sanity probes" not in text
    assert text.count("sanity probes: run trace-eval drill judge") == 2
    command = *command, "--probes", probed(tmp_path, "a")
    output_of(*command, "--json", tmp_path / "card.json")
    stored = json.loads((tmp_path / "card.json").read_text())
    assert stored[0]["probes"]["rows"][0]["held"] == {"count": 3, "of": 4}
    assert stored[1]["probes"] is None
    text, page = (out / "card.md").read_text(), (out / "card.html").read_text()
    # Wilson's interval of 3 of 4: 0.3006 to 0.9544
    assert "| identical | a tie | 3 | 4 | 0.7500 | 0.3006 | 0.9544 | 1 |" in text
    # 5 pairs catch where at most 3 hold; that is so with 95 % where 66 % are broken.
    assert "a judge that breaks what a probe expects in 66% of them." in text
    assert "Left out: mp3: no ffmpeg" in text
    assert "<h3>Sanity probes</h3>" in page
    assert text.count("sanity probes: run trace-eval drill judge") == 1
    gate = output_of(*command, "--fail-under", "probe.identical=0.9", code=1)
    assert "probe.identical is 0.7500" in gate


def test_probes_of_another_judge_are_refused(tmp_path: Path) -> None:
    judge = judge_file(tmp_path, "a.csv", 0.9)
    path = probed(tmp_path, "openai:tiny")
    with pytest.raises(
        UserError, match=r"holds probes of openai:tiny, and the cards are of a;"
    ):
        make_cards([judge], probes=[path])
    with pytest.raises(UserError, match="a was probed twice"):
        make_cards([judge], probes=[probed(tmp_path, "a"), tmp_path])
    path.write_text("{}")
    with pytest.raises(UserError, match=r"probes\.json: no result of probes"):
        make_cards([judge], probes=[tmp_path])


def test_texts_stay_texts_in_markdown(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,preference,judge\np0,1,<b>|`*x*\n")
    (card,) = make_cards([path])
    assert "\\<b\\>\\|\\`\\*x\\*" in markdown([dataclasses.replace(card)])


def test_gates() -> None:
    values = {
        "j": {"agreement": 0.55, "kappa": None},
        "k": {"agreement": 0.7, "kappa": 0.4},
    }
    assert not any(one.failed for one in checked(["agreement=0.5"], values))
    assert [
        one.text
        for one in checked([" agreement=0.6", "kappa=.2"], values)
        if one.failed
    ] == [
        "j: agreement is 0.5500, wanted at least 0.6",
        "j: kappa is not known, wanted at least 0.2",
    ]
    for bad in ("agreement", "agreement=much", "agreement=nan"):
        with pytest.raises(UserError, match="write NAME=NUMBER"):
            checked([bad], values)
    with pytest.raises(UserError, match="no such figure; use one of agreement, kappa"):
        checked(["f1=1"], values)


def test_gates_end_commands_with_1(tmp_path: Path) -> None:
    judge = judge_file(tmp_path, "a.csv", 0.9)
    labels = judge_file(tmp_path, "labels.csv", 1.0)
    for name in ("agree", "card"):
        command: list[object] = [name, judge, "--labels", labels]
        command += ["--out", tmp_path / "card"] if name == "card" else []
        output_of(*command, "--fail-under", "agreement=0.6")
        failed = output_of(*command, "--fail-under", "agreement=0.99", code=1)
        assert "wanted at least 0.99" in failed
