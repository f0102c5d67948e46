"""The page of answers that are rated side by side, and the scores that it sends.

Answers are called by letters in the order in which a rater sees them. Every score is
kept as soon as it is set, and may be changed until the page is finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blueprints import UserError
from trace_eval.review.audio import Clips
from trace_eval.review.corrections import item_version
from trace_eval.review.forms import (
    COMMENT,
    COMMENT_LIMIT,
    NO_SCORE,
    ReviewQuestion,
    ReviewScoreForm,
    score_of,
)
from trace_eval.review.orders import shuffled_for
from trace_eval.review.page_questions import shown_scale
from trace_eval.review.session import Review
from trace_eval.review.together import REFERENCE, STIMULUS_KEYS, Page
from trace_eval.review.views import Position, Remark

#: Why an earlier score of a page does not count.
CHANGED = "changed"


def letters_of(review: Review, position: Position) -> dict[str, str]:
    """Return the answer behind each letter, as this rater sees the page."""
    page, view = review.item(position.view.item), position.view
    assert isinstance(page, Page)
    names = list(page.members)
    if review.listening.sides == "random":
        names = shuffled_for(names, view, review.plan.seed)
    return dict(zip(STIMULUS_KEYS, names, strict=False))


def together_page(review: Review, clips: Clips, position: Position) -> dict[str, Any]:
    """Fill the page that asks for the scores of several answers."""
    page, form = review.item(position.view.item), review.form
    assert isinstance(page, Page)
    assert isinstance(form, ReviewScoreForm)
    values: dict[str, Any] = {
        "task": position.task,
        "place": position.place,
        "total": position.total,
        "step": COMMENT,
        "version": item_version(page),
        "text": None,
        "spoken": None,
        "reference": None,
        "rubric": form.rubric,
        "scale": shown_scale(form.rubric.scale, form.rubric.points),
        "stimuli": list(_stimuli(review, clips, page, position)),
        "comment": position.view.comment,
        "must_play": "",
        "louder": None,
        "training": review.is_training(page.id),
    }
    if "instruction" in form.rubric.inputs or "question" in form.rubric.inputs:
        values["text"] = page.text
    roles = page.recordings()
    if "instruction" in roles:
        values["spoken"] = clips.clip_id(page.id, "instruction")
    if REFERENCE in roles:
        values["reference"] = clips.clip_id(page.id, REFERENCE)
    if review.must_play(position):
        values["must_play"] = " ".join(review.players(position))
    if not clips.matched:
        values["louder"] = _louder(clips, page)
    return values


def _stimuli(
    review: Review, clips: Clips, page: Page, position: Position
) -> Iterator[dict[str, Any]]:
    """Yield the answers by their letters, each with the score that it has so far."""
    for letter, item in letters_of(review, position).items():
        score = None
        if item in position.answers:
            score = score_of(position.answers[item])
        yield {
            "letter": letter,
            "clip": clips.clip_id(page.id, item),
            "score": "" if score is None else f"{score:g}",
            "system": None if review.listening.blind else page.members[item].system,
        }


def _louder(clips: Clips, page: Page) -> str | None:
    """Say that the answers differ in loudness, but not which one is louder.

    That would tell too much.
    """
    loudness = clips.loudness(page)
    if not loudness.is_told:
        return None
    return (
        f"These recordings differ in loudness by {loudness.spread:.0f} dB, as they"
        " came."
    )


def score_page(
    review: Review,
    rater: str,
    task: int,
    scores: Mapping[str, str],
    remark: Remark | None = None,
    finish: str = "",
    version: str | None = None,
) -> bool:
    """Keep scores of a page by its letters; committed on return.

    ``finish`` ends the page; where it is :data:`NO_SCORE`, without the scores that are
    missing.

    False: it was not the current page, and nothing was stored. Raises UserError for a
    score that is not on the scale, a letter that the page does not have, while a page
    that is to be finished lacks a score or was not played, and after the end of the
    review, when all is set aside.
    """
    remark = remark or Remark()
    remark = Remark(remark.comment[:COMMENT_LIMIT], on_item=True, played=remark.played)
    with review.store.exclusive():
        position = review.position(rater)
        if position is None or position.step is None or position.task != task:
            return False
        page = review.item(position.view.item)
        if not isinstance(page, Page) or version not in (None, item_version(page)):
            return False
        named = _checked(review, letters_of(review, position), scores)
        new: dict[str, str] = {}
        for item, score in named.items():
            if score != position.answers.get(item):
                new[item] = score
        late = review.is_late(position, new, remark)
        if not late:
            _keep(review, position, new, remark=remark, finish=finish)
    if late:
        review.refuse_late()
    return True


def _checked(
    review: Review, letters: Mapping[str, str], scores: Mapping[str, str]
) -> dict[str, str]:
    """Return the scores by the answers' ids, as they are stored."""
    named = {}
    for letter, text in scores.items():
        if letter not in letters:
            raise UserError(
                f"answer {letter!r:.20}: this page has {', '.join(letters).upper()}"
            )
        try:
            question = ReviewQuestion(None, "score", letters[letter])
            named[letters[letter]] = review.form.stored(question, text, "ab")
        except ValueError as error:
            raise UserError(f"{letter.upper()}, {error}") from None
    return named


def _keep(
    review: Review,
    position: Position,
    new: Mapping[str, str],
    remark: Remark,
    finish: str,
) -> None:
    """Store new scores in place of earlier ones, and the end of the page."""
    view, store = position.view, review.store
    letters = letters_of(review, position)
    scores: dict[str, str] = {}
    if finish == NO_SCORE:
        for item in letters.values():
            if item not in position.answers:
                scores[item] = NO_SCORE
    scores |= new
    for item, score in scores.items():
        if item in position.answers:
            store.take_back(view, item, CHANGED)
        store.answer(view, item, score, None)
    if not finish:
        store.keep_comment(view, remark.comment)
        return
    scored = position.answers.keys() | scores.keys()
    missing = [letter.upper() for letter, item in letters.items() if item not in scored]
    if missing:
        raise UserError(
            f"{' and '.join(missing)}: has no score yet; give one, then go on"
        )
    if finish != NO_SCORE:
        review.check_played(position, remark)
    store.answer(view, COMMENT, "", remark, end="hidden")
