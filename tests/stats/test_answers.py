"""The sentences of whole reports: every choice between two of them, on both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trace_eval.compare.evaluate import Mutual, RunComparison
from trace_eval.compare.options import CompareOptions
from trace_eval.compare.tables import compare_answer
from trace_eval.decide.answers import (
    agree_answer,
    answered,
    card_answer,
    rank_answer,
)
from trace_eval.decide.verdict import decide
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import McNemar
from trace_eval.stats.agreement.baselines import Baseline, Majority
from trace_eval.stats.agreement.figures import AgreementFigure
from trace_eval.stats.agreement.metrics import Comparison
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.ppi import PPIEstimate
from trace_eval.stats.inference.system_rates import DifferenceRow, RateRow, WinRates
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.ranking.report import (
    HUMAN_RATES,
    Caveat,
    MeanRow,
    RankReport,
    SystemStanding,
)
from trace_eval.stats.report import AgreeReport, Coverage, ScoreReport
from trace_eval.stats.sentences import before_labels

Limits = tuple[float, float] | None

BELIEVE = "Judge and annotators name different winners: believe annotators."
NO_LABELS = "Nobody labelled these pairs: what annotators would say is unknown."


def row(
    system: str,
    value: float,
    limits: Limits = None,
    p: float | None = None,
    **more: Any,
) -> RateRow:
    """Return a win rate of 40 labels and 200 judgements."""
    got = dict.fromkeys(PPIEstimate.__dataclass_fields__, None) | {
        "labelled": 40,
        "judged": 200,
    }
    got["open"] = 200 - more.get("labelled", 40)
    got |= {
        "labels": value,
        "labels_interval": limits,
        "both": value,
        "interval": limits,
        "p": p,
    }
    got |= more
    return RateRow(system, PPIEstimate(**got))


def ranking(
    judged: tuple[RateRow, ...] = (
        row("new", 0.6, (0.5, 0.7)),
        row("old", 0.4, (0.3, 0.5)),
    ),
    options: RankOptions | None = None,
    **more: Any,
) -> RankReport:
    empty = dict.fromkeys(
        ("warnings", "places", "correlations", "parameters", "caveats"), ()
    )
    known = {"source": "x", "unscored": 0, "self_compared": 0, **empty, **more}
    return RankReport(
        **known, options=options or RankOptions(), systems=(), judged=judged
    )


@pytest.mark.parametrize(
    ("p", "exact", "words"),
    [
        (0.057, True, "not shown to be better (exact sign test, p = 0.057)"),
        (0.04, False, "shown to be better (score test, p = 0.04)"),
    ],
)
def test_two_systems_by_the_judge(p: float, exact: bool, words: str) -> None:
    low = 0.5 if p > 0.05 else 0.51
    judged = (row("new", 0.6, (low, 0.7), p, exact=exact), row("old", 0.4))
    first, second, third = rank_answer(ranking(judged))
    limits = f"{100 * low:.0f}, 70"
    assert first == f"new wins 60 % [{limits}] of 40 pairs by this judge: {words}."
    assert second == NO_LABELS
    assert third.startswith(
        "With a label for each of the 40 pairs you would see a difference of"
    )
    assert rank_answer(ranking(judged=())) == ()


@pytest.mark.parametrize(
    ("people", "level", "last"),
    [
        # p is at most 1 - level, or not; the judge says new, annotators say old
        ({"value": 0.3, "p": 0.05}, 0.95, BELIEVE),
        ({"value": 0.3, "p": 0.051, "limits": (0.1, 0.51)}, 0.95, "If the difference is as lar"),
        ({"value": 0.3, "p": 0.1}, 0.9, BELIEVE),
        # both say new: nothing more is said
        ({"value": 0.7, "p": 0.05}, 0.95, None),
        ({"value": 0.7, "p": None}, 0.95, "40 labels are too few for an interval; five are nee"),
        (
            {"value": 0.5, "p": 1.0, "limits": (0.4, 0.6)},
            0.95,
            "Annotators see no difference at all",
        ),
    ],
)  # fmt: skip
def test_two_systems_by_people(
    people: dict[str, Any], level: float, last: str | None
) -> None:
    value = people.pop("value")
    got = (row("new", value, **people), row("old", 1 - value))
    options = RankOptions(BootstrapOptions(level=level))
    words = rank_answer(ranking(options=options, labelled=got))
    assert "by the 40 pairs that annotators labelled" in words[1]
    assert words[2:] == () if last is None else words[2].startswith(last)
    assert not any("of the run have none yet" in one for one in words)


def test_annotators_of_more_systems_than_were_judged_rank_them_all() -> None:
    people = (row("c", 0.7, (0.6, 0.8)), row("new", 0.55, p=0.3), row("old", 0.2))
    words = rank_answer(ranking(labelled=people))
    assert words[1].startswith("c is first by the 40 pairs that annotators labelled")
    assert not any("new wins" in sentence for sentence in words[1:])


def test_judge_at_one_half_contradicts_nobody() -> None:
    for share, count in ((0.5, 2), (0.51, 3)):
        judged = (row("new", share, (0.4, 0.6)), row("old", 1 - share))
        people = (row("new", 0.3, p=0.01), row("old", 0.7))
        assert len(rank_answer(ranking(judged, labelled=people))) == count


def test_what_the_labels_of_people_are_of() -> None:
    limits, p = (0.4, 0.7), 0.3
    for weight, basis in (
        (0.0, "by the 40 pairs that"),
        (0.2, "by annotators, from 40 labels and all"),
    ):
        both = (row("new", 0.55, limits, p, weight=weight), row("old", 0.45))
        words = rank_answer(ranking(powered=WinRates(both, (), "")))
        assert basis in words[1]
        assert words[2].startswith(
            "If the difference is as large as it looks, not even a label for each"
            " of the 160 pairs"
        )
    caveat = Caveat(HUMAN_RATES, "inclusion is empty")
    silent = rank_answer(ranking(caveats=(caveat,)))
    assert silent[1:] == (
        "The human labels cannot speak for these pairs, see the note.",
    )
    typed = RankOptions(typed=True)
    words = rank_answer(
        ranking(options=typed, labelled=(row("new", 0.6), row("old", 0.5)))
    )
    assert words[1].endswith("(both may lose).")
    assert rank_answer(ranking(labelled=(row("other", 0.6),)))[1] == NO_LABELS


THREE = (row("a", 0.7, (0.6, 0.8)), row("b", 0.5), row("c", 0.3))


def places(high: int | None, *lows: int) -> dict[str, Any]:
    """Return rank intervals of a, b, c; a is ahead of those whose intervals miss it."""
    ends = ((1, high), (lows[0], 3), (lows[1], 3))
    return {
        "places": ahead(
            SystemStanding(
                method="win_rate",
                system=rate.system,
                value=0.5,
                exact=None,
                rank=1,
                low=low if high else None,
                high=top,
            )
            for rate, (low, top) in zip(THREE, ends, strict=True)
        )
    }


def ahead(places: Iterable[SystemStanding]) -> tuple[SystemStanding, ...]:
    """Standings that name the systems whose ranks are all behind."""
    text = tuple(places)
    standings = []
    for one in text:
        last = one.high or 9
        behind = tuple(other.system for other in text if (other.low or 0) > last)
        standings.append(replace(one, ahead=behind))
    return tuple(standings)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (places(1, 2, 2), ": shown to be ahead of all others."),
        (places(2, 2, 3), ": shown to be ahead of c, not of b."),
        (places(3, 2, 3), ": not shown to be ahead of b and c."),
        (places(None, 2, 3), "; ranks have no intervals here, so nothing is shown."),
    ],
)  # fmt: skip
def test_three_systems_are_ahead_where_rank_intervals_do_not_meet(
    more: dict[str, Any], words: str
) -> None:
    first = "a wins most by this judge, 70 % [60, 80] of 40 comparisons"
    assert rank_answer(ranking(THREE, **more))[0] == first + words


def test_equal_winners_and_people_of_several() -> None:
    even = (row("a", 0.6), row("b", 0.6), row("c", 0.3))
    (first, *_) = rank_answer(ranking(even, **places(1, 2, 2)))
    assert (
        first == "a and b win most by this judge, 60 % (no interval) of 40 comparisons."
    )
    equal = (row("a", 0.5), row("b", 0.5), row("c", 0.5))
    (first, *_) = rank_answer(ranking(equal, **places(1, 1, 1)))
    assert first.startswith("No system wins more than another by this judge: 50 %")

    def differing(p: float) -> str:
        parts = tuple(DifferenceRow("a", other, THREE[0].rate, p) for other in "bc")
        got = WinRates(tuple(THREE), parts, "")
        return rank_answer(ranking(THREE, **places(1, 2, 2), powered=got))[1]

    assert differing(0.05).endswith("shown to be ahead of all others.")
    assert differing(0.0501).endswith("not shown to be ahead of b and c.")
    alone = rank_answer(ranking(THREE, **places(1, 2, 2), labelled=THREE))
    by = "first by the 40 pairs that annotators labelled"
    assert alone[1] == f"a is {by}, 70 % [60, 80]; not tested against the others."
    alone = rank_answer(ranking(even, **places(1, 2, 2), labelled=even))
    assert alone[1] == f"a and b are {by}, 60 % (no interval)."
    assert (
        before_labels(1, 0.95)[1] == "With a label for one pair nothing could be shown."
    )


def score(
    judge: str,
    value: float,
    limits: Limits,
    rule: tuple[float, int] | None = (0.5, 100),
) -> JudgeScore:
    """Accuracy on 100 labelled pairs, and that of a rule on so many of them."""
    p = 0.5 if limits is None or limits[0] <= 0.5 <= limits[1] else 0.01
    difference = None
    if rule is not None:
        beside = tuple(limit - rule[0] for limit in limits) if limits else None
        difference = IntervalEstimate(value - rule[0], beside)
    rules: tuple[Baseline, ...] = ()
    if rule is not None:
        accuracy, pairs = rule
        longer = Baseline(
            name="longer",
            items=pairs,
            accuracy=accuracy,
            accuracy_2way=None,
            judge=value,
            p=p,
            difference=difference,
        )
        rules = (longer,)
    return JudgeScore(
        judge=judge,
        dimension="overall",
        labels=("1", "2"),
        labelled=100,
        scored=100,
        coverage=1.0,
        coverage_2way=None,
        metrics={"accuracy_3way": IntervalEstimate(value, limits)},
        confusion=(),
        majority=Majority(("1",), 50, 100),
        baselines=rules,
        verdict="",
    )


def agreement(*scores: JudgeScore, p: float | None = None) -> AgreeReport:
    fields = (
        "truth",
        "score_errors",
        "alphas",
        "mechanisms",
        "policy_comparisons",
        "position",
    )
    fields += (
        "length",
        "verbosity",
        "difficulty",
        "self_comparisons",
        "noise",
        "learned",
    )
    known = () if p is None else (compared(p),)
    return AgreeReport(
        **dict.fromkeys(fields, ()),
        labels="x",
        items=100,
        raters=1,
        options=AgreeOptions(),
        scores=scores,
        comparisons=known,
    )


def compared(
    p: float, difference: float = -0.1, limits: Limits = (-0.2, 0.0)
) -> Comparison:
    """Of the judges ``a`` and ``b``."""
    got = IntervalEstimate(difference, limits)
    return Comparison(
        first="a",
        second="b",
        dimension="overall",
        items=100,
        difference=got,
        kappa_difference=got,
        mcnemar=McNemar(20, 10, p),
        p_holm=p,
    )


def test_a_rule_counts_on_half_of_the_pairs() -> None:
    half = agree_answer(agreement(score("a", 0.7, (0.6, 0.8), (0.5, 50))))
    assert half[1] == (
        "That is above the best simple rule, longer at 50 % of 50 items, where the judge has"
        " 70 % (paired test, p = 0.01)."
    )
    fewer = agree_answer(agreement(score("a", 0.7, (0.6, 0.8), (0.5, 49))))
    assert fewer[1:] == ("No simple rule could be tried beside it.",)


def test_labels_that_would_tell_a_judge_from_a_rule() -> None:
    text = agree_answer(agreement(score("a", 0.6, (0.485, 0.7))))
    assert text[1].startswith("That is not told apart from the best simple rule")
    assert text[2].startswith(
        "If the difference is as large as it looks, about 210 more pairs with a label"
        " would tell them apart in 8 of 10 cases."
    )
    assert len(agree_answer(agreement(score("a", 0.6, (0.51, 0.7))))) == 2
    assert len(agree_answer(agreement(score("a", 0.6, None)))) == 2
    assert agree_answer(agreement()) == (
        "Nothing that annotators labelled was scored: nothing can be said.",
    )


def test_the_best_judge_beside_the_next() -> None:
    two = score("b", 0.6, (0.5, 0.7)), score("a", 0.7, (0.6, 0.8))
    for p, words in ((0.05, "shown"), (0.0501, "not shown")):
        *_, last = agree_answer(agreement(*two, p=p))
        assert last.startswith(
            f"Beside b on the same pairs it is {words} to be better (exact McN"
        )
    *_, last = agree_answer(agreement(*two))
    assert last == "b is next with 60 %; the two were not compared."


def test_scores_and_people() -> None:
    got = AgreementFigure(
        group="agreement",
        who="j",
        name="rho",
        estimate=IntervalEstimate(0.3, (0.01, 0.5)),
        rows=20,
    )
    fields = (
        "selective",
        "systems",
        "system_agreement",
        "growth",
        "binary",
        "alphas",
        "splits",
    )
    known = {
        "labels": "x",
        "items": 20,
        "raters": 1,
        "options": AgreeOptions(),
        "rubric": None,
    }
    known |= {"ratings": 20, "questions": None, "low": 1, "high": 5, "fitted_on": ""}
    coverage = (Coverage(judge="j", items=20, rated=20, scored=20, unscored=0),)
    report: Any = (
        dict.fromkeys(fields, ()) | known | {"coverage": coverage, "verdicts": ()}
    )
    (only,) = agree_answer(ScoreReport(**report, figures=(got,)))
    assert only.startswith(
        "Scores of j are shown to rise with annotators': Spearman's rho 0.30"
    )
    nothing = agree_answer(ScoreReport(**report, figures=()))
    assert nothing == (
        "Nothing that annotators rated was scored: nothing can be said.",
    )
    equal = AgreementFigure(
        group="agreement",
        who="j",
        name="rho",
        estimate=IntervalEstimate(None, None),
        rows=20,
    )
    (only,) = agree_answer(ScoreReport(**report, figures=(equal,)))
    assert only.startswith("Spearman's rho is not defined over 20 answers: all scores")


def scored(
    *rows: tuple[str, float, Limits, tuple[int | None, int | None], float | None],
) -> tuple[str, ...]:
    """Answer on rows of system, mean, interval, bounds of rank and annotators' mean."""
    means = [
        MeanRow(system=s, scored=10, unscored=0, mean=IntervalEstimate(v, i), people=p)
        for s, v, i, _, p in rows
    ]
    places = [
        SystemStanding(
            method="mean_score",
            system=system,
            value=mean,
            exact=None,
            rank=1,
            low=low,
            high=high,
        )
        for system, mean, _, (low, high), _ in rows
    ]
    return rank_answer(ranking((), means=tuple(means), places=ahead(places)))


@pytest.mark.parametrize(
    ("limits", "low", "words"),
    [
        ((3.5, 4.5), 2, "shown to be better"),  # rank 1 to 1, and 2 to 2
        ((3.5, 4.5), 1, "not shown to be better"),  # 1 to 1, and 1 to 2
        (None, 2, "not shown to be better"),  # of too few questions
    ],
)
def test_two_systems_by_their_scores(limits: Limits, low: int, words: str) -> None:
    old = ("old", 3.0, (2.5, 3.5), (low, 2), None)
    first, second = scored(old, ("new", 4.0, limits, (1, 1), None))
    mean = "4 [3.5, 4.5]" if limits else "4 (no interval)"
    over = "by this judge over 20 answers"
    assert first == f"new scores {mean} on average, old 3 [2.5, 3.5], {over}: {words}."
    assert second == "Nobody rated these answers: what annotators would say is unknown."


def test_several_systems_by_their_scores_and_by_people() -> None:
    low = ("low", 2.0, (1.5, 2.5), (3, 3), 4.0)
    middle = ("middle", 3.0, (2.5, 3.5), (1, 2), None)
    first, second = scored(low, middle, ("high", 3.5, (3.0, 4.0), (1, 2), 3.0))
    assert first == (
        "high scores highest, 3.5 [3, 4] on average by this judge over 30 answers:"
        " shown to be ahead of low, not of middle."
    )
    assert second == "Human ratings put low first, 4 on average, high 3 (not tested)."
    same = [("a", 3.0, None, (None, None), 2.0), ("b", 3.0, None, (None, None), 2.0)]
    first, second = scored(*same)
    assert first == (
        "a and b score the same, 3 (no interval) on average by this judge over 20"
        " answers."
    )
    assert second == "Human ratings put a and b first, 2 on average."
    assert scored(("only", 3.0, None, (1, 1), None)) == ()
    *_, second = scored(("a", 3.0, None, (1, 1), 2.0), ("b", 2.0, None, (2, 2), None))
    assert second == "Annotators rated answers of a alone."


def comparison(
    *scores: JudgeScore,
    p: float | None = None,
    mutual: tuple[Mutual, ...] = (),
    **more: Any,
) -> RunComparison:
    known = () if p is None else (compared(p, **more),)
    names = tuple(one.judge for one in scores)
    return RunComparison(
        names=names,
        options=CompareOptions(),
        shared=100,
        only={},
        labels=None,
        costs=(),
        people=scores,
        differences=known,
        mutual=mutual,
        apart=(),
    )


def same(first: str, second: str, value: float) -> Mutual:
    got = IntervalEstimate(value, (value - 0.1, value + 0.1))
    return Mutual(
        first=first,
        second=second,
        dimension="overall",
        labels=(),
        items=100,
        same=got,
        kappa=got,
    )


def test_two_runs_beside_people() -> None:
    a, b = score("a", 0.7, (0.6, 0.8)), score("b", 0.6, (0.5, 0.7))
    alike = (same("a", "b", 0.8),)
    clear = (0.01, 0.2)
    text = compare_answer(comparison(a, b, p=0.05, mutual=alike, limits=clear))
    assert text == (
        "a agrees with human labels on 70 % [60, 80] of 100 pairs (overall), b on 60 %"
        " [50, 70]: shown to be better (exact McNemar test, p = 0.05).",
        "a and b say the same of 80 % [70, 90] of 100 pairs.",
    )
    not_shown = compare_answer(comparison(a, b, p=0.0501, limits=(-0.2, 0.015)))
    assert "not shown to be better" in not_shown[0]
    assert not_shown[1].startswith(
        "If the difference is as large as it looks, about 210 more pairs"
    )
    # the interval leaves out no difference already, or there is none: no number
    assert len(compare_answer(comparison(a, b, p=0.0501, limits=None))) == 1
    assert (
        len(compare_answer(comparison(a, b, p=0.0501, difference=0.0, limits=None)))
        == 1
    )
    even = compare_answer(comparison(a, score("b", 0.7, (0.6, 0.8)), p=1.0))
    assert even[0].endswith("b on 70 % [60, 80]: equally often.")
    assert compare_answer(comparison(a, b))[0].endswith("b on 60 % [50, 70].")


def test_three_runs_and_runs_without_labels() -> None:
    three = [
        score(name, value, (0.5, 0.8))
        for name, value in (("a", 0.7), ("b", 0.6), ("c", 0.5))
    ]
    alike = same("a", "b", 0.8), same("a", "c", 0.6), same("b", "c", 0.7)
    least = ", the least of all runs."
    for p, words in (
        (0.05, "ahead of b, not of c"),
        (0.0501, "not shown to be ahead of b and c"),
    ):
        first, second = compare_answer(comparison(*three, p=p, mutual=alike))
        assert words in first
        assert second == f"a and c say the same of 60 % [50, 70] of 100 pairs{least}"
    bare = compare_answer(comparison(score("a", 0.7, None), mutual=alike[:1]))
    assert bare[0] == "Nobody labelled these pairs: which run is right is unknown."


@pytest.mark.parametrize(
    ("coverage", "p", "orders", "use"),
    [
        (1.0, 0.01, 30, "rank systems"),
        (1.0, 0.0099, 30, "screen only"),
        (1.0, 0.01, 29, "screen only"),
        (0.8, 0.01, 30, "rank systems"),
        (0.79, 0.01, 30, "screen only"),
        (0.5, 0.01, 30, "screen only"),
        (0.49, 0.01, 30, "do not use"),
    ],
)
def test_what_a_judge_is_fit_for(
    coverage: float, p: float, orders: int, use: str
) -> None:
    good = score("a", 0.7, (0.51, 0.8))
    assert decide(good, coverage, p, both_orders=orders).use == use
    assert (
        decide(score("a", 0.7, (0.5, 0.8)), 1.0, p, both_orders=30).use == "screen only"
    )
    assert decide(score("a", 0.4, (0.3, 0.5)), 1.0, p).use == "screen only"
    assert decide(score("a", 0.4, (0.3, 0.49)), 1.0, p).use == "do not use"


def test_four_cards_are_told_by_their_use(tmp_path: Path) -> None:
    from trace_eval.decide.card import make_cards

    file = tmp_path / "judged.csv"
    file.write_text("id,system_a,system_b,overall\n1,x,y,1\n2,x,y,2\n")
    (card,) = make_cards([file])
    few = "judged: unknown; too few labels to say what this judge is fit for (0 of 30)"
    assert card_answer([card] * 3) == (few,) * 3
    assert card_answer([card] * 4) == ("unknown: judged, judged, judged and 1 more.",)
    assert next(iter(answered(card, ("s",)))) == "sentences"
