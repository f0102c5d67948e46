"""What the pages show: words, keys, and the rater's place as plain values for templates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fusion import DIMENSIONS, Rating
from trace_eval.data import Label, Order
from trace_eval.review.audio import Clips
from trace_eval.review.protocol import (
    EQUAL,
    FIRST,
    NO,
    SECOND,
    YES,
    Phase,
    Question,
    phases,
    rating,
    shown_rating,
)
from trace_eval.review.results import RATED, accuracies, agreement
from trace_eval.review.session import Position, Review
from trace_eval.static import palette

_HERE = Path(__file__).parent

#: Templates with escaping always on: every name, text and comment is somebody else's.
TEMPLATES = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

#: File name -> (media type, content); requests are looked up here, never on the disk.
STATIC: dict[str, tuple[str, bytes]] = {
    "review.css": (
        "text/css; charset=utf-8",
        palette().encode() + (_HERE / "static" / "review.css").read_bytes(),
    ),
    "review.js": (
        "text/javascript; charset=utf-8",
        (_HERE / "static" / "review.js").read_bytes(),
    ),
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


@dataclass(frozen=True)
class Choice:
    """A button: its answer, its key and its words."""

    value: str
    key: str
    text: str
    style: str


_ACCEPT = (Choice(YES, "G", "Good: acceptable", "good"), Choice(NO, "X", "Bad: not acceptable", ""))
_BETTER = (
    Choice(FIRST, "1", "A is better", "a"),
    Choice(SECOND, "2", "B is better", "b"),
    Choice(EQUAL, "3", "Equally good", ""),
)
_NEXT = (Choice("", "Enter", "Next pair", "good"),)


def question(step: Question) -> dict[str, Any]:
    """Heading, hint and buttons of a step."""
    if step.phase is None:
        return {
            "title": "Comment",
            "heading": "Anything to add?",
            "hint": "Optional. Write a comment, or go on to the next pair.",
            "choices": _NEXT,
        }
    headings = {
        "first": "Is A acceptable?",
        "second": "Is B acceptable?",
        "better": "Both are acceptable. Which is better?",
    }
    return {
        "title": TITLES[step.phase],
        "heading": headings[step.kind],
        "hint": HINTS[step.phase],
        "choices": _BETTER if step.kind == "better" else _ACCEPT,
    }


def blocks(place: Position, overall_first: bool) -> list[dict[str, Any]]:
    """The strip of blocks with what was decided, as the rater saw the answers."""
    found: list[dict[str, Any]] = []
    current = place.step.phase if place.step else None
    for phase in phases(overall_first):
        decided = rating(place.answers, phase)
        chip = CHIPS[shown_rating(decided, place.view.shown)] if decided else None
        found.append({"title": TITLES[phase], "chip": chip, "current": phase == current})
    asks = place.step is not None and place.step.phase is None
    return [*found, {"title": "Comment", "chip": None, "current": asks}]


def item_page(review: Review, clips: Clips, place: Position) -> dict[str, Any]:
    """Values of the page that asks a question."""
    pair = review.material.by_id[place.view.item]
    assert place.step is not None
    return {
        "task": place.task,
        "step": place.step.key,
        "final": place.step.phase is None,
        "instruction": pair.instruction.text,
        "spoken": _known(clips, pair.id, "instruction"),
        "answers": [
            (letter, clips.clip_id(pair.id, side))
            for letter, side in zip("AB", place.view.shown, strict=True)
        ],
        "question": question(place.step),
        "must_play": review.must_play(place),
        "blocks": blocks(place, review.plan.overall_first),
        "comment": place.view.comment,
    }


def _known(clips: Clips, item: str, role: str) -> str | None:
    clip = clips.clip_id(item, role)
    return clip if clip in clips else None


def judge_page(review: Review, place: Position) -> dict[str, Any]:
    """Values of the page that shows the judge's opinion, in the order the rater saw.

    The judge's words name the pair's own A and B; the page says which is which.
    """
    item = place.view.item
    judgement = review.material.judgements[item]
    overall = review.material.overall.get(item)
    transcripts = review.material.transcripts.get(item, (None, None))
    first, second = transcripts if place.view.shown == "ab" else transcripts[::-1]
    rows = []
    for dimension in DIMENSIONS:
        verdict = judgement.dimensions.get(dimension)
        rows.append(
            {
                "title": TITLES[dimension],
                "yours": _chip(rating(place.answers, dimension), place.view.shown),
                "judge": _chip(verdict.rating if verdict else None, place.view.shown),
                "words": verdict.reasoning if verdict else "",
            }
        )
    rows.append(
        {
            "title": TITLES["overall"],
            "yours": _chip(rating(place.answers, "overall"), place.view.shown),
            "judge": _chip(overall.rating if overall else None, place.view.shown),
            "words": overall.why if overall and overall.rating else "",
        }
    )
    return {
        "task": place.task,
        "rows": rows,
        "unscored": None if judgement.status == "scored" else judgement.detail or judgement.reason,
        "exchanged": place.view.shown == "ba",
        "transcripts": [("A", first), ("B", second)],
    }


def _chip(value: Label | None, order: Order) -> tuple[str, str] | None:
    return CHIPS[shown_rating(value, order)] if isinstance(value, Rating) else None


def results_page(review: Review, unlocked: bool) -> dict[str, Any]:
    """Values of the page of results; the judge's share of it only when unlocked."""
    labelled = review.labelled()
    raters = sorted({view.rater for view in review.store.views()})
    found = agreement(labelled)
    return {
        "progress": [(name, *review.progress(name)) for name in raters],
        "accuracies": [
            (TITLES[phase], accuracy) for phase, accuracy in accuracies(review, labelled).items()
        ]
        if unlocked and review.material.judged
        else [],
        "judged": review.material.judged,
        "unlocked": unlocked,
        "titles": [TITLES[phase] for phase in RATED],
        "kappas": _by_row(found.kappas, lambda k: " and ".join(k.raters)),
        "alphas": _by_row(found.alphas, lambda _: "all raters"),
        "retests": _by_row(found.retests, lambda r: r.rater),
        "needed": len(review.plan.needed),
        "random": review.plan.drawn,
        "population": len(review.plan.population),
        "left_out": len(review.material.left_out),
    }


def _by_row(cells: Any, name: Any) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for cell in cells:
        row = rows.setdefault(name(cell), [None] * len(RATED))
        row[RATED.index(cell.phase)] = cell
    return rows
