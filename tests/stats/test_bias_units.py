"""Tests of bias count instructions: pairs of one are no independent trials."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage.rows import opinions
from tests.support.cli import trace_eval
from tests.support.sheets import write_sheet
from trace_eval.decide.card import make_cards
from trace_eval.decide.rank import rank
from trace_eval.estimate.figures import share_over_units
from trace_eval.estimate.interval import Range
from trace_eval.estimate.share import Share
from trace_eval.opinions.codes import Codes
from trace_eval.runs.outcomes import VerdictRow, first_position_test
from trace_eval.runs.probe.injection import InjectionReport, Trial
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.agreement.bias import difficulty, length_bias, verbosity
from trace_eval.stats.agreement.checks import swapped
from trace_eval.stats.agreement.findings import mirrored_truth
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.position import position_bias, self_comparisons
from trace_eval.stats.agreement.reasons import reasons_note
from trace_eval.stats.agreement.suspects import check_raters
from trace_eval.stats.options import AgreeOptions

#: Instructions of a study, pairs of each, and how many studies.
INSTRUCTIONS, EACH, DRAWS = 12, 8, 400
UNIT = np.repeat(np.arange(INSTRUCTIONS), EACH)

#: Share of studies that may be false alarms at 5 %: 400 draws stay below with 99.9 %.
MOST = 0.085


def alike(rng: np.random.Generator) -> Codes:
    """Draw labels 1 or 2 without preference, which pairs of one instruction share."""
    own = rng.integers(0, 2, INSTRUCTIONS)[UNIT]
    noise = rng.random(len(UNIT)) < 0.15
    return np.where(noise, 1 - own, own).astype(np.int8)


def test_no_bias_is_seldom_claimed_where_instructions_have_several_pairs() -> None:
    rng = np.random.default_rng(54)
    ties = np.full(len(UNIT), 2, np.int8)
    long, short = np.full(len(UNIT), 30.0), np.full(len(UNIT), 10.0)
    every = np.ones(len(UNIT), bool)
    claims = dict.fromkeys(("position", "length", "verbosity", "self"), 0)
    apart = dict.fromkeys(claims, 0)
    for _ in range(DRAWS):
        codes = alike(rng)
        for counts, unit in ((claims, UNIT), (apart, None)):
            counts["position"] += position_bias(codes, codes, unit).p < 0.05
            counts["length"] += (
                length_bias(ties, codes, length_a=long, length_b=short, unit=unit).p
                < 0.05
            )
            counts["verbosity"] += (
                verbosity(ties, codes, tokens_a=long, tokens_b=short, unit=unit).p
                < 0.05
            )
            counts["self"] += self_comparisons(codes, every, unit).p < 0.05
    assert max(claims.values()) <= MOST * DRAWS, claims
    assert min(apart.values()) >= 0.3 * DRAWS, apart  # the test knows a wrong answer


def test_no_bias_of_hard_pairs_or_mirrored_answers_is_claimed() -> None:
    """Quartiles, ease and labels of mirrored answers, over pairs that are alike."""
    rng, claims = (
        np.random.default_rng(5),
        dict.fromkeys(("ease", "quartile", "mirrored"), 0),
    )
    clips = np.array([f"c{n}" for n in range(len(UNIT))], object)
    half = len(UNIT) // 2
    facts = {
        "clip_a": np.r_[clips[:half], clips[half:]],
        "clip_b": np.r_[clips[half:], clips[:half]],
    }
    facts["instruction_id"] = np.array(
        [f"i{n % half // EACH}" for n in range(len(UNIT))], object
    )
    together = np.arange(len(UNIT)) % half // EACH
    ids = np.array([str(n) for n in range(len(UNIT))], object)
    for _ in range(DRAWS // 2):
        place, other = alike(rng), alike(rng)
        back = np.where(rng.random(INSTRUCTIONS)[UNIT] < 0.5, place, 1 - place).astype(
            np.int8
        )
        ease = rng.random(INSTRUCTIONS)[UNIT] + 0.01 * rng.random(len(UNIT))
        hard = difficulty(
            place, back, mos_a=ease + 2, mos_b=np.full(len(UNIT), 2.0), unit=UNIT
        )
        assert hard is not None
        claims["ease"] += hard.p is not None and hard.p < 0.05
        claims["quartile"] += hard.quartiles[0].bias.p < 0.05
        kept = np.r_[
            other[:half],
            np.where(alike(rng)[:half] > 0, other[:half], 1 - other[:half]),
        ]
        bias = mirrored_truth(
            ids, facts, kept.astype(np.int8), who="labels", unit=together
        )
        claims["mirrored"] += any("mirror the labels" in one.text for one in bias)
    assert max(claims.values()) <= 0.1 * DRAWS // 2, claims


def test_the_card_takes_loudness_over_instructions(tmp_path: Path) -> None:
    lines = [
        "id,judge,preference,instruction_id,loudness_a,loudness_b,system_a,system_b"
    ]
    lines += [f"{n},j,A,i{n // 8},-16,-30,new,old" for n in range(32)]
    judged, people = tmp_path / "judged.csv", tmp_path / "people.csv"
    judged.write_text("\n".join(lines) + "\n")
    people.write_text("id,preference\n" + "".join(f"{n},tie\n" for n in range(32)))
    (card,) = make_cards([judged], people, [])
    assert card.loudness is not None
    assert (card.loudness.louder, card.loudness.p) == (32, pytest.approx(2 / 2**4))


def test_a_bias_is_still_found_over_instructions() -> None:
    first = np.zeros(len(UNIT), np.int8)
    assert position_bias(first, first, UNIT).p == pytest.approx(2 / 2**INSTRUCTIONS)
    assert self_comparisons(first, first == 0, UNIT).p == pytest.approx(
        2 / 2**INSTRUCTIONS
    )


def test_exchanged_labels_are_told_by_instructions() -> None:
    ids = np.array([str(n) for n in range(len(UNIT))], object)
    rng, found = np.random.default_rng(7), 0
    for _ in range(DRAWS):
        truth = rng.integers(0, 2, len(UNIT)).astype(np.int8)
        agrees = alike(rng) == 0
        predicted = np.where(agrees, truth, 1 - truth).astype(np.int8)
        found += bool(list(swapped(ids, truth, predicted, who="judge", unit=UNIT)))
    assert found <= 0.03 * DRAWS
    mirrored = (1 - truth).astype(np.int8)
    assert list(swapped(ids, truth, mirrored, who="judge", unit=UNIT))


def test_a_run_counts_instructions_in_its_own_test_of_places() -> None:
    row = VerdictRow("scored", None, (), (), both_orders=3, first=3)
    alone = first_position_test([row] * 16)
    together = first_position_test([row] * 16, ["one"] * 8 + ["two"] * 8)
    assert alone is not None
    assert together is not None
    assert alone.warning is not None
    assert (together.pairs, together.first, together.p) == (16, 48, 0.5)
    assert together.warning is None


def test_agree_gives_its_bias_tables_the_units() -> None:
    number = 32
    instruction = [f"i{n // 8}" for n in range(number)]
    facts = {
        f"duration_{side}": np.full(number, s) for side, s in (("a", 9.0), ("b", 4.0))
    }
    judge = opinions(
        "judge", np.zeros(number, np.int8), instruction_id=instruction, **facts
    )
    labels = opinions("labels", np.full(number, 4, np.int8), instruction_id=instruction)
    report = agree_labels([judge], labels, AgreeOptions())
    (row,) = report.length
    assert (row.bias.longer, row.bias.shorter) == (number, 0)
    assert row.bias.p == pytest.approx(2 / 2**4)


def test_the_page_of_a_file_counts_instructions(tmp_path: Path) -> None:
    """Both orders of 24 pairs of two instructions: the first wins always."""
    lines = ["id,judge,preference,clip_a,clip_b,instruction_id,system_a,system_b"]
    for n in range(24):
        lines.append(f"{n},j,A,x{n},y{n},i{n // 12},new,old")
        lines.append(f"{n}r,j,A,y{n},x{n},i{n // 12},old,new")
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines) + "\n")
    done = trace_eval("rank", path, ends=0)
    assert "left out" not in " ".join((done.out + done.err).split())


def test_reasons_of_one_instruction_are_no_independent_trials() -> None:
    """Half of the instructions have unsupported reasons in all of their pairs."""
    number = 96
    bad = (np.arange(number) // 8 % 2).astype(float)
    facts = {
        "reasons": np.full(number, 3.0),
        "reasons_unsupported": 3 * bad,
        "claims": np.full(number, 3.0),
        "claims_true": 3 - 3 * bad,
    }
    said = []
    for instructions in (
        [f"i{n // 8}" for n in range(number)],
        [f"i{n}" for n in range(number)],
    ):
        labels = np.zeros(number, np.int8)
        judged = opinions("judge", labels, instruction_id=instructions, **facts)
        said.append(reasons_note(JudgeOpinions("judge", judged, judged)) or "")
    assert "50% (n=288, 95 % score limits 2" in said[0]
    assert "over 12 pairs or instructions" in said[0]
    assert "95 % score limits 40% to 60%" in said[1]


def test_agreement_of_a_rater_is_over_instructions() -> None:
    """Limits of labels and scores hold where an instruction's items are all alike."""
    rng, inside, apart = np.random.default_rng(11), {"labels": 0, "scores": 0}, 0
    instructions = {f"p{n}": f"i{unit}" for n, unit in enumerate(UNIT)}
    names = ["one"] * len(UNIT) + ["two"] * len(UNIT)
    for _ in range(DRAWS // 2):
        said = np.r_[np.zeros(len(UNIT)), (rng.random(INSTRUCTIONS) < 0.3)[UNIT]]
        heard = rng.normal(size=INSTRUCTIONS)[UNIT]
        other = 0.5 * heard + 0.75**0.5 * rng.normal(size=INSTRUCTIONS)[UNIT]
        for kind, votes, truth in (
            ("labels", said, 0.7),
            ("scores", np.r_[heard, other], 0.5),
        ):
            items, of_scores = list(instructions) * 2, kind == "scores"
            (row, _) = check_raters(
                names, items, votes, of_scores, instructions=instructions
            )
            assert row.interval is not None
            inside[kind] += row.interval[0] <= truth <= row.interval[1]
            if kind == "labels":
                (row, _) = check_raters(names, items, votes, of_scores)
                assert row.interval is not None
                apart += row.interval[0] <= truth <= row.interval[1]
    assert min(inside.values()) >= 0.9 * DRAWS // 2, inside
    assert apart <= 0.75 * DRAWS // 2, apart  # the test knows a wrong answer


def test_shares_of_drills_are_over_instructions() -> None:
    """Pairs of one instruction, and attacks on one pair, are no independent trials."""
    pairs = [f"i{n // 8}" for n in range(96)]
    flips = [n // 8 % 2 == 0 for n in range(96)]
    low, high = ends_of(share_over_units(flips, pairs))
    assert low == pytest.approx(0.2, abs=0.05)
    assert high == pytest.approx(0.8, abs=0.05)
    alone = ends_of(share_over_units(flips, [str(n) for n in range(96)]))
    assert alone == pytest.approx(Share(48, 96).interval())
    assert share_over_units([True, False] * 8, ["one"] * 8 + ["two"] * 8) == (
        "no interval: only 2 units are drawn from, 5 are needed"
    )
    trials = [
        Trial(
            pair=f"p{n}",
            instruction=pairs[n],
            attack=f"role play {attack}",
            place="instruction",
            towards="1",
            before="2",
            after="1" if flips[n] else "2",
        )
        for n in range(96)
        for attack in range(5)
    ]
    report = InjectionReport("judge", tuple(trials), 0)
    assert report.share() == Share(240, 480)
    assert ends_of(report.limits()) == pytest.approx((low, high), abs=0.02)


def ends_of(limits: Range | str) -> Range:
    assert not isinstance(limits, str), limits
    return limits


def test_instructions_that_one_file_names_count_in_the_other(tmp_path: Path) -> None:
    """A judge's table says nothing of instructions; the labels beside it do."""
    judged, people = tmp_path / "judged.csv", tmp_path / "people.csv"
    wins = ["A" if n // 8 % 3 else "B" for n in range(96)]
    judged.write_text(
        "id,preference,system_a,system_b\n"
        + "".join(f"{n},{label},new,old\n" for n, label in enumerate(wins))
    )
    lines = [f"{n},{label},i{n // 8}" for n, label in enumerate(wins)]
    write_sheet(people, "id,preference,instruction_id", lines)
    low, high = rank(judged, people).judged[0].rate.interval or (0.0, 0.0)
    assert high - low > 0.4  # of 96 independent pairs it would be .19
