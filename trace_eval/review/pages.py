"""Words, keys, and the rater's position as plain values for the templates of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fusion import DIMENSIONS, Rating
from trace_eval.data.answers import turn_role
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Label
from trace_eval.data.outcome import Order
from trace_eval.review.audio import Clips
from trace_eval.review.corrections import CODES, item_version, texts_of
from trace_eval.review.forms import (
    NO_SCORE,
    PHASES,
    Form,
    PairForm,
    Phase,
    ReviewScoreForm,
    rating,
    shown_rating,
    turn_of,
)
from trace_eval.review.loudness import ItemLoudness
from trace_eval.review.material import rationale, shown_texts, transcript, turn_lines
from trace_eval.review.page_questions import question
from trace_eval.review.session import Review
from trace_eval.review.views import Position, StoreView
from trace_eval.show.pages import environment, palette

_HERE = Path(__file__).parent

#: Escaping is always on: every name, text and comment is somebody else's.
TEMPLATES = environment("trace_eval.review")

#: File name -> (media type, content); requests are looked up here, never on the disk.
STATIC: dict[str, tuple[str, str]] = {
    "review.css": (
        "text/css",
        palette() + (_HERE / "static" / "review.css").read_text("utf-8"),
    ),
    "review.js": (
        "text/javascript",
        (_HERE / "static" / "review.js").read_text("utf-8"),
    ),
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


def of_form(form: Form) -> dict[str, Any]:
    """Return the words and keys that every page takes from what is asked."""
    values: dict[str, Any] = {
        "unit": form.unit,
        "codes": form.codes,
        # Letters are feedback codes where there are any.
        "undo_key": "Backspace" if form.codes else "U",
        "results_key": None if form.codes or form.listening.together else "R",
        "corrects": False,
        "guide": _guide(form),
        "about": None,
        "together": form.listening.together,
        "small_steps": False,
        "example": "",
    }
    if isinstance(form, PairForm):
        values["small_steps"] = form.protocol.scale == "typed"
        values["example"] = form.protocol.example
    if isinstance(form, ReviewScoreForm):
        values["corrects"] = form.rubric.listening is None
        values["about"] = form.rubric.title
    return values


def _guide(form: Form) -> list[tuple[str, str]]:
    """List (title, words) of questions and rules, for the page at the very start."""
    if isinstance(form, PairForm):
        guide = [(part.title, part.question) for part in form.protocol.parts]
        guide.extend(("", rule) for rule in form.protocol.rules)
        return guide
    guide = [("Question", form.rubric.question)]
    guide.extend(("", rule) for rule in form.rubric.rules)
    points = form.rubric.points.items()
    guide.extend(sorted(points, key=lambda point: -float(point[0])))
    return guide


def titles_of(form: Form) -> dict[str, str]:
    """Return the titles of a protocol's parts by their names."""
    if not isinstance(form, PairForm):
        return {}
    titles: dict[str, str] = {}
    first_impression = form.protocol.first_impression
    if first_impression:
        titles[first_impression.name] = first_impression.title
    for part in form.protocol.parts:
        titles[part.name] = part.title
    return titles


def blocks(position: Position, form: PairForm) -> list[dict[str, Any]]:
    """Return the strip of blocks with its decisions, as the rater saw the answers."""
    if len(form.parts) == 1 and form.listening.comment != "asked":
        return []
    strip: list[dict[str, Any]] = []
    current = position.step.phase if position.step else None
    for part in form.parts:
        chip = _decided(form, position, part.name)
        is_current = part.name == current
        strip.append({"title": part.title, "chip": chip, "current": is_current})
    if form.listening.comment == "asked":
        is_current = position.step is not None and current is None
        strip.append({"title": "Comment", "chip": None, "current": is_current})
    return strip


def _decided(form: PairForm, position: Position, part: str) -> tuple[str, str] | None:
    """Return what the rater said of a part: a style and words."""
    label, order = form.label(position.answers, part), position.view.shown
    if label is None:
        return None
    if form.protocol.scale == "typed":
        return CHIPS[shown_rating(Rating(label), order)]
    shown = form.shown_label(label, order)
    return "", form.protocol.points.get(shown, shown)


def item_page(review: Review, clips: Clips, position: Position) -> dict[str, Any]:
    """Fill the page that asks a question."""
    item, form = review.item(position.view.item), review.form
    assert position.step is not None
    spoken = clips.clip_id(item.id, "instruction")
    turn = turn_of(position.step.key)
    must_play = ""
    if review.must_play(position):
        must_play = " ".join(review.players(position))
    values = {
        "task": position.task,
        "place": position.place,
        "total": position.total,
        "step": position.step.key,
        "version": item_version(item),
        "final": position.step.kind == "comment",
        "spoken": spoken if spoken in clips else None,
        "question": question(position.step, form),
        "scored": position.step.kind == "score",
        "no_score": NO_SCORE,
        "comment": position.view.comment,
        "one_comment": form.of_pairs,
        "must_play": must_play,
        "turn": turn,
        "louder": None,
        "lanes": clips.lanes,
        "training": review.is_training(item.id),
        "has_events": bool(review.calls(position.view.rater, position.task)),
    }
    if isinstance(form, PairForm):
        assert isinstance(item, Pair)
        return values | _pair_shown(item, clips, position, form)
    assert isinstance(item, Single)
    corrected = review.corrections is not None and bool(review.corrections.of(item.id))
    values |= _single_shown(item, clips, form) | {"corrected": corrected}
    if item.answer.conversation is not None:
        values |= _conversation_shown(item, item.answer.conversation, clips, turn)
    return values


def _pair_shown(
    pair: Pair, clips: Clips, position: Position, form: PairForm
) -> dict[str, Any]:
    answers = []
    inputs = form.protocol.inputs
    for letter, side in zip("AB", position.view.shown, strict=True):
        answer = pair.sides[side]
        clip = clips.clip_id(pair.id, side)
        words = None
        sounds = [(letter, clip)]
        if answer.conversation is not None:
            words = transcript(answer.conversation)
            if clip not in clips:
                sounds = []
        if "reference" in inputs and answer.reference:
            words = answer.reference
        system = None if form.listening.blind else answer.system
        answers.append(
            {"letter": letter, "words": words, "clips": sounds, "system": system}
        )
    texts = []
    if "instruction" in inputs and pair.instruction.text:
        texts.append((None, pair.instruction.text))
    louder = None
    if not clips.matched:
        louder = louder_notice(clips.loudness(pair), position.view)
    return {
        "shows_question": "instruction" in inputs,
        "asks": "Instruction",
        "texts": texts,
        "louder": louder,
        "rationale": None,
        "corrected": False,
        "answers": answers,
        "blocks": blocks(position, form),
    }


def louder_notice(loudness: ItemLoudness, view: StoreView) -> str | None:
    """Name the louder answer by the letter that the rater sees; None if by little."""
    if not loudness.is_told:
        return None
    first, second = (loudness.lufs[side] for side in view.shown)
    assert first is not None
    assert second is not None
    louder, other = ("A", "B") if first > second else ("B", "A")
    return (
        f"{louder} is {loudness.spread:.0f} dB louder than {other}, as it was recorded."
    )


def _single_shown(item: Single, clips: Clips, form: Form) -> dict[str, Any]:
    """Show an answer as far as the rubric does; the key P plays its sound, if any."""
    assert isinstance(form, ReviewScoreForm)
    questions = {"question", "instruction", "context", "reference", "conversation"}
    asked = questions.intersection(form.rubric.inputs)
    roles = [role for role in item.recordings() if role != "instruction"]
    sounds = []
    for number, role in enumerate(roles, start=1):
        key = "P" if number == 1 else str(number)
        sounds.append((key, clips.clip_id(item.id, role)))
    answer = {
        "letter": None,
        "words": item.answer.text,
        "clips": sounds,
        "system": None if form.listening.blind else item.system,
    }
    texts = shown_texts(item, form.rubric)
    heading = "Question"
    if asked == {"reference"}:
        heading = "Reference"
        if len(texts) == 1:
            ((_, reference),) = texts
            texts = [(None, reference)]  # which is under the heading already
    return {
        "shows_question": bool(asked) or form.rubric.listening is None,
        "asks": heading,
        "texts": texts,
        "rationale": rationale(item, form.rubric),
        "answers": [answer],
        "blocks": [],
    }


def _conversation_shown(
    item: Single, conversation: Conversation, clips: Clips, turn: int | None
) -> dict[str, Any]:
    """Show the words so far and the turn to rate.

    The key P plays the turn, I what the user said before it.

    Without a turn the whole call, which P plays.
    """
    if turn is None:
        clip = clips.clip_id(item.id, "answer")
        sounds = [("P", clip)] if clip in clips else []
        texts = turn_lines(conversation, 0, len(conversation.turns))
        answers = [{"letter": None, "words": None, "clips": sounds}]
        return {"asks": "Conversation", "texts": texts, "answers": answers}
    spoken = None
    before = [number for number, _ in conversation.turns_of("user") if number < turn]
    if before:
        clip = clips.clip_id(item.id, turn_role("answer", before[-1]))
        if clip in clips:
            spoken = clip
    clip = clips.clip_id(item.id, turn_role("answer", turn))
    sounds = [("P", clip)] if clip in clips else []
    rated = conversation.turns[turn]
    words = rated.text or rated.heard
    return {
        "asks": "Conversation so far",
        "texts": turn_lines(conversation, max(0, turn - TURNS_SHOWN), turn),
        "spoken": spoken,
        "answers": [{"letter": None, "words": words, "clips": sounds}],
    }


def correct_page(review: Review, task: int) -> dict[str, Any] | None:
    """Fill the page that corrects an item; None: there is no such item."""
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
    """Fill the page that shows the judge's opinion, in the order the rater saw.

    The judge's words name the pair's own A and B; the page says which is which.
    """
    item, titles = position.view.item, titles_of(review.form)
    judgement = review.material.judgements[item]
    order = position.view.shown
    first, second = review.material.transcripts.get(item, (None, None))
    if order == "ba":
        first, second = second, first
    verdicts: dict[Phase, tuple[Label | None, str]] = dict.fromkeys(PHASES, (None, ""))
    for name in DIMENSIONS:
        verdict = judgement.dimensions.get(name)
        if verdict:
            verdicts[name] = verdict.rating, verdict.reasoning
    fused = review.material.overall.get(item)
    if fused and fused.rating:
        verdicts["overall"] = fused.rating, fused.why
    rows = []
    for phase, (label, words) in verdicts.items():
        rows.append(
            {
                "title": titles[phase],
                "yours": _chip(rating(position.answers, phase), order),
                "judge": _chip(label, order),
                "words": words,
            }
        )
    unscored = None
    if judgement.status != "scored":
        unscored = judgement.detail or judgement.reason
    return {
        "task": position.task,
        "rows": rows,
        "unscored": unscored,
        "exchanged": order == "ba",
        "transcripts": [("A", first), ("B", second)],
    }


def _chip(value: Label | None, order: Order) -> tuple[str, str] | None:
    return CHIPS[shown_rating(value, order)] if isinstance(value, Rating) else None
