"""What whoever leads a review by a protocol should know of it, as sentences."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.review.loudness import ItemLoudness, summary_of
from trace_eval.review.protocol_files import TrapAnswer, trap_answers
from trace_eval.review.session import LATE, Review

#: Most names that a sentence lists.
MOST_NAMED = 5


def notes(review: Review, measured: Sequence[ItemLoudness]) -> list[str]:
    """Note missing raters, traps, late answers and differing loudness."""
    sentences: list[str] = []
    sentences += _few_raters(review)
    sentences += _open_traps(review)
    sentences += _failed_traps(review)
    sentences += _late(review)
    louder = summary_of(
        measured,
        review.listening.loudness == "matched",
        is_whole=len(measured) == len(review.items),
    )
    if louder:
        sentences.append(louder)
    return sentences


def _few_raters(review: Review) -> Iterator[str]:
    done = Counter(
        view.item for view in review.store.views() if view.finished and view.repeat == 0
    )
    wanted = review.listening.raters or 1
    disputed = review.disputed()
    waiting = [
        item for item in review.plan.items if item in disputed and done[item] <= wanted
    ]
    nobody = [item for item in review.plan.items if not done[item]]
    few = [item for item in review.plan.items if 0 < done[item] < wanted]
    total = counted(len(review.plan.items), review.form.unit)
    if nobody:
        yield f"{len(nobody)} of {total} have no rater: {_some(nobody)}"
    if few:
        yield (
            f"{len(few)} of {total} have fewer than {counted(wanted, 'rater')}:"
            f" {_some(few)}"
        )
    if waiting:
        yield (
            f"raters differ on {len(waiting)} of {total}, which wait for one more:"
            f" {_some(waiting)}"
        )


def _open_traps(review: Review) -> Iterator[str]:
    """Name trap items without an answer, once anything else was rated."""
    if not any(view.finished for view in review.store.views()):
        return
    answered = {one.item for one in trap_answers(review)}
    items = [trap.item for trap in review.listening.traps if trap.item is not None]
    waiting = [item for item in items if item not in answered]
    if waiting:
        yield (
            f"{len(waiting)} of {counted(len(items), 'trap item')} without an answer,"
            f" which checks nobody: {_some(waiting)}"
        )


def _failed_traps(review: Review) -> Iterator[str]:
    answers = trap_answers(review)
    for rater in dict.fromkeys(one.rater for one in answers):
        mine = [one for one in answers if one.rater == rater]
        wrong = [one.item for one in mine if not one.is_right]
        if wrong:
            of = counted(len(mine), "trap")
            too_many = _too_many(mine, review.listening.most_failed)
            yield f"rater {rater} failed {len(wrong)} of {of}: {_some(wrong)}{too_many}"


def _too_many(answers: Sequence[TrapAnswer], most: float | None) -> str:
    """Name the traps that a rater failed more often than allowed; empty if none."""
    if most is None:
        return ""
    failed = []
    for trap in dict.fromkeys(one.trap for one in answers):
        of_trap = [one for one in answers if one.trap == trap]
        wrong = sum(not one.is_right for one in of_trap)
        if wrong > most * len(of_trap):
            systems = ", ".join(dict.fromkeys(one.system or "" for one in of_trap))
            one, several = "trap item", "trap items"
            if trap:
                one, several = f"answer of {systems}", f"answers of {systems}"
            failed.append(f"{wrong} of {counted(len(of_trap), one, several)}")
    if not failed:
        return ""
    where = shlex.quote(f"rater!={answers[0].rater}")
    return (
        f"; {' and '.join(failed)}: more than the protocol's {most:.0%}; leave this"
        f" rater out with --where {where}"
    )


def _late(review: Review) -> Iterator[str]:
    late = [one for one in review.store.stored(all_=True) if one.set_aside == LATE]
    for rater, number in Counter(one.rater for one in late).items():
        yield (
            f"{counted(number, 'answer')} of rater {rater} came after the end and"
            f" {'does' if number == 1 else 'do'} not count; set_aside.csv has"
            f" {'it' if number == 1 else 'them'}"
        )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return (
        f"{shown} and {len(names) - MOST_NAMED} more"
        if len(names) > MOST_NAMED
        else shown
    )
