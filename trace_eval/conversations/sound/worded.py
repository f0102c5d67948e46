"""The turns of a recording with the words, the events and the names of its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from blueprints import counted
from trace_eval.conversations.sound.apart import Apart
from trace_eval.conversations.sound.log_clock import LogClock
from trace_eval.data.conversation import (
    ROLES,
    Conversation,
    End,
    Role,
    SourceEvent,
    Speaker,
    Turn,
)

#: Words of a turn that is heard nowhere near, seconds, have no place in the sound.
_NEAR_S = 2.0


def role_names(log: Conversation) -> set[str]:
    """Return the names of user and agent in a log."""
    return {speaker.name for speaker in log.speakers if speaker.role in ROLES}


def timed_by_sound(
    log: Conversation, sound: Conversation, apart: Apart
) -> Conversation:
    """Give the turns of the sound the log's words, and add what stands in the log alone."""
    speakers_of_log = {role: log.speaker(role) for role in ROLES}
    names = {role: speaker.name for role, speaker in speakers_of_log.items() if speaker}
    turns = [
        turn.model_copy(
            update={"speaker": names.get(_role(turn.speaker), turn.speaker)}
        )
        for turn in sound.turns
    ]
    place = _Places(log, turns, names, apart)
    others = [
        _moved_turn(turn, apart.clock)
        for turn in log.turns
        if turn.speaker not in names.values() and apart.fits
    ]
    worded = place.worded()
    events = [
        *sound.events,
        *(place.moved(event) for event in log.events if apart.fits),
        *apart.alone_events(),
    ]
    lanes = {one.role: one.channel for one in sound.speakers}
    speakers = [
        *(
            Speaker(name=names.get(role, role), role=role, channel=lanes[role])
            for role in ROLES
        ),
        *(
            one.model_copy(update={"channel": None})
            for one in log.speakers
            if one.role == "other"
        ),
    ]
    channels = {channel.name for channel in sound.channels}
    return sound.model_copy(
        update={
            "speakers": tuple(
                one
                if one.channel in channels
                else one.model_copy(update={"channel": None})
                for one in speakers
            ),
            "turns": tuple(sorted([*worded, *others], key=_start)),
            "events": tuple(events),
            "instructions": log.instructions,
            "end": End(at_s=sound.end.at_s, reason=log.end.reason),
        }
    )


def _role(name: str) -> Role:
    return "user" if name == "user" else "agent"


def _start(turn: Turn) -> float:
    return turn.start_s or 0.0


def _moved_turn(turn: Turn, clock: LogClock) -> Turn:
    if turn.start_s is None or turn.end_s is None:
        return turn
    return turn.model_copy(
        update={
            "start_s": clock.in_sound(turn.start_s),
            "end_s": clock.in_sound(turn.end_s),
            "segments": tuple(clock.moved(turn.segments)),
        }
    )


def unplaced_words(log: Conversation, result: Conversation) -> Iterator[str]:
    """Say that the words of a log without times are not used, as other turns are heard."""
    worded = [turn for turn in log.turns if turn.text or turn.heard]
    timed = any(turn.start_s is not None for turn in log.turns)
    if not worded or timed or any(turn.text or turn.heard for turn in result.turns):
        return
    turns = counted(sum(turn.speaker in role_names(log) for turn in log.turns), "turn")
    heard = sum(not turn.backchannel for turn in result.turns)
    yield f"its log has {turns} in words, {heard} are heard: its words are not used"


class _Places:
    """Which turn of the sound each turn of a log is: the one of its role that it overlaps most."""

    def __init__(
        self,
        log: Conversation,
        turns: list[Turn],
        names: Mapping[Role, str],
        apart: Apart,
    ) -> None:
        self.log, self.turns, self.clock = log, turns, apart.clock
        mine = [turn for turn in log.turns if turn.speaker in names.values()]
        if not apart.fits:
            self.of: dict[int, int] = {}
        elif any(turn.start_s is not None for turn in mine):
            self.of = self._by_time()
        else:
            self.of = self._by_order(names)

    def _by_time(self) -> dict[int, int]:
        places = {}
        for number, turn in enumerate(self.log.turns):
            if turn.start_s is None or turn.end_s is None:
                continue
            [(start, end)] = self.clock.moved([(turn.start_s, turn.end_s)])
            overlap, best = max(
                (
                    (min(end, _end(one)) - max(start, _start(one)), -n)
                    for n, one in enumerate(self.turns)
                    if one.speaker == turn.speaker
                ),
                default=(-_NEAR_S, 0),
            )
            if overlap > -_NEAR_S:
                places[number] = -best
        return places

    def _by_order(self, names: Mapping[Role, str]) -> dict[int, int]:
        """Match texts without times one by one, where both have the same speakers in order."""
        logged = [
            n for n, turn in enumerate(self.log.turns) if turn.speaker in names.values()
        ]
        spoken = [n for n, turn in enumerate(self.turns) if not turn.backchannel]
        same = [self.log.turns[n].speaker for n in logged] == [
            self.turns[n].speaker for n in spoken
        ]
        return dict(zip(logged, spoken, strict=True)) if same else {}

    def worded(self) -> list[Turn]:
        """Return the turns of the sound with the words that the log has for them."""
        words: dict[int, list[Turn]] = defaultdict(list)
        for number, position in self.of.items():
            words[position].append(self.log.turns[number])
        turns: list[Turn] = []
        for position, turn in enumerate(self.turns):
            logged = words[position]
            if logged:
                update = {
                    "text": _joined_words(one.text for one in logged),
                    "heard": _joined_words(one.heard for one in logged),
                    "exchange": logged[0].exchange,
                }
                turns.append(turn.model_copy(update=update))
            else:
                turns.append(turn)
        return turns

    def moved(self, event: SourceEvent) -> SourceEvent:
        """Move an event of the log to the clock and the turn of the sound."""
        ordered = sorted(range(len(self.turns)), key=lambda n: _start(self.turns[n]))
        position = self.of.get(-1 if event.turn is None else event.turn)
        return event.model_copy(
            update={
                "at_s": None if event.at_s is None else self.clock.in_sound(event.at_s),
                "end_s": None
                if event.end_s is None
                else self.clock.in_sound(event.end_s),
                "turn": None if position is None else ordered.index(position),
            }
        )


def _end(turn: Turn) -> float:
    return turn.end_s or 0.0


def _joined_words(texts: Iterable[str | None]) -> str | None:
    return " ".join(text for text in texts if text) or None
