"""Label Studio's tasks for each kind of review, and what their results mean."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blueprints import UserError
from fusion import Rating
from trace_eval.data.items import Pair, Single
from trace_eval.data.outcome import Order
from trace_eval.review import material
from trace_eval.review.audio import Clips
from trace_eval.review.forms import (
    COMMENT,
    COMMENT_LIMIT,
    NO_SCORE,
    PHASES,
    TYPED,
    Phase,
    ReviewScoreForm,
    shown_rating,
)
from trace_eval.review.orders import shown_order
from trace_eval.review.session import Review
from trace_eval.review.together import Page
from trace_eval.review.views import Remark, StoreView

#: Where Label Studio serves local files from; the folder is relative to its document
#: root.
AUDIO_URL = "/data/local-files/?d=audio/"

#: Played where other tasks have a recording.
SILENCE = "silence"

#: What a field of the interface says: (its name, the value of a result).
Entries = Sequence[tuple[str, Mapping[str, Any]]]

#: Rating -> the words that annotators read; the results hold the rating itself.
CHOICES: dict[str, str] = {
    Rating.A: "1 is better",
    Rating.B: "2 is better",
    Rating.BOTH_GOOD: "both are good",
    Rating.BOTH_BAD: "both are bad",
}

QUESTIONS: dict[Phase, str] = {
    "content": "Content: what is said",
    "voice_quality": "Voice quality: how clean and natural it sounds",
    "paralinguistics": "Paralinguistics: how it is delivered",
    "overall": "Overall",
}

#: Names in the interface of single answers: the words that are shown, the score, the
#: player of the answer or of the whole call, and what that is called.
WORDS, SCORE, ANSWER = "shown", "score", "answer"
CALL = "Call: the user above, the agent below"


@dataclass(frozen=True)
class Imported:
    """The result of reading annotations; a bad one costs itself only."""

    stored: int = 0
    known: int = 0
    problems: tuple[str, ...] = ()


class _Tasks:
    def __init__(self, review: Review) -> None:
        self.review = review
        self.clips = Clips(review.items, review.store.secret)

    @property
    def items(self) -> list[Pair | Single]:
        """The items, none of which is a page: those have no tasks."""
        return [item for item in self.review.items if not isinstance(item, Page)]


class PairTasks(_Tasks):
    """Two answers in a drawn order, and a typed tie of each dimension."""

    def order(self, item: Pair) -> Order:
        """Draw which answer comes first.

        No task holds it: when results are read, it is drawn again, the same.
        """
        return shown_order(self.review.plan.seed, "label-studio", item.id, 0)

    def data(self, item: Any) -> dict[str, str]:
        """Return the answers as first and second."""
        first, second = (self.clips.clip_id(item.id, side) for side in self.order(item))
        spoken = self.clips.clip_id(item.id, "instruction")
        audible = spoken in self.clips
        return {
            "instruction": item.instruction.text or "(spoken, see below)",
            "first": url(first),
            "second": url(second),
            # Without a spoken instruction the player has the first answer, and says so.
            "spoken": url(spoken if audible else first),
            "spoken_note": "Instruction" if audible else "(no spoken instruction)",
        }

    def interface(self) -> dict[str, Any]:
        """Describe players, a choice for each dimension, and a comment."""
        players = [
            ("$spoken_note", "spoken"),
            ("Answer 1", "first"),
            ("Answer 2", "second"),
        ]
        return {
            "headers": [("Instruction", 4)],
            "text": "instruction",
            "players": [(title, name, False) for title, name in players],
            "to": "first",
            "questions": [(QUESTIONS[phase], phase, CHOICES) for phase in PHASES],
            "keys": {},
        }

    def read(self, rater: str, item: Any, entries: Entries) -> Imported:
        """Read one finished view of the pair."""
        order = self.order(item)
        answers: dict[str, str] = {}
        for phase in PHASES:
            chosen = Rating(_chosen(phase, entries, CHOICES))
            answers[f"{phase}.{TYPED}"] = str(shown_rating(chosen, order))
        answers[COMMENT] = ""
        now = time.time()
        view = StoreView(
            rater=rater,
            item=item.id,
            repeat=0,
            shown=order,
            started=now,
            finished=now,
            comment=_comment_in(entries),
            judge="hidden",
        )
        new = self.review.store.insert_finished(view, answers)
        return Imported(int(new), int(not new))


class ScoreTasks(_Tasks):
    """An answer as far as the rubric shows it, and a choice on its scale."""

    @cached_property
    def form(self) -> ReviewScoreForm:
        """The questions."""
        assert isinstance(self.review.form, ReviewScoreForm)
        return self.review.form

    @cached_property
    def offered(self) -> dict[str, str]:
        """Label of the scale -> its words, the best first; at last no score."""
        points = self.form.rubric.points
        words: dict[str, str] = {}
        for number in reversed(self.form.rubric.numbers.labels):
            label = f"{number:g}"
            words[label] = f"{label}: {points[label]}" if label in points else label
        words[NO_SCORE] = "no score"
        return words

    def players(self, item: Pair | Single) -> dict[str, str]:
        """Name of a player -> id of its recording; of a call the whole."""
        roles = {role.replace("-", "_"): role for role in item.recordings()}
        if item.answers[0].conversation is not None:
            roles = {ANSWER: ANSWER}
        players: dict[str, str] = {}
        for name, role in roles.items():
            clip = self.clips.clip_id(item.id, role)
            if clip in self.clips:
                players[name] = clip
        return players

    @cached_property
    def played(self) -> list[str]:
        """The players of the interface, which is one for all tasks."""
        return list(dict.fromkeys(n for item in self.items for n in self.players(item)))

    def data(self, item: Any) -> dict[str, str]:
        """Fill in words and players; one without sound is silent and says so."""
        clips = self.players(item)
        fields = {WORDS: self.words(item)}
        for name in self.played:
            title = name.replace("_", " ").capitalize()
            if item.answer.conversation:
                title = CALL
            if name in clips:
                fields[name] = url(clips[name])
                fields[f"{name}_note"] = title
            else:
                fields[name] = url(SILENCE)
                fields[f"{name}_note"] = f"({title}: no sound)"
        return fields

    def words(self, item: Single) -> str:
        """Return the words that the app shows of an item, in one text."""
        rubric, call = self.form.rubric, item.answer.conversation
        if call is not None:
            return material.transcript(call)
        parts: list[tuple[str | None, str | None]] = []
        parts += material.shown_texts(item, rubric)
        parts.append(("Rationale", material.rationale(item, rubric)))
        parts.append(("Answer", item.answer.text))
        lines = [f"{who}: {text}" if who else text for who, text in parts if text]
        return "\n\n".join(lines) or "(listen)"

    def interface(self) -> dict[str, Any]:
        """Describe words, players and choices; choices have the keys of our pages."""
        rubric = self.form.rubric
        called = any(item.answers[0].conversation for item in self.items)
        return {
            "headers": [(rubric.title, 4), (" ".join(rubric.question.split()), 6)],
            "text": WORDS,
            "players": [(f"${n}_note", n, called and n == ANSWER) for n in self.played],
            "to": WORDS,
            "questions": [(None, SCORE, self.offered)],
            "keys": {choice: choice for choice in self.offered if len(choice) == 1}
            | {NO_SCORE: "n"},
        }

    def read(self, rater: str, item: Any, entries: Entries) -> Imported:
        """Read the score of the answer."""
        question, store = self.form.questions(item)[0], self.review.store
        choice = _chosen(SCORE, entries, self.offered)
        view = store.start(rater, item.id, 0, "ab")
        value = self.form.stored(question, choice, "ab")
        value_before = store.answers(view).get(question.key, value)
        if value_before != value:
            before = value_before.removesuffix(".0")
            changed = (
                f"{question.key}: {choice} now, {before} when it was read before; that"
                " stays"
            )
            return Imported(0, 1, (changed,))
        remark = Remark(_comment_in(entries))
        new = store.answer(view, question.key, value, remark, "hidden")
        return Imported(int(new), int(not new))


#: The tasks of one kind of review.
Tasks = PairTasks | ScoreTasks


def url(clip: str) -> str:
    """Return the address under which Label Studio serves a recording."""
    return f"{AUDIO_URL}{clip}.wav"


def clip_of(value: str) -> str:
    """Return the recording at an address; anything else where the value is none."""
    return value.removeprefix(AUDIO_URL).removesuffix(".wav")


def _chosen(field: str, entries: Entries, offered: Mapping[str, str]) -> str:
    """Return the one choice of a field, named or in words; else raise UserError."""
    results = [value.get("choices") for name, value in entries if name == field]
    if not results:
        raise UserError(f"no choice for {field}; finish the annotation")
    if len(results) > 1:
        raise UserError(f"{field}: expected one choice, got {results!r:.60}")
    choices = results[0]
    if not isinstance(choices, list) or len(choices) != 1:
        raise UserError(f"{field}: expected one choice, got {choices!r:.60}")
    for choice, words in offered.items():
        if choices[0] in (choice, words):
            return choice
    raise UserError(f"{field}: {choices[0]!r:.60} is not one of {', '.join(offered)}")


def _comment_in(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the free words of an annotation."""
    words = ""
    for name, value in entries:
        if name != COMMENT:
            continue
        text = value.get("text") or ""
        if isinstance(text, list):
            words = "\n".join(map(str, text))
        else:
            words = str(text)
    return words[:COMMENT_LIMIT]
