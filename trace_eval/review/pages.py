"""Words, keys, and the rater's position as plain values for the templates of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fusion import DIMENSIONS, Rating
from trace_eval.data.answers import turn_role
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Label
from trace_eval.data.outcome import Order
from trace_eval.review.audio import Clips
from trace_eval.review.corrections import CODES, item_version, texts_of
from trace_eval.review.forms import (
    CONFIDENCE,
    EQUAL,
    FIRST,
    NO,
    NO_SCORE,
    PHASES,
    SECOND,
    YES,
    Form,
    Phase,
    ReviewQuestion,
    ReviewScoreForm,
    phases,
    rating,
    shown_rating,
    turn_of,
)
from trace_eval.review.material import rationale, shown_texts, transcript, turn_lines
from trace_eval.review.session import Position, Review
from trace_eval.show.pages import environment, palette

_HERE = Path(__file__).parent

#: Escaping is always on: every name, text and comment is somebody else's.
TEMPLATES = environment("trace_eval.review")

#: File name -> (media type, content); requests are looked up here, never on the disk.
STATIC: dict[str, tuple[str, str]] = {
    "review.css": ("text/css", palette() + (_HERE / "static" / "review.css").read_text("utf-8")),
    "review.js": ("text/javascript", (_HERE / "static" / "review.js").read_text("utf-8")),
}

TITLES: dict[Phase, str] = {
    "overall_first": "First impression",
    "content": "Content",
    "voice_quality": "Voice quality",
    "paralinguistics": "Paralinguistics",
    "overall": "Overall",
}

HINTS: dict[Phase, str] = {
    "overall_first": "Your first impression of the whole answer, before you look at its parts.",
    "content": "Only what is said: does it do what the instruction asks, correctly and fully?",
    "voice_quality": "Only the sound: clean, natural, without noise, distortion or glitches?",
    "paralinguistics": "Only the delivery: pace, pitch, loudness, emotion, emphasis, accent as"
    " asked, or fitting where nothing is asked.",
    "overall": "Everything together: would you accept this answer?",
}

#: Typed ties as the rater saw the answers.
CHIPS: dict[Rating, tuple[str, str]] = {
    Rating.A: ("a", "A better"),
    Rating.B: ("b", "B better"),
    Rating.BOTH_GOOD: ("g", "both good"),
    Rating.BOTH_BAD: ("x", "both bad"),
}

#: Turns of a conversation that are shown before the one that is rated.
TURNS_SHOWN = 12


@dataclass(frozen=True)
class PageChoice:
    """A button: its answer, its key and its words."""

    value: str
    key: str
    text: str
    style: str


_ACCEPT = (
    PageChoice(YES, "G", "Good: acceptable", "good"),
    PageChoice(NO, "X", "Bad: not acceptable", ""),
)
_BETTER = (
    PageChoice(FIRST, "1", "A is better", "a"),
    PageChoice(SECOND, "2", "B is better", "b"),
    PageChoice(EQUAL, "3", "Equally good", ""),
)
_NEXT = (PageChoice("", "Enter", "Next pair", "good"),)


def of_form(form: Form) -> dict[str, Any]:
    """Words and keys that every page takes from what is asked."""
    # (title, words) of what is rated and by which rules, for the page before the first item.
    guide = [(TITLES[name], HINTS[name]) for name in phases(False)]
    if isinstance(form, ReviewScoreForm):
        rules = [("", rule) for rule in form.rubric.rules]
        points = reversed(form.rubric.points.items())
        guide = [("Question", form.rubric.question), *rules, *points]
    return {
        "unit": form.unit,
        "codes": form.codes,
        # Letters are feedback codes where there are any.
        "undo_key": "Backspace" if form.codes else "U",
        "results_key": None if form.codes else "R",
        "corrects": isinstance(form, ReviewScoreForm),
        "guide": guide,
        "about": form.rubric.title if isinstance(form, ReviewScoreForm) else None,
    }


class PageQuestion(NamedTuple):
    """A step on its page, with its buttons."""

    title: str
    heading: str
    hint: str
    choices: Sequence[PageChoice]


def question(step: ReviewQuestion, form: Form) -> PageQuestion:
    """Heading, hint and buttons of a step."""
    if step.kind == "comment":
        hint = "Optional. Write a comment, or go on to the next pair."
        return PageQuestion("Comment", "Anything to add?", hint, _NEXT)
    if step.kind == "confidence":
        hint = "Say here how far the recordings leave it open."
        sure = [PageChoice(key, key, text, "") for key, text in CONFIDENCE.items()]
        return PageQuestion("Confidence", "How sure are you of this rating?", hint, sure)
    if isinstance(form, ReviewScoreForm):
        rubric, turn = form.rubric, turn_of(step.key)
        values = [value for value in reversed(step.values) if value != NO_SCORE]
        scale = [PageChoice(value, value, rubric.points.get(value, ""), "") for value in values]
        title = "Score" if turn is None else f"Turn {turn}"
        return PageQuestion(title, rubric.title, rubric.question, scale)
    headings = {
        "first": "Is A acceptable?",
        "second": "Is B acceptable?",
        "better": "Both are acceptable. Which is better?",
    }
    assert step.phase is not None
    choices = _BETTER if step.kind == "better" else _ACCEPT
    return PageQuestion(TITLES[step.phase], headings[step.kind], HINTS[step.phase], choices)


def blocks(position: Position, overall_first: bool) -> list[dict[str, Any]]:
    """Return the strip of blocks with what was decided, as the rater saw the answers."""
    results: list[dict[str, Any]] = []
    current = position.step.phase if position.step else None
    for phase in phases(overall_first):
        decided = rating(position.answers, phase)
        chip = CHIPS[shown_rating(decided, position.view.shown)] if decided else None
        results.append({"title": TITLES[phase], "chip": chip, "current": phase == current})
    asks = position.step is not None and position.step.phase is None
    return [*results, {"title": "Comment", "chip": None, "current": asks}]


def item_page(review: Review, clips: Clips, position: Position) -> dict[str, Any]:
    """Values of the page that asks a question."""
    item, form = review.item(position.view.item), review.form
    assert position.step is not None
    spoken, turn = clips.clip_id(item.id, "instruction"), turn_of(position.step.key)
    values = {
        "task": position.task,
        "step": position.step.key,
        "version": item_version(item),
        "final": position.step.kind == "comment",
        "spoken": spoken if spoken in clips else None,
        "question": question(position.step, form),
        "scored": position.step.kind == "score",
        "no_score": NO_SCORE,
        "comment": position.view.comment,
        "one_comment": form.of_pairs,
        "must_play": review.must_play(position),
        "turn": turn,
        "lanes": clips.lanes,
        "has_events": bool(review.calls(position.view.rater, position.task)),
    }
    if isinstance(item, Pair):
        return values | _pair_shown(item, clips, position, review.plan.overall_first)
    corrected = review.corrections is not None and bool(review.corrections.of(item.id))
    values |= _single_shown(item, clips, form) | {"corrected": corrected}
    if item.answer.conversation is not None:
        values |= _conversation_shown(item, item.answer.conversation, clips, turn)
    return values


def _pair_shown(
    pair: Pair, clips: Clips, position: Position, overall_first: bool
) -> dict[str, Any]:
    answers = []
    for letter, side in zip("AB", position.view.shown, strict=True):
        clip, called = clips.clip_id(pair.id, side), pair.answers[side == "b"].conversation
        sounds = [(letter, clip)] if called is None or clip in clips else []
        words = None if called is None else transcript(called)
        answers.append({"letter": letter, "words": words, "clips": sounds})
    return {
        "asks": "Instruction",
        "texts": [(None, pair.instruction.text)] if pair.instruction.text else [],
        "rationale": None,
        "corrected": False,
        "answers": answers,
        "blocks": blocks(position, overall_first),
    }


def _single_shown(item: Single, clips: Clips, form: Form) -> dict[str, Any]:
    """Show an answer as far as the rubric does; the letter P plays its sound, if there is any."""
    assert isinstance(form, ReviewScoreForm)
    roles = [role for role in item.recordings() if role != "instruction"]
    keys = ["P", *map(str, range(2, len(roles) + 1))]
    sounds = [(key, clips.clip_id(item.id, role)) for key, role in zip(keys, roles, strict=False)]
    return {
        "asks": "Question",
        "texts": shown_texts(item, form.rubric),
        "rationale": rationale(item, form.rubric),
        "answers": [{"letter": None, "words": item.answer.text, "clips": sounds}],
        "blocks": [],
    }


def _conversation_shown(
    item: Single, conversation: Conversation, clips: Clips, turn: int | None
) -> dict[str, Any]:
    """Show the words so far and the turn that is rated; P plays it, I what the user said before.

    Without a turn the whole call, which P plays.
    """
    if turn is None:
        clip = clips.clip_id(item.id, "answer")
        sounds = [("P", clip)] if clip in clips else []
        texts = turn_lines(conversation, 0, len(conversation.turns))
        answers = [{"letter": None, "words": None, "clips": sounds}]
        return {"asks": "Conversation", "texts": texts, "answers": answers}
    before = [number for number, _ in conversation.turns_of("user") if number < turn]
    sound_of = {n: clips.clip_id(item.id, turn_role("answer", n)) for n in (*before[-1:], turn)}
    rated = conversation.turns[turn]
    sounds = [("P", sound_of[turn])] if sound_of[turn] in clips else []
    return {
        "asks": "Conversation so far",
        "texts": turn_lines(conversation, max(0, turn - TURNS_SHOWN), turn),
        "spoken": next((sound_of[n] for n in before[-1:] if sound_of[n] in clips), None),
        "answers": [{"letter": None, "words": rated.text or rated.heard, "clips": sounds}],
    }


def correct_page(review: Review, task: int) -> dict[str, Any] | None:
    """Values of the page that corrects an item; None: there is no such item."""
    if review.corrections is None or not 0 <= task < len(review.tasks):
        return None
    item = review.corrections.items[review.tasks[task][0]]
    return {
        "task": task,
        "fields": texts_of(item),
        "candidate": item.answer.text,
        "asks_for": {field: review.form.codes[code] for code, field in CODES.items()},
        "history": review.corrections.of(item.id),
    }


def judge_page(review: Review, position: Position) -> dict[str, Any]:
    """Values of the page that shows the judge's opinion, in the order the rater saw.

    The judge's words name the pair's own A and B; the page says which is which.
    """
    item = position.view.item
    judgement = review.material.judgements[item]
    transcripts = review.material.transcripts.get(item, (None, None))
    first, second = transcripts if position.view.shown == "ab" else transcripts[::-1]
    verdicts: dict[Phase, tuple[Label | None, str]] = dict.fromkeys(PHASES, (None, ""))
    for name in DIMENSIONS:
        if verdict := judgement.dimensions.get(name):
            verdicts[name] = verdict.rating, verdict.reasoning
    if (fused := review.material.overall.get(item)) and fused.rating:
        verdicts["overall"] = fused.rating, fused.why
    rows = [
        {
            "title": TITLES[phase],
            "yours": _chip(rating(position.answers, phase), position.view.shown),
            "judge": _chip(label, position.view.shown),
            "words": words,
        }
        for phase, (label, words) in verdicts.items()
    ]
    return {
        "task": position.task,
        "rows": rows,
        "unscored": None if judgement.status == "scored" else judgement.detail or judgement.reason,
        "exchanged": position.view.shown == "ba",
        "transcripts": [("A", first), ("B", second)],
    }


def _chip(value: Label | None, order: Order) -> tuple[str, str] | None:
    return CHIPS[shown_rating(value, order)] if isinstance(value, Rating) else None
