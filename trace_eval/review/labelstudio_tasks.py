"""What a Label Studio task shows and asks, and what its results mean, for one kind of review."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blueprints import UserError
from fusion import DIMENSIONS, Rating
from trace_eval.data.outcome import Order
from trace_eval.data.pairs import Pair
from trace_eval.review import labelstudio_format as studio
from trace_eval.review.audio import Clips
from trace_eval.review.labelstudio_format import LabelStudioResult
from trace_eval.review.protocol import COMMENT, TYPED, Phase, shown_rating
from trace_eval.review.queue import shown_order
from trace_eval.review.session import Review
from trace_eval.review.store import StoreView

#: Where Label Studio serves local files from; the folder is relative to its document root.
AUDIO_URL = "/data/local-files/?d=audio/"


@dataclass(frozen=True)
class Imported:
    """The result of reading annotations; a bad one costs itself only.

    Attributes:
        stored, known: how many are new, and how many were there.
        problems: what could not be taken, and why.
    """

    stored: int = 0
    known: int = 0
    problems: tuple[str, ...] = ()


class Tasks(ABC):
    """The tasks of one kind of review."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.clips = Clips(review.items, review.store.secret)

    def url(self, clip: str) -> str:
        """Where Label Studio finds a recording."""
        return f"{AUDIO_URL}{clip}.wav"

    @abstractmethod
    def sounds(self, item: Any) -> Sequence[str]:
        """Ids of the recordings that an item's task plays."""

    @abstractmethod
    def data(self, item: Any) -> dict[str, str]:
        """The fields of an item's task."""

    @abstractmethod
    def interface(self) -> list[str]:
        """The labelling interface, line by line."""

    @abstractmethod
    def read(self, rater: str, item: Any, results: Sequence[LabelStudioResult]) -> Imported:
        """Store an annotator's answer about an item.

        Raises:
            UserError: the annotation as a whole cannot be taken.
        """


#: What is asked of pairs, in this order.
PHASES: tuple[Phase, ...] = (*DIMENSIONS, "overall")

#: What annotators read; the results hold the rating itself.
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


class PairTasks(Tasks):
    """Two answers in a drawn order, and a typed tie of each dimension."""

    def order(self, item: Pair) -> Order:
        """Which answer comes first; not in the task, drawn again when results are read."""
        return shown_order(self.review.plan.seed, "label-studio", item.id, 0)

    def sounds(self, item: Pair) -> Sequence[str]:
        """Instruction and both answers."""
        results = (self.clips.clip_id(item.id, role) for role in ("instruction", "a", "b"))
        return [clip for clip in results if clip in self.clips]

    def data(self, item: Pair) -> dict[str, str]:
        """The answers as first and second."""
        first, second = (self.clips.clip_id(item.id, side) for side in self.order(item))
        spoken = self.clips.clip_id(item.id, "instruction")
        audible = spoken in self.clips
        return {
            "instruction": item.instruction.text or "(spoken, see below)",
            "first": self.url(first),
            "second": self.url(second),
            # Without a spoken instruction the player has the first answer, and says so.
            "spoken": self.url(spoken if audible else first),
            "spoken_note": "Instruction" if audible else "(no spoken instruction)",
        }

    def interface(self) -> list[str]:
        """Players, a choice for each dimension, and a comment."""
        lines = [
            studio.header("Instruction"),
            '  <Text name="instruction" value="$instruction"/>',
            studio.header("$spoken_note"),
            studio.player("spoken"),
            studio.header("Answer 1"),
            studio.player("first"),
            studio.header("Answer 2"),
            studio.player("second"),
        ]
        for phase in PHASES:
            lines += [studio.header(QUESTIONS[phase]), *studio.choices(phase, "first", CHOICES)]
        return [*lines, studio.comment("first")]

    def read(self, rater: str, item: Pair, results: Sequence[LabelStudioResult]) -> Imported:
        """One finished view of the pair."""
        order, ratings = self.order(item), {}
        for phase in PHASES:
            choice = studio.chosen(phase, results, CHOICES)
            if choice is None:
                raise UserError(f"no choice for {phase}; finish the annotation")
            ratings[f"{phase}.{TYPED}"] = str(shown_rating(Rating(choice), order))
        now, comment = time.time(), studio.comment_of(results)
        view = StoreView(rater, item.id, 0, order, now, now, comment, "hidden")
        new = self.review.store.insert_finished(view, ratings | {COMMENT: ""})
        return Imported(int(new), int(not new))
