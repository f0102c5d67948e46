"""A protocol's results as files: labels or scores, repeats, traps, loudness.

Labels and scores of the first view of every item are in ``labels.csv``, which ``agree``
and ``rank`` read. Repeated views, traps, and answers that do not count have files of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trace_eval.data.csv_cells import table_text
from trace_eval.data.items import Pair, Single
from trace_eval.review.audio import Clips
from trace_eval.review.forms import COMMENT, SURE, PairForm, score_of, scored_step
from trace_eval.review.loudness import ItemLoudness
from trace_eval.review.session import Review
from trace_eval.review.together import Page, Reviewed
from trace_eval.review.views import StoredAnswer, StoreView

#: Columns of scores of single answers; ``confidence`` follows where the rubric asks for
#: it.
ANSWER_COLUMNS = (
    "id",
    "rater",
    "rubric",
    "score",
    "feedback",
    "comment",
    "at",
    "set_aside",
)

#: Columns of the scores of a protocol.
SCORE_COLUMNS = (*ANSWER_COLUMNS, "system", "instruction_id")

#: Columns of the labels of a protocol, around one for each of its parts.
PAIR_COLUMNS = (
    "instruction_id",
    "system_a",
    "system_b",
    "shown",
    "seconds",
    "inclusion",
    "comment",
)

#: Column that says whether a trap was answered right: ``agree`` looks at raters by it.
#: The row of an item that is a trap alone has no label.
TRAP = "trap"

#: Column of a signed comparison: how much better B is than A.
COMPARISON = "comparison"


@dataclass(frozen=True)
class TrapAnswer:
    """What a rater said where the right answer is known."""

    rater: str
    item: str
    system: str | None
    trap: str  # its systems; empty: a trap item
    expected: str
    given: str
    is_right: bool

    @property
    def verdict(self) -> str:
        """Whether it is right, in the word of the column."""
        return "right" if self.is_right else "wrong"


def clips_of(review: Review) -> Clips:
    """Return the recordings of a review, as loud as its protocol has them."""
    matched = review.listening.loudness == "matched"
    return Clips(review.items, review.store.secret, matched)


# --- labels and scores ----------------------------------------------------------------


def labels_csv(review: Review) -> str:
    """Export labels or scores of each item's first view, and who fell for traps."""
    return _labels(review, repeats=False)


def retest_csv(review: Review) -> str:
    """Export all views of the items that a rater saw more than once."""
    return _labels(review, repeats=True)


def _labels(review: Review, repeats: bool) -> str:
    chosen = _chosen_views(review, repeats)
    traps = () if repeats or not review.listening.traps else trap_answers(review)
    if isinstance(review.form, PairForm):
        return _pair_table(review, review.form, chosen, repeats=repeats, traps=traps)
    answers = _answers_of(review, chosen)
    repeat = (
        {number: view.repeat for number, view in chosen.items()} if repeats else None
    )
    return score_table(review, answers, repeat, traps)


def _answers_of(review: Review, views: Collection[int]) -> list[StoredAnswer]:
    """Return what was answered in some views, without the traps."""
    traps = {trap.item for trap in review.listening.traps if trap.item is not None}
    answers: list[StoredAnswer] = []
    for answer in review.store.stored():
        is_trap = answer.step in traps  # of a page: the answer's id
        if answer.view in views and not is_trap:
            answers.append(answer)
    return answers


def counted_scores(review: Review) -> Iterator[tuple[Single, float]]:
    """Yield every score that counts, with its answer, in order of arrival."""
    for answer in _answers_of(review, first_views(review)):
        if answer.step == COMMENT or scored_step(answer.step) is not None:
            continue
        if (score := score_of(answer.value)) is not None:
            yield rated_answer(review, answer), score


def first_views(review: Review) -> dict[int, StoreView]:
    """Return the finished first views of all but traps and training, by number."""
    return _chosen_views(review, repeats=False)


def _chosen_views(review: Review, repeats: bool) -> dict[int, StoreView]:
    """Return finished views by number: first ones, or all views of repeated items."""
    apart = set(review.plan.apart)
    views: list[StoreView] = []
    for view in review.store.views():
        if view.finished and view.item not in apart:
            views.append(view)
    if not repeats:
        return {view.number: view for view in views if view.repeat == 0}
    repeated = {(view.rater, view.item) for view in views if view.repeat}
    return {view.number: view for view in views if (view.rater, view.item) in repeated}


def _pair_table(
    review: Review,
    form: PairForm,
    views: Mapping[int, StoreView],
    repeats: bool,
    traps: Sequence[TrapAnswer],
) -> str:
    """Write a row for each view, and behind them one for each answer to a trap."""
    columns = _pair_columns(form, repeats=repeats, trapped=bool(traps))
    inclusion = review.plan.inclusion({view.item for view in views.values()})
    rows: list[list[object]] = []
    for view in views.values():
        cells = _pair_cells(review, form, view, inclusion.get(view.item))
        if repeats:
            cells.append(view.repeat)
        if traps:
            cells.append("")
        rows.append(cells)
    rows.extend(_trap_row(columns, trap) for trap in traps)
    return table_text(columns, rows)


def _pair_columns(form: PairForm, repeats: bool, trapped: bool) -> list[str]:
    """Name the columns of a table of pairs, in the order of :func:`_pair_cells`."""
    parts = [part.name for part in form.parts]
    columns = ["id", "rater"]
    columns.extend(parts)
    if form.protocol.compares:
        for part in parts:
            is_whole = part == "overall"
            columns.append(COMPARISON if is_whole else f"{part}_{COMPARISON}")
    columns.extend(PAIR_COLUMNS)
    if form.confidence:
        columns.extend(f"{part}_confidence" for part in parts)
    if repeats:
        columns.append("repeat")
    if trapped:
        columns.append(TRAP)
    return columns


def _pair_cells(
    review: Review, form: PairForm, view: StoreView, inclusion: float | None
) -> list[object]:
    """Return what a rater said of a pair, up to the repetition and the trap."""
    pair = review.material.by_id[view.item]
    answers = review.store.answers(view)
    labels = [form.label(answers, part.name) for part in form.parts]
    seconds = (view.finished or 0.0) - view.started
    cells: list[object] = [view.item, view.rater]
    cells.extend(plain_label(form, label) for label in labels)
    if form.protocol.compares:
        cells.extend(labels)
    cells += [
        pair.instruction_id,
        pair.a.system,
        pair.b.system,
        view.shown,
        round(seconds, 1) if seconds >= 0 else None,
        inclusion,
        view.comment,
    ]
    if form.confidence:
        cells.extend(answers.get(f"{part.name}{SURE}") for part in form.parts)
    return cells


def _trap_row(columns: Sequence[str], trap: TrapAnswer) -> list[object]:
    """Return the row of an answer to a trap, which has no label."""
    known = {"id": trap.item, "rater": trap.rater, TRAP: trap.verdict}
    return [known.get(name, "") for name in columns]


def plain_label(form: PairForm, label: str | None) -> str | None:
    """Return who wins by a label; of a signed comparison by its sign."""
    if label is None or not form.protocol.compares:
        return label
    number = float(label)
    if number == 0:
        return "tie"
    return "2" if number > 0 else "1"


def score_table(
    review: Review,
    answers: Sequence[StoredAnswer],
    repeat: Mapping[int, int] | None = None,
    traps: Sequence[TrapAnswer] = (),
) -> str:
    """Export scores with their systems and questions.

    ``repeat`` holds the repetition of each view, by its number.

    A hidden reference that is a trap has its score all the same.
    """
    rubric = review.material.rubric
    asks_confidence = bool(rubric and rubric.confidence)
    columns = list(SCORE_COLUMNS)
    if asks_confidence:
        columns.append("confidence")
    if repeat is not None:
        columns.append("repeat")
    if traps:
        columns.append(TRAP)
    verdicts = {(trap.rater, trap.item): trap.verdict for trap in traps}
    views = {view.number: view for view in review.store.views()}
    confidences = {(one.view, scored_step(one.step)): one for one in answers}
    rows: list[list[object]] = []
    for answer in answers:
        if scored_step(answer.step) is not None or answer.step == COMMENT:
            continue
        item = rated_answer(review, answer)
        confidence = confidences.get((answer.view, answer.step))
        comments = [answer.comment]
        if confidence is not None:
            comments.append(confidence.comment)
        if item.id != answer.item:
            comments.append(views[answer.view].comment)  # of the page
        comment = " ".join(filter(None, comments))
        cells = _score_cells(answer, item, rubric=review.form.name, comment=comment)
        if asks_confidence:
            cells.append("" if confidence is None else confidence.value)
        if repeat is not None:
            cells.append(repeat[answer.view])
        if traps:
            cells.append(verdicts.pop((answer.rater, item.id), ""))
        rows.append(cells)
    for trap in traps:
        is_trap_alone = (trap.rater, trap.item) in verdicts
        if is_trap_alone:
            rows.append(_trap_row(columns, trap))
    return table_text(columns, rows)


def _score_cells(
    answer: StoredAnswer, item: Single, rubric: str, comment: str
) -> list[object]:
    """Return the cells of ``SCORE_COLUMNS``."""
    score = score_of(answer.value)
    return [
        item.id,
        answer.rater,
        rubric,
        "" if score is None else f"{score:g}",
        " ".join(answer.codes),
        comment,
        f"{answer.at:.0f}",
        answer.set_aside or "",
        item.system,
        item.question_id,
    ]


def rated_answer(review: Review, answer: StoredAnswer) -> Single:
    """Return the single answer that a score is about."""
    item = review.item(answer.item)
    if isinstance(item, Page):
        return item.members[answer.step]
    assert isinstance(item, Single)
    return item


def set_aside_csv(review: Review) -> str:
    """Export what does not count: taken back, changed, or given after the end."""
    aside = [answer for answer in review.store.stored(all_=True) if answer.set_aside]
    if not isinstance(review.form, PairForm):
        return score_table(review, aside)
    columns = ("id", "rater", "question", "answer", "comment", "at", "set_aside")
    rows: list[list[object]] = []
    for answer in aside:
        cells: list[object] = [
            answer.item,
            answer.rater,
            answer.step,
            answer.value,
            answer.comment,
            f"{answer.at:.0f}",
            answer.set_aside,
        ]
        rows.append(cells)
    return table_text(columns, rows)


# --- training -------------------------------------------------------------------------


def training_csv(review: Review) -> str:
    """Export what was said of the items of the training, which never counts."""
    if isinstance(review.form, PairForm):
        views = {
            view.number: view
            for view in review.store.views()
            if view.finished and review.is_training(view.item)
        }
        return _pair_table(review, review.form, views, repeats=False, traps=())
    answers = [
        answer for answer in review.store.stored() if review.is_training(answer.item)
    ]
    return score_table(review, answers)


# --- traps ----------------------------------------------------------------------------


def trap_answers(review: Review) -> list[TrapAnswer]:
    """Return raters' answers where the right one is known, in the order of traps."""
    at_traps: list[TrapAnswer] = []
    labels = list(_counted_labels(review))
    for trap in review.listening.traps:
        for rater, item, system, label in labels:
            if not trap.is_of(item, system):
                continue
            answer = TrapAnswer(
                rater=rater,
                item=item,
                system=system,
                trap="" if trap.item is not None else trap.name,
                expected=trap.expected,
                given=label,
                is_right=trap.is_right(label),
            )
            at_traps.append(answer)
    return at_traps


def _counted_labels(review: Review) -> Iterator[tuple[str, str, str | None, str]]:
    """Yield (rater, item, system, label or score) of everything that counts."""
    form = review.form
    if isinstance(form, PairForm):
        for view in review.store.views():
            if review.is_training(view.item):
                continue
            first_part = form.protocol.parts[0]
            label = form.label(review.store.answers(view), first_part.name)
            if label is not None and view.finished:
                yield view.rater, view.item, None, label
        return
    for answer in review.store.stored():
        if answer.step == COMMENT or scored_step(answer.step) is not None:
            continue
        if review.is_training(answer.item):
            continue
        if (score := score_of(answer.value)) is not None:
            item = rated_answer(review, answer)
            yield answer.rater, item.id, item.system, f"{score:g}"


def traps_csv(review: Review) -> str:
    """Export every answer to a trap, and whether it is right."""
    rows: list[tuple[object, ...]] = []
    for one in trap_answers(review):
        rows.append(
            (
                one.rater,
                one.item,
                one.system,
                one.expected,
                one.given,
                "yes" if one.is_right else "no",
            )
        )
    return table_text(("rater", "id", "system", "expected", "given", "right"), rows)


# --- loudness -------------------------------------------------------------------------


def loudness_of(review: Review, clips: Clips | None = None) -> list[ItemLoudness]:
    """Measure how loud each item's answers are, decoding each recording once."""
    clips = clips or clips_of(review)
    return [
        clips.loudness(item) for item in review.items if not isinstance(item, Single)
    ]


def loudness_csv(review: Review) -> str:
    """Export each answer's loudness as it came, and the spread within its item."""
    rows = []
    for measured in loudness_of(review):
        item = review.item(measured.item)
        for role, lufs in measured.lufs.items():
            spread = None if measured.spread is None else round(measured.spread, 2)
            level = None if lufs is None else round(lufs, 2)
            rows.append((measured.item, role, _system(item, role), level, spread))
    return table_text(("id", "answer", "system", "lufs", "spread_lu"), rows)


def _system(item: Reviewed, role: str) -> str | None:
    if isinstance(item, Page):
        return item.members[role].system if role in item.members else None
    return item.sides[role].system if isinstance(item, Pair) else None


#: File name -> its content, of protocols other than HCoT.
PROTOCOL_FILES: Mapping[str, Callable[[Review], str]] = {
    "labels.csv": labels_csv,
    "retest.csv": retest_csv,
    "training.csv": training_csv,
    "traps.csv": traps_csv,
    "set_aside.csv": set_aside_csv,
    "loudness.csv": loudness_csv,
}
