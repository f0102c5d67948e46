"""The turns of a recording with the words, the events and the names of its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from blueprints import counted
from trace_eval.conversations.sound.apart import Apart
from trace_eval.conversations.sound.log_clock import LogClock
from trace_eval.conversations.sound.stamped import can_hold
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
    """Give the turns of the sound the log's words, and add what the log alone has."""
    names: dict[Role, str] = {}
    for role in ROLES:
        speaker = log.speaker(role)
        if speaker:
            names[role] = speaker.name
    turns = [_named_as_in_log(turn, names) for turn in sound.turns]
    places = _Places(log, turns, names, apart)
    worded = places.worded()
    events = list(sound.events)
    if apart.fits:
        for turn in log.turns:
            if turn.speaker not in names.values():
                worded.append(_moved_turn(turn, apart.clock))
        events += [places.moved(event) for event in log.events]
    events += apart.alone_events()
    return sound.model_copy(
        update={
            "speakers": tuple(_speakers(log, sound, names)),
            "turns": tuple(sorted(worded, key=_start)),
            "events": tuple(events),
            "instructions": log.instructions,
            "end": End(at_s=sound.end.at_s, reason=log.end.reason),
        }
    )


def _named_as_in_log(turn: Turn, names: Mapping[Role, str]) -> Turn:
    name = names.get(_role(turn.speaker), turn.speaker)
    return turn.model_copy(update={"speaker": name})


def _speakers(
    log: Conversation, sound: Conversation, names: Mapping[Role, str]
) -> Iterator[Speaker]:
    """Yield user and agent with their channels, and the log's others without one."""
    recorded = {channel.name for channel in sound.channels}
    lanes = {one.role: one.channel for one in sound.speakers}
    for role in ROLES:
        channel = lanes[role]
        yield Speaker(
            name=names.get(role, role),
            role=role,
            channel=channel if channel in recorded else None,
        )
    for speaker in log.speakers:
        if speaker.role == "other":
            yield speaker.model_copy(update={"channel": None})


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
    """Say that a log's words without times are not used, as other turns are heard."""
    if any(turn.start_s is not None for turn in log.turns):
        return
    if not any(map(_has_words, log.turns)) or any(map(_has_words, result.turns)):
        return
    roles = role_names(log)
    logged = sum(turn.speaker in roles for turn in log.turns)
    heard = sum(not turn.backchannel for turn in result.turns)
    is_heard = "is" if heard == 1 else "are"
    yield (
        f"its log has {counted(logged, 'turn')} in words, {heard} {is_heard} heard: its"
        " words are not used"
    )


def _has_words(turn: Turn) -> bool:
    return bool(turn.text or turn.heard)


class _Places:
    """The turn of the sound that each turn of a log corresponds to.

    It is the one of its role that it overlaps most, of those that last long enough for
    its words: a log's session begins before its speech, and short signals lie in it.
    """

    def __init__(
        self,
        log: Conversation,
        turns: list[Turn],
        names: Mapping[Role, str],
        apart: Apart,
    ) -> None:
        self.log = log
        self.turns = turns
        self.clock = apart.clock
        of_roles = [turn for turn in log.turns if turn.speaker in names.values()]
        if not apart.fits:
            self.of: dict[int, int] = {}
        elif any(turn.start_s is not None for turn in of_roles):
            self.of = self._by_time()
        else:
            self.of = self._by_order(names)

    def _by_time(self) -> dict[int, int]:
        places = {}
        for number, turn in enumerate(self.log.turns):
            if turn.start_s is None or turn.end_s is None:
                continue
            start = self.clock.in_sound(turn.start_s)
            end = self.clock.in_sound(turn.end_s)
            best = (False, False, False, -_NEAR_S)
            for position, one in enumerate(self.turns):
                overlap_s = min(end, _end(one)) - max(start, _start(one))
                if one.speaker != turn.speaker or overlap_s <= -_NEAR_S:
                    continue
                rank = (
                    can_hold(one, turn.text or turn.heard or ""),
                    overlap_s > 0,
                    not one.backchannel,
                    overlap_s,
                )
                if rank > best:
                    best = rank
                    places[number] = position
        return places

    def _by_order(self, names: Mapping[Role, str]) -> dict[int, int]:
        """Match texts without times one by one.

        Nothing is matched where log and sound have other speakers in order.
        """
        logged = [
            n for n, turn in enumerate(self.log.turns) if turn.speaker in names.values()
        ]
        spoken = [n for n, turn in enumerate(self.turns) if not turn.backchannel]
        speakers_logged = [self.log.turns[n].speaker for n in logged]
        speakers_heard = [self.turns[n].speaker for n in spoken]
        if speakers_logged != speakers_heard:
            return {}
        return dict(zip(logged, spoken, strict=True))

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
        turn = None
        if event.turn in self.of:
            turn = self._in_order_of_time().index(self.of[event.turn])
        update = {
            "at_s": self._time_in_sound(event.at_s),
            "end_s": self._time_in_sound(event.end_s),
            "turn": turn,
        }
        return event.model_copy(update=update)

    def _in_order_of_time(self) -> list[int]:
        return sorted(range(len(self.turns)), key=lambda n: _start(self.turns[n]))

    def _time_in_sound(self, log_s: float | None) -> float | None:
        return None if log_s is None else self.clock.in_sound(log_s)


def _end(turn: Turn) -> float:
    return turn.end_s or 0.0


def _joined_words(texts: Iterable[str | None]) -> str | None:
    return " ".join(text for text in texts if text) or None
