"""Screening: the guarantee by simulation, p values by hand, lists and words."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.coverage.screen import STUDY, UNSEEN
from blueprints import UserError
from tests.support.cli import code_and_words, output_of
from tests.support.label_tables import table
from tests.support.sheets import write_sheet
from trace_eval.decide.labelled import read_labelled_run
from trace_eval.decide.screen import Screening, screen
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import units
from trace_eval.stats.inference.decidable import (
    DecidableStratum,
    fewest_labels,
    labels_needed,
    p_below,
    wanted_labels,
    worth,
)
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.inference.sampling import Drawn, drawn_labels, simple_design
from trace_eval.stats.options import ScreenOptions

#: Seeds here; python -m benchmarks.coverage screen draws 2,000.
SEEDS = 20


def test_p_values_by_hand() -> None:
    agrees = np.array([1.0] * 9 + [0.0])
    everybody = np.ones(10, bool)
    # P(Bin(10, .8) >= 9) = 10 * .8^9 * .2 + .8^10
    p = p_below(agrees, simple_design(everybody), everybody, 0.8)
    assert p == pytest.approx(10 * 0.8**9 * 0.2 + 0.8**10, abs=1e-12)
    # nobody was asked in the part
    assert p_below(agrees, simple_design(~everybody), everybody, 0.8) == 1.0


def test_a_certain_stratum_moves_what_the_rest_must_reach() -> None:
    # 20 taken with certainty, 10 agree; 80 others of which 40 were asked and 38 agree.
    # For 0.8 over all 100 the others need (80 - 10) / 80 = 0.875.
    agrees = np.r_[
        np.ones(10), np.zeros(10), np.ones(38), np.zeros(2), np.full(40, np.nan)
    ]
    wanted = np.arange(100) < 60
    inclusion = np.r_[np.ones(20), np.full(40, 0.5), np.full(40, np.nan)]
    design = simple_design(wanted, inclusion)
    p = p_below(agrees, design, np.ones(100, bool), 0.8)
    assert p == pytest.approx(float(binom.sf(37, 40, 0.875)), abs=1e-12)


def test_clusters_are_one_observation_where_nothing_else_is_seen() -> None:
    agrees, everybody = np.ones(200), np.ones(200, bool)

    def p(clusters: int, labels: np.ndarray = agrees) -> float:
        cluster = np.repeat(np.arange(clusters), 200 // clusters)
        return p_below(
            labels, simple_design(everybody, cluster=cluster), everybody, 0.9
        )

    assert p(200) == pytest.approx(0.9**200)
    # all agree: four instructions are at most four observations
    assert p(4) > 0.9**4
    assert 0.9**100 < p(100) < 20 * 0.9**100
    # disagreement in whole instructions says less than the same number scattered over
    # all
    spread, whole = np.ones(200), np.ones(200)
    spread[::20], whole[:10] = 0, 0
    assert p(40, whole) > 2 * p(40, spread)


@pytest.mark.parametrize(
    "shares", [(0.9, 0.9, 0.9), (1.0, 1.0, 0.7), (0.85, 0.95, 0.9)]
)
@pytest.mark.parametrize("sizes", [(2, 2, 2), (1, 2, 3), (1, 1, 4)])
def test_bets_are_p_values_however_alike_an_instruction_is(
    shares: tuple[float, ...], sizes: tuple[int, ...]
) -> None:
    """All outcomes, where an instruction agrees as a whole or not at all."""
    everybody = np.ones(sum(sizes), bool)
    design = simple_design(everybody, cluster=np.repeat(np.arange(3), sizes))
    target = float(
        np.average(shares, weights=sizes)
    )  # the hypothesis is true, and only just
    got = []
    for right in itertools.product((0, 1), repeat=3):
        chance = np.prod(
            [s if r else 1 - s for s, r in zip(shares, right, strict=True)]
        )
        agrees = np.repeat(np.array(right, float), sizes)
        got.append((p_below(agrees, design, everybody, target), float(chance)))
    for level, _ in got:
        assert sum(chance for p, chance in got if p <= level) <= level + 1e-12
    # the mean wealth is 1 at most, which is why
    assert sum(chance / p for p, chance in got if p < 1) <= 1 + 1e-9


@pytest.mark.parametrize("wrong", [(3,), (0, 1), (0, 3), (2, 3, 4)])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 4, 4), (1, 1, 1, 1, 9), (2, 3, 3, 3, 8)])
@pytest.mark.parametrize("wanted", [2, 3])
def test_instructions_that_were_not_drawn_count(
    sizes: tuple[int, ...], wrong: tuple[int, ...], wanted: int
) -> None:
    """All draws of whole instructions: the hypothesis is true, and only just."""
    cluster = np.repeat(np.arange(5), sizes)
    agrees = (~np.isin(cluster, wrong)).astype(float)
    draws = list(itertools.combinations(range(5), wanted))
    got = [
        p_below(
            agrees,
            simple_design(np.isin(cluster, drawn), cluster=cluster),
            np.ones(len(cluster), bool),
            float(agrees.mean()),
        )
        for drawn in draws
    ]
    for level in got:
        assert np.mean([p <= level for p in got]) <= level + 1e-12


#: Worlds of labels that can promise nothing of the run, and are told so.
REFUSED = {
    "inclusion 1: 200 needed pairs, nothing of the others",
    "inclusion 1: the surest third",
    "inclusion .4: of the drawn ones the easy ones were done",
    "review: needed done, none of the slice",
    "class of 12 % wrong, .005, drawn by chance",
    "the same, of fixed number",
    "the surer half alone labelled, and nobody says so",
}


#: Worlds of an exact test, at the target less 0.001.
EXACT = {
    "review: needed done, 300 of the slice, worst",
    "plain sample of 30, worst",
    "ties in certainty, worst",
    "tiny: 36 of 40 pairs, worst",
    "the 150 least sure for certain, 150 of the others, worst",
    "control: the surer the better",
}


@pytest.mark.parametrize("name", [name for name in STUDY if name != UNSEEN])
def test_awkward_draws_promise_nothing_false(name: str) -> None:
    got = STUDY[name](SEEDS)
    # an exact test uses up its 5 %, and four standard errors of that; bets stay far
    # below
    allowed = 0.05 + 4 * (0.05 * 0.95 / SEEDS) ** 0.5
    assert got["violations"]["share"] <= (allowed if name in EXACT else 0.0)
    assert got["refused"] == (name in REFUSED)
    if name.startswith("control"):
        assert got["decided"] >= 1 / 4  # it is not silent either


def drawn_of(inclusion: list[float], wanted: int, total: int = 100) -> Drawn:
    """Return the rule for a run of which the first pairs have a label."""
    given = np.r_[inclusion, np.full(total - len(inclusion), np.nan)]
    rows = np.arange(total)
    ids = np.array([f"p{n}" for n in rows], object)
    return drawn_labels("labels", ids, given, rows < wanted, np.ones(total, bool))


def test_probabilities_must_add_up_to_the_run() -> None:
    # 20 with certainty and 40 of the other 80: the pairs without a label had the same
    # half
    got = drawn_of([1.0] * 20 + [0.5] * 40, 60)
    assert (got.problem, got.doubt) == (None, None)
    assert got.inclusion[60:].tolist() == [0.5] * 40
    # with 30 of 40 done they would be three of eight, not a half: 20 + 60 of 100 pairs
    short = drawn_of([1.0] * 20 + [0.5] * 30, 50)
    # chance could do that if every pair was drawn by itself: 4 sqrt(30 * 2) > 20
    assert (short.problem, "is unknown" in str(short.doubt)) == (None, True)
    for inclusion, wanted, words in (
        ([1.0] * 20, 20, "stand for 20 of 100 pairs"),
        ([0.99] * 20, 20, "stand for 20 of 100 pairs"),
        ([0.1] * 80, 80, "stand for 800 of 100 pairs .*cannot be its own"),
        ([np.nan] * 20, 20, "inclusion of its 20 labels is empty"),
        ([1.0] * 20 + [0.5] * 80, 15, "5 pairs with an inclusion of 1 have no label"),
        ([0.9] * 100, 40, "40 labels where the inclusion of all pairs makes 90 likely"),
    ):
        got = drawn_of(inclusion, wanted)
        assert got.inclusion is None
        assert re.search(words, str(got.problem))
    # all are known: the bound uses them; estimates do not speak for a class that was
    # not drawn
    known = drawn_of([0.9] * 90 + [0.01] * 10, 85)
    assert (known.problem, known.doubt) == (None, None)
    assert "10 of 100 pairs were less likely" in str(known.caption)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_p_value_too_small_for_a_number_is_no_fault() -> None:
    """3,000 pairs, two of one instruction, that all agree or all disagree."""
    number = 3_000
    everybody = np.ones(number, bool)
    cluster = np.maximum(np.arange(number), 1)
    design = simple_design(
        everybody, cluster=np.unique(cluster, return_inverse=True)[1]
    )
    right = np.ones(number)
    assert p_below(right, design, everybody, 0.5) == 0
    # the largest bet doubles the wealth each time: at most 3,000 labels that agree, and
    # less for instructions of one pair beside one of two
    labels = worth(design, everybody, 0.5)
    assert 1_000 < labels < number
    many = np.ones(60_000, bool)
    of_two = simple_design(many, cluster=np.arange(60_000) // 2)
    assert p_below(np.zeros(60_000), of_two, many, 0.9) == 1
    # a part whose turn did not come, with more labels than would suffice
    part = DecidableStratum(
        signal="confidence",
        threshold=0.5,
        decided=number,
        share=1.0,
        labelled=number,
        agreement=1.0,
        p=0.0,
        allowed=0.0,
        holds=False,
    )
    assert wanted_labels([part], 0.5, 0.05, plain=False) == (None, None)


def test_copies_and_instructions_are_one_unit() -> None:
    clips = {
        "clip_a": ["a", "b", "x", "c", "c", None],
        "clip_b": ["b", "a", "y", "d", "e", None],
    }
    columns = {"overall": "111111"}
    # a-b is b-a; c-d and c-e share one recording only; an unknown one is a copy of
    # nothing
    assert units(table("judge", columns, **clips).facts).tolist() == [0, 0, 1, 2, 3, 4]
    named = table("judge", columns, **clips, instruction_id=list("ijjkkl"))
    # i and j share a copy
    assert units(named.facts).tolist() == [0, 0, 0, 1, 1, 2]
    assert units(table("judge", columns).facts) is None


@pytest.mark.parametrize(
    ("inclusion", "words"),
    [
        ([1.0] * 40, "stand for 40 of 200 pairs"),
        ([None] * 40, "inclusion of its 40 labels is empty"),
        ([0.2] * 39 + [None], "1 label has no inclusion probability, first 'p39'"),
    ],
)
def test_three_commands_have_one_rule(
    tmp_path: Path, inclusion: list[float | None], words: str
) -> None:
    judge, labels = tmp_path / "judge.csv", tmp_path / "labels.csv"
    rows = [f"p{n},x,{'yz'[n % 2]},{1 + n % 2},0.{n:03}" for n in range(200)]
    write_sheet(judge, "id,system_a,system_b,preference,confidence", rows)
    given = ["" if value is None else str(value) for value in inclusion]
    text = [f"p{n},{1 + n % 2},{value}" for n, value in enumerate(given)]
    write_sheet(labels, "id,preference,inclusion", text)
    for command, silent in (
        ("screen", "may be decided by the judge alone"),
        ("rank", "Human win rates"),
        ("agree", "Human labels over all judged pairs, from"),
    ):
        wanted = [] if command == "screen" else ["--full"]
        missing = ["--missing", "drop"] if command == "agree" else []
        code, printed = code_and_words(
            command, judge, "--labels", labels, *wanted, *missing
        )
        assert words in printed
        assert silent not in printed
        # labels that contradict themselves are refused where nothing else is to be had
        assert (code != 0) == (command == "screen" and "first" in words)


def test_needed_labels_do_what_they_say() -> None:
    assert fewest_labels(0.9, 0.05) == 29  # 0.9^29 = 0.047
    number = labels_needed(0.95, 0.9, 0.05)
    critical = next(k for k in range(number) if binom.sf(k - 1, number, 0.9) <= 0.05)
    assert binom.sf(critical - 1, number, 0.95) >= 0.8
    assert labels_needed(0.9, 0.9, 0.05) is None


def pairs(number: int, right: float, seed: int = 0, **extra: object) -> Opinions:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, number)
    votes = np.where(rng.random(number) < right, truth, 1 - truth)
    verdicts = "".join("12"[code] for code in votes)
    labels = "".join("12"[code] for code in truth)
    judged = table(
        "judge",
        {"overall": verdicts},
        confidence=[str(rng.random()) for _ in truth],
        **extra,
    )
    return judged.beside(labels=table("labels", {"overall": labels}))


def screened(source: Opinions, **options: object) -> Screening:
    return screen(gather(source, None), ScreenOptions(**options))


def test_what_it_says_when_it_can_and_when_it_cannot() -> None:
    good = screened(pairs(400, 0.98))
    assert good.chosen.share == 1.0
    assert "400 pairs (100% of the scored ones) may be decided" in good.verdict
    few = screened(pairs(27, 1.0))
    assert few.chosen is None
    assert few.needed > 27
    assert f"about {few.needed} labels" in few.verdict
    bad = screened(pairs(300, 0.8))
    assert (bad.chosen, bad.needed, bad.decided) == (None, None, ())
    assert "more labels would not change" in bad.verdict
    assert "At --agree 0.65 the judge could decide 300 pairs" in bad.verdict
    assert len(bad.review) == 300
    useless = screened(pairs(300, 0.5))
    assert useless.verdict.endswith(
        "A lower --agree is no help: not even 50% is shown."
    )


def test_a_split_of_raters_is_named_and_a_rater_can_be_left_out(tmp_path: Path) -> None:
    judge, labels = tmp_path / "judge.csv", tmp_path / "labels.csv"
    ids = range(100)
    rows = [f"p{n},{1 + n % 2},{n / 100}" for n in ids]
    write_sheet(judge, "id,overall,confidence", rows)
    text = [f"p{n},ann,{1 + n % 2}\np{n},bob,{1 + n // 2 % 2}" for n in ids]
    write_sheet(labels, "id,rater,overall", text)
    command = ("screen", judge, "--labels", labels)
    code, printed = code_and_words(*command)
    assert code == 0
    # half of the pairs are split: 50 + 50 / 2 of 100
    assert "Raters split on 50 of 100 labelled pairs" in printed
    assert "no judge can agree with more than 75.0%" in printed
    assert "more raters would settle them, or --leave-out RATER" in printed
    _, alone = code_and_words(*command, "--leave-out", "bob")
    assert "100 pairs (100% of the scored ones) may be decided" in alone
    code, unknown = code_and_words(*command, "--leave-out", "rob")
    assert (code, "did you mean bob?" in unknown) == (2, True)
    labels.write_text("\n".join(labels.read_text().splitlines()[:-6]))
    # 48 of 97 are split: .75258, which is less than .7529 and would round to .753
    _, beside = code_and_words(*command, "--agree", "0.7529")
    assert "no judge can agree with more than 75.26%" in beside
    # one of the 48 has no verdict: a screen asks about 96 pairs, a plan about all 97
    judge.write_text(judge.read_text().replace("p2,1,", "p2,,"))
    _, unscored = code_and_words(*command)
    assert "Raters split on 47 of 96 labelled pairs that the judge scored" in unscored
    first, *others = judge.read_text().splitlines()
    with_systems = [f"{first},system_a,system_b", *(f"{row},new,old" for row in others)]
    judge.write_text("\n".join(with_systems))
    _, planned = code_and_words("plan", judge, "--labels", labels)
    assert "raters split on 48 labelled pairs: half a win" in planned


def test_unscored_pairs_are_hopeless_and_the_review_is_least_sure_first() -> None:
    judged = table(
        "judge", {"overall": "12-1"}, confidence=["0.9", "0.2", "0.5", "0.4"]
    )
    got = screened(judged.beside(labels=table("labels", {"overall": "1212"})))
    assert got.hopeless == ("p2",)
    assert got.review == ("p1", "p3", "p0")


def test_raters_who_judge_decide_no_pair_on_which_they_split(tmp_path: Path) -> None:
    sheet, labels = tmp_path / "sheet.csv", tmp_path / "labels.csv"
    # of every four pairs ann and bob say 1 1, 2 2, 1 2 and tie tie; labels say 1
    said = ["1,1", "2,2", "1,2", "tie,tie"]
    write_sheet(sheet, "id,ann,bob", [f"p{n},{said[n % 4]}" for n in range(80)])
    write_sheet(labels, "id,preference", [f"p{n},1" for n in range(80)])
    run = read_labelled_run(sheet, labels)
    assert run.agrees[:4].tolist() == [1, 0, 0.5, 0]
    result = screen(run, ScreenOptions(agree=0.2))
    # 20 of the 60 pairs on which they have one label agree
    assert (result.parts[0].decided, result.parts[0].agreement) == (60, 20 / 60)
    assert (len(result.decided), result.hopeless) == (60, ())
    assert result.review == tuple(f"p{n}" for n in range(2, 80, 4))
    out = output_of("screen", sheet, "--labels", labels)
    assert "several raters, who split on 20 pairs: those are left to people" in out
    assert "below 0.9; exact, over pairs" in out
    # every form of label that they may be compared with
    for other in ("id,ann,bob", "id,preference", "id,overall", "id,cat,dan,eve"):
        columns = other.count(",")
        rows = [f"p{n}" + ",1" * (columns - 1) + f",{1 + n % 2}" for n in range(80)]
        write_sheet(labels, other, rows)
        for command in ("screen", "plan", "rank"):
            code, printed = code_and_words(command, sheet, "--labels", labels)
            assert "this is a bug" not in printed, (command, other)
            assert code in (0, 2), (command, other)


def test_signs_of_certainty() -> None:
    columns = {"overall": "112g"}
    margin = ["2", "-1", "-3", "0.5"]
    judged = table("judge", columns, margin=margin, entropy=["0", "1", "", "0.5"])
    other = table("other", {"overall": "122b"})
    got = gather(judged, None, others=[other]).signals
    # ahead by 2; against its label by 1; B ahead by 3; a tie is surest at 0
    assert got["margin"].tolist() == [2, -1, 3, -0.5]
    assert got["entropy"].tolist() == [0, -1, -1, -0.5]  # unknown: as the least sure
    assert got["judges"].tolist() == [1, 0, 1, 1]  # ties are one label among judges
    with pytest.raises(UserError, match="--by repeats: this judge does not give it"):
        screened(judged.beside(labels=table("l", columns)), by=("repeats",))


def test_the_command_writes_three_lists(tmp_path: Path) -> None:
    judged, labels = tmp_path / "judge.csv", tmp_path / "labels.csv"
    rng = np.random.default_rng(1)
    certainty = rng.random(300)
    right = rng.random(300) < 0.5 + 0.5 * certainty
    rows = [f"p{n},{1 + n % 2},{value:.6f}" for n, value in enumerate(certainty)]
    write_sheet(judged, "id,preference,confidence", rows)
    rows = [f"p{n},{1 + (n % 2 if yes else 1 - n % 2)}" for n, yes in enumerate(right)]
    write_sheet(labels, "id,preference", rows)
    out = tmp_path / "lists"
    command = [
        "screen",
        str(judged),
        "--labels",
        str(labels),
        "--agree",
        "0.8",
        "--out",
        str(out),
    ]
    output_of(*command)
    lists = ("decided", "review", "hopeless")
    rows = {name: list(csv.DictReader((out / f"{name}.csv").open())) for name in lists}
    assert sum(map(len, rows.values())) == 300
    assert rows["decided"]
    certainty = [float(row["certainty"]) for row in rows["decided"]]
    assert certainty == sorted(certainty, reverse=True)
    assert max(float(row["certainty"]) for row in rows["review"]) < certainty[-1]
    stored = json.loads((out / "screen.json").read_text())
    assert stored["chosen"]["decided"] == len(rows["decided"])
