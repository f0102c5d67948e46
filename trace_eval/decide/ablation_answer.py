"""What an ablation comes to in words, and its printed tables: which group matters most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from blueprints import counted
from trace_eval.decide.ablation import Ablation, AblationReport, AblationRow
from trace_eval.estimate.paired import tests_in_words
from trace_eval.show.table import Table, table
from trace_eval.stats.inference.over_all import BY_DRAW
from trace_eval.stats.sentences import listed

#: Labels of a pair as a whole come before those of one dimension.
_WHOLE = ("overall", "preference")

#: A difference of accuracies is shown at this corrected p.
_LEVEL = 0.05


def ablation_answer(report: AblationReport) -> tuple[str, ...]:
    """Say which group matters most, and what transcripts alone come to.

    A pair that loses its verdict counts as one that is no longer right.
    """
    sentences = [*_of_groups(report.groups)]
    if sentences and report.groups.split:
        left = counted(report.groups.split, "more pair is", "more pairs are")
        sentences.append(f"{left} left out, as annotators split on the label.")
    if report.modes is not None:
        sentences += _of_modes(report.modes)
    return tuple(sentences)


def _of_groups(result: Ablation) -> Iterator[str]:
    rows = _rows_of_the_whole(result.rows)
    references = {
        row.dimension: row for row in rows if row.condition == result.reference
    }
    dropped = [row for row in rows if row.condition != result.reference]
    losses = [(_loss(row, references[row.dimension]), row) for row in dropped]
    losses.sort(key=lambda each: -each[0])
    whole = next(iter(references.values()), None)
    if not losses or whole is None:
        return
    loss, worst = losses[0]
    reference = references[worst.dimension]
    pairs = _pairs(reference)
    names = list(
        dict.fromkeys(row.condition.removeprefix("without ") for row in dropped)
    )
    if loss <= 0:
        what, it = "No single group matters", "any one of them"
        if len(names) == 1:
            what, it = f"{names[0]} does not matter", "it"
        more = (
            f"without {it} at least as many are right as with all{_by_draw(reference)}"
        )
        yield f"{what} on these {pairs}: {more}."
        return
    equal = [
        row for each, row in losses if each == loss and _number(row) == _number(worst)
    ]
    groups = [row.condition.removeprefix("without ") for row in equal]
    matters, it = (
        ("matters", "it") if len(groups) == 1 else ("matter", "any one of them")
    )
    start = f"{listed(groups)} {matters} most: without {it}"
    where = (
        "" if worst.dimension in _WHOLE else f" on {worst.dimension.replace('_', ' ')}"
    )
    if _number(worst) < _number(reference):
        yield f"{start} {_number(worst)} of {pairs} keep a verdict{where}."
    else:
        right, before = (_right(row) for row in (worst, reference))
        shown = worst.p_holm is not None and worst.p_holm < _LEVEL
        doubt = "" if shown else "; that is not shown to be more than chance"
        drawn = _by_draw(reference)
        yield (
            f"{start} {right} of {pairs} are judged right{where}, with all"
            f" {before}{drawn}{doubt}."
        )


def _of_modes(result: Ablation) -> Iterator[str]:
    accuracies = {row.condition: row for row in result.rows}
    reference = accuracies[result.reference]
    policy = result.reference.partition(" / ")[2]
    words = accuracies.get(f"transcript / {policy}")
    if words is None or words.accuracy is None or reference.accuracy is None:
        return
    yield (
        f"From transcripts alone {_right(words)} of {_pairs(reference)} are judged"
        f" right, from blueprints {_right(reference)}{_by_draw(reference)}."
    )


def _rows_of_the_whole(rows: Sequence[AblationRow]) -> Sequence[AblationRow]:
    """Return the rows about the pair as a whole; of labels by dimension alone, all rows."""
    for name in _WHOLE:
        if whole := [row for row in rows if row.dimension == name]:
            return whole
    return rows


def _loss(row: AblationRow, reference: AblationRow) -> float:
    """Return the share of the reference's pairs that are no longer right."""
    number = _number(reference)
    before = (reference.accuracy or 0.0) * number
    after = (row.accuracy or 0.0) * _number(row)
    return (before - after) / number if number else 0.0


def _number(row: AblationRow) -> int:
    """Return how many pairs the figures of a row are of."""
    return row.items if row.pairs is None else row.pairs


def _pairs(row: AblationRow) -> str:
    return counted(_number(row), "labelled pair" if row.pairs is None else "pair")


def _by_draw(row: AblationRow) -> str:
    """Return a clause on labels that speak for other pairs, too; empty: they do not."""
    return "" if row.pairs is None else f" ({counted(row.items, 'label')}, {BY_DRAW})"


def _right(row: AblationRow) -> str:
    """Return the number of right pairs, a mean over repeats; of all pairs, an estimate."""
    if row.pairs is not None:
        return f"about {(row.accuracy or 0.0) * row.pairs:.0f}"
    return f"{(row.accuracy or 0.0) * row.items:.1f}".removesuffix(".0")


def ablation_views(report: AblationReport) -> tuple[Table, ...]:
    """Build the printed tables, one for each dimension."""
    modes = () if report.modes is None else _views("Modes and policies", report.modes)
    return (*_views("Ablation", report.groups), *modes)


def _views(title: str, result: Ablation) -> Iterator[Table]:
    for dimension, group in groupby(result.rows, key=attrgetter("dimension")):
        rows = list(group)
        repeated = any(row.repeats > 1 for row in rows)
        tests = tests_in_words(row.mcnemar for row in rows if row.mcnemar is not None)
        yield table(
            f"{title}, {dimension.replace('_', ' ')}: difference to {result.reference}",
            rows,
            f"condition items {'' if rows[0].pairs is None else 'pairs '}accuracy "
            + ("spread run_to_run " if repeated else "")
            + "difference mcnemar.only_first mcnemar.only_second p_holm",
            (
                "lost, gained: right in the reference alone, in the condition alone;"
                f" {tests}"
            )
            if tests
            else "",
            only_first="lost",
            only_second="gained",
        )
