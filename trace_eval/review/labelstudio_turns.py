"""Label Studio tasks of calls whose agent is rated turn by turn.

A call is one recording, the user left and the agent right. Its turns are regions that are there
from the start: those of the agent are rated one by one, those of others are context and fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blueprints import UserError
from trace_eval.data import Conversation, Role, Single
from trace_eval.review import labelstudio_format as studio
from trace_eval.review.audio import heard_at, lane_order
from trace_eval.review.forms import turn_of
from trace_eval.review.labelstudio_format import Region, Result
from trace_eval.review.labelstudio_scores import ANSWER, SCORE, ScoreTasks
from trace_eval.review.labelstudio_tasks import Read
from trace_eval.review.protocol import Question

#: Name of the labels, which say whose turn a region is.
SPEAKER = "speaker"

#: Whose turns are rated.
RATED: Role = "agent"


@dataclass(frozen=True)
class Place:
    """A turn in the sound of its call; without a question it is context."""

    number: int
    region: Region
    question: Question | None


class TurnTasks(ScoreTasks):
    """A call with its turns as regions, and a choice for each of the agent's."""

    unit = "turn"

    def regions(self, item: Single) -> tuple[list[dict[str, Any]], str | None]:
        """All turns with a place in the call's sound, and the asked ones without."""
        whole = self.clips.clip_id(item.id, ANSWER)
        if whole not in self.clips:
            raise UserError("its call has no sound to mark; rate its turns on the review's pages")
        length = self.length(item)
        found = [one for one in self.places(item) if one.region.start < length]
        asked, placed = self.form.questions(item), [one.question for one in found]
        lost = [str(turn_of(question.key)) for question in asked if question not in placed]
        if len(lost) == len(asked):
            raise UserError("no turn of its agent has a place in its sound; use the review's pages")
        records = [one.region.record(SPEAKER, ANSWER, length) for one in found]
        told = f"{_turns(lost)}: no place in the sound; use the review's pages" if lost else None
        return records, told

    def places(self, item: Single) -> list[Place]:
        """The turns with a channel and a time."""
        call = item.answer.conversation
        assert call is not None
        asks = {turn_of(question.key): question for question in self.form.questions(item)}
        found = []
        for number, (role, start, end, channel) in spans(call).items():
            turn, question = call.turns[number], asks.get(number)
            words = f"{number}: {turn.text or turn.heard or '(no words known)'}"
            name = self.region_id(item, "turn", str(number))
            region = Region(name, role, start, end, channel, words, fixed=question is None)
            found.append(Place(number, region, question))
        return found

    def asked(self) -> list[str]:
        """Whose turn it is, and the score of an agent's."""
        calls = [item.answer.conversation for item in self.singles]
        roles = {role for call in calls if call for role, *_ in spans(call).values()}
        labels = studio.labels(SPEAKER, ANSWER, sorted(roles | {RATED}))
        return [*labels, *self.fields(ANSWER, each=RATED)]

    def read(
        self, rater: str, item: Single, results: Sequence[Result], data: Mapping[str, Any]
    ) -> Read:
        """The scores of all turns that can be taken; each other one is told."""
        places = {place.region.id: place for place in self.places(item)}
        by_region: dict[str, list[Result]] = {}
        for one in results:
            by_region.setdefault(one.region, []).append(one)
        said: dict[Question, tuple[str, str]] = {}
        problems = []
        unrated = {name: place for name, place in places.items() if place.question}
        for name, mine in by_region.items():
            place = places.get(name)
            try:
                if place is None:
                    unread = next((one.bad for one in mine if one.bad), "")
                    raise UserError(unread or "it was added, and is no turn of this call")
                if (choice := self._choice(place, mine)) is not None:
                    said[choice[0]] = choice[1]
                    del unrated[name]
            except UserError as error:
                what = f"turn {place.number}" if place else f"region {name!r:.40}"
                problems.append(f"{what}: {error}")
                unrated.pop(name, None)
        if unrated:
            lost = [str(place.number) for place in unrated.values()]
            problems.append(f"{_turns(lost)}: no choice for {SCORE}; finish the annotation")
        return self.store(rater, item, said, problems)

    def _choice(
        self, place: Place, mine: Sequence[Result]
    ) -> tuple[Question, tuple[str, str]] | None:
        """What was chosen for a turn; None: nothing, or it is context.

        Raises:
            UserError: the region is not this turn's any more, or the choice none.
        """
        choice = studio.chosen(SCORE, mine, self.offered)
        if choice is None:
            return None
        if place.question is None:
            raise UserError(f"it is the {place.region.label}'s; only the {RATED}'s are rated")
        for one in mine:
            if wrong := place.region.misplaced(one.value):
                raise UserError(wrong)
        return place.question, (choice, studio.comment_of(mine))


def spans(call: Conversation) -> Mapping[int, tuple[Role, float, float, int]]:
    """Turn -> role, start and end in the sound of the whole call [s], and channel of it."""
    lanes = {channel.name: (place, channel) for place, channel in enumerate(lane_order(call))}
    speakers = {speaker.name: speaker for speaker in call.speakers}
    found: dict[int, tuple[Role, float, float, int]] = {}
    for number, turn in enumerate(call.turns):
        speaker = speakers[turn.speaker]
        if turn.start_s is None or turn.end_s is None or speaker.channel not in lanes:
            continue
        place, channel = lanes[speaker.channel]
        start, end = (heard_at(call, channel, at) for at in (turn.start_s, turn.end_s))
        if start < end:
            found[number] = (speaker.role, start, end, place)
    return found


def _turns(numbers: Sequence[str]) -> str:
    return f"turn{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
