"""What an ablation comes to, in words and tables: which group matters most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from blueprints import counted
from trace_eval.decide.ablation import Ablation, AblationReport, AblationRow
from trace_eval.estimate.paired import tests_in_words
from trace_eval.show.lists import listed
from trace_eval.show.table import Table, table
from trace_eval.stats.inference.over_all import BY_DRAW
from trace_eval.stats.sentences import note_of_tests

#: Labels of a pair as a whole come before those of one dimension.
_WHOLE = ("overall", "preference")

#: A difference of accuracies is shown at this corrected p.
_LEVEL = 0.05


def ablation_answer(report: AblationReport) -> tuple[str, ...]:
    """Say which group matters most, and how well transcripts alone do.

    A pair that loses its verdict counts as one that is no longer right.
    """
    sentences = list(_of_groups(report.groups))
    if not sentences and report.groups.split:
        alike = counted(report.groups.split, "labelled pair")
        sentences.append(
            f"Annotators split on the label of {alike}, and no other is labelled: which"
            " group matters is unknown."
        )
    elif sentences and report.groups.split:
        left = counted(report.groups.split, "more pair is", "more pairs are")
        sentences.append(f"{left} left out, as annotators split on the label.")
    if report.modes is not None:
        sentences += _of_modes(report.modes)
    return tuple(sentences)


def _of_groups(result: Ablation) -> Iterator[str]:
    references: dict[str, AblationRow] = {}
    dropped: list[AblationRow] = []
    for row in _rows_of_the_whole(result.rows):
        if row.condition == result.reference:
            references[row.dimension] = row
        else:
            dropped.append(row)
    if not references or not dropped:
        return
    losses = [(_loss(row, references[row.dimension]), row) for row in dropped]
    loss, worst = max(losses, key=lambda one: one[0])
    reference = references[worst.dimension]
    if not _number(reference):
        return
    pairs = _pairs(reference)
    if loss <= 0:
        names = set(map(_group, dropped))
        news, it = "No single group matters", "any one of them"
        if len(names) == 1:
            news, it = f"{names.pop()} does not matter", "it"
        yield (
            f"{news} on these {pairs}: without {it} at least as many are right as with"
            f" all{_by_draw(reference)}."
        )
        return
    groups: list[str] = []
    for other_loss, row in losses:
        if other_loss == loss and _number(row) == _number(worst):
            groups.append(_group(row))
    matter, it = "matter", "any one of them"
    if len(groups) == 1:
        matter, it = "matters", "it"
    news = f"{listed(groups)} {matter} most: without {it}"
    where = ""
    if worst.dimension not in _WHOLE:
        where = f" on {worst.dimension.replace('_', ' ')}"
    if _number(worst) < _number(reference):
        yield f"{news} {_number(worst)} of {pairs} keep a verdict{where}."
        return
    is_shown = worst.p_holm is not None and worst.p_holm < _LEVEL
    doubt = "" if is_shown else "; that is not shown to be more than chance"
    yield (
        f"{news} {_right(worst)} of {pairs} are judged right{where}, with all"
        f" {_right(reference)}{_by_draw(reference)}{doubt}."
    )


def _group(row: AblationRow) -> str:
    """Return the group without which a condition was judged."""
    return row.condition.removeprefix("without ")


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
    """Return the rows about whole pairs, or all rows of labels by dimension alone."""
    for name in _WHOLE:
        whole = [row for row in rows if row.dimension == name]
        if whole:
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
    if row.pairs is None:
        return ""
    return f" ({counted(row.items, 'label')}, {BY_DRAW})"


def _right(row: AblationRow) -> str:
    """Return the number of right pairs, a mean over repeats; an estimate over all."""
    if row.pairs is not None:
        return f"about {(row.accuracy or 0.0) * row.pairs:.0f}"
    return f"{(row.accuracy or 0.0) * row.items:.1f}".removesuffix(".0")


def ablation_views(report: AblationReport) -> tuple[Table, ...]:
    """Build the printed tables, one for each dimension."""
    tables = list(_views("Ablation", report.groups))
    if report.modes is not None:
        tables += _views("Modes and policies", report.modes)
    return tuple(tables)


def _views(title: str, result: Ablation) -> Iterator[Table]:
    for dimension, group in groupby(result.rows, key=attrgetter("dimension")):
        rows = list(group)
        columns = ["condition", "items"]
        if rows[0].pairs is not None:
            columns.append("pairs")
        columns.append("accuracy")
        if any(row.repeats > 1 for row in rows):
            columns += ["spread", "run_to_run"]
        columns += ["difference", "mcnemar.only_first", "mcnemar.only_second", "p_holm"]
        note = ""
        tests = tests_in_words(row.mcnemar for row in rows if row.mcnemar is not None)
        if tests:
            note = (
                "lost, gained: right in the reference alone, in the condition alone;"
                f" {tests}"
            )
        figures = [(row.difference.interval, row.p_holm) for row in rows]
        if doubt := note_of_tests(figures, 1 - _LEVEL):
            note += f"; {doubt}"
        yield table(
            f"{title}, {dimension.replace('_', ' ')}: difference to {result.reference}",
            rows,
            " ".join(columns),
            note,
            only_first="lost",
            only_second="gained",
        )
