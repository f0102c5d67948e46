"""Speech fidelity: whether the agent says the codes, dates and amounts of its text.

Recognisers mishear, and that is no error of the speaker: what one of them misses is a
place to listen to, and only an entity that all of several miss counts as not spoken.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from blueprints import GROUPS, Transcript, counted
from trace_eval.data.answers import Recording, turn_recordings
from trace_eval.data.conversation import ConversationItem, Turn
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract_each, source_of
from trace_eval.show.records import plain
from trace_eval.show.table import Table, grid
from trace_eval.turns.entities.check import (
    CheckedEntity,
    check_turn,
    same,
    words_within,
)

#: Groups that a recogniser needs beside its own.
_NEEDED = ("signal", "transcript")


@dataclass(frozen=True)
class SpokenEntity:
    """One code, date, amount, name or number of an agent's turn, as it was heard."""

    conversation: str
    turn: int
    kind: str
    status: str  # kept; missing, wrong or added as most recognisers have it
    intended: str | None  # as the text has it; None: it was added
    heard: tuple[
        str | None, ...
    ]  # of each recogniser; None where it has none in that place
    missed: int  # how many recognisers have other text than intended
    start_s: (
        float | None
    )  # the stretch to listen to: the recognised words, else the turn
    end_s: float | None


@dataclass(frozen=True)
class Fidelity:
    """Recognition of the agents' turns whose text is known."""

    recognisers: tuple[str, ...]
    entities: tuple[SpokenEntity, ...]
    turns: int
    unheard: tuple[str, ...]  # turns that were not, and why

    def record(self) -> dict[str, Any]:
        """Return everything as JSON values, with the share that came through."""
        return {
            "recognisers": list(self.recognisers),
            "turns": self.turns,
            "kept": {
                kind: [kept, n] for kind, kept, n in self._kept(lambda one: one.kind)
            },
            "each": {
                name: [kept, n]
                for name, kept, n in self._kept(lambda one: one.conversation)
            },
            "entities": [plain(one) for one in self.entities],
            "unheard": list(self.unheard),
        }

    def tables(self) -> Iterator[Table]:
        """Show how many came through, by kind, and the places to listen to."""
        kept = self._kept(lambda one: one.kind)
        rows = [(kind, n, through, f"{through / n:.3f}") for kind, through, n in kept]
        note = "" if rows else "the texts hold no code, date, amount or name"
        if self.unheard:
            were = counted(len(self.unheard), "turn was", "turns were")
            note = f"{were} not heard: {self.unheard[0]}"
        yield grid(
            f"Speech against its text: {counted(self.turns, 'turn')} of agents, heard"
            f" by {' and '.join(self.recognisers)}",
            ("kind", "entities", "came through", "share"),
            rows,
            note,
        )
        if doubtful := [*self._doubtful()]:
            second = (
                ""
                if len(self.recognisers) > 1
                else ": name a second one with --recognise"
            )
            yield grid(
                "Listen to these: not heard as the text has it",
                (
                    "conversation",
                    "turn",
                    "start",
                    "what",
                    "kind",
                    "intended",
                    "heard",
                    "missed by",
                ),
                doubtful,
                (
                    "rules for English; what one recogniser misses may be its own"
                    f" error{second}"
                ),
            )

    def _doubtful(self) -> Iterator[tuple[Any, ...]]:
        for one in self.entities:
            if one.missed:
                recognised = " / ".join(text or "-" for text in one.heard)
                start = "" if one.start_s is None else f"{one.start_s:.2f}"
                where = (one.conversation, one.turn, start)
                of = f"{one.missed} of {len(self.recognisers)}"
                yield (*where, one.status, one.kind, one.intended, recognised, of)

    def _kept(self, of: Any) -> Iterator[tuple[str, int, int]]:
        """Return names, entities that somebody heard, and all meant ones, in groups."""
        meant = [one for one in self.entities if one.intended is not None]
        kept = Counter(of(one) for one in meant if one.missed < len(self.recognisers))
        for name, count in Counter(of(one) for one in meant).items():
            yield name, kept[name], count


def speech_fidelity(
    items: Sequence[ConversationItem],
    recognisers: Sequence[str] = ("auto",),
    names: Sequence[str] = (),
    options: ExtractOptions | None = None,
) -> Fidelity:
    """Hear the agents' turns that have text and sound, and compare both.

    Recognisers are specs of ``transcript``, e.g. ``auto``, ``whisper:small``.

    Raises:
        UserError: a recogniser is unknown, or cannot run here.
    """
    wanted = {
        (item.id, number): (turn, recording)
        for item in items
        for number, turn, recording in _spoken(item)
    }
    words: dict[tuple[str, int], list[Transcript | str]] = defaultdict(list)
    for spec in recognisers:
        result = _recognised(
            [recording for _, recording in wanted.values()], spec, options
        )
        for position, (_, recording) in wanted.items():
            words[position].append(_words(result[recording.source_id]))
    entities: list[SpokenEntity] = []
    unheard: list[str] = []
    for (name, number), recognised in words.items():
        turn, _ = wanted[name, number]
        transcripts = [one for one in recognised if isinstance(one, Transcript)]
        if len(transcripts) < len(recognised):
            why = next(one for one in recognised if isinstance(one, str))
            unheard.append(f"{name} turn {number}: {why}")
        else:
            entities += _compared(
                name, number, turn=turn, recognised=transcripts, names=names
            )
    return Fidelity(
        tuple(recognisers), tuple(entities), len(words) - len(unheard), tuple(unheard)
    )


def _spoken(item: ConversationItem) -> Iterator[tuple[int, Turn, Recording]]:
    recordings = turn_recordings("", item.conversation)
    for number, turn in item.conversation.turns_of("agent"):
        recording = recordings.get(f"/turn-{number}")
        if turn.text and recording is not None:
            yield number, turn, recording


def _recognised(
    recordings: Sequence[Recording], spec: str, options: ExtractOptions | None
) -> Mapping[str, Extracted]:
    """Return a recogniser's transcript by source."""
    options = options or ExtractOptions()
    others: dict[str, Any] = {group: "none" for group in GROUPS if group not in _NEEDED}
    chosen = replace(options, overrides={**others, "transcript": spec})
    extracted: dict[str, Extracted] = {}
    sources = {one.source_id: source_of(one) for one in recordings}
    extract_each(
        sources.values(), chosen, lambda one: extracted.update({one.source: one})
    )
    return extracted


def _words(extracted: Extracted) -> Transcript | str:
    """Return the recognised words, or why there are none."""
    if extracted.blueprint is None:
        return extracted.error or "it cannot be decoded"
    transcript = extracted.blueprint.transcript
    if isinstance(transcript, Transcript):
        return transcript
    return f"{transcript.status}: {transcript.reason}"


def _first_like(
    one: CheckedEntity, line: Sequence[CheckedEntity]
) -> CheckedEntity | None:
    """Return the first entity that another recogniser heard alike, or None."""
    return next(
        (other for other in line if same(one.heard or "", other.heard, one.kind)), None
    )


def _compared(
    name: str,
    number: int,
    turn: Turn,
    recognised: Sequence[Transcript],
    names: Sequence[str],
) -> Iterator[SpokenEntity]:
    lines = [check_turn(turn, one.text, names, number) for one in recognised]
    meant: list[list[CheckedEntity]] = []
    added: list[list[CheckedEntity]] = []
    for line in lines:
        meant.append([one for one in line if one.intended is not None])
        added.append([one for one in line if one.intended is None])
    for outcomes in zip(*meant, strict=True):
        missed = [
            position for position, one in enumerate(outcomes) if one.status != "kept"
        ]
        yield _entity(name, turn, ones=outcomes, missed=missed, recognised=recognised)

    for position, each in enumerate(added):
        for one in each:
            others = [_first_like(one, line) for line in added]
            missed = [n for n, other in enumerate(others) if other is not None]
            if missed[0] == position:  # else it came with an earlier recogniser
                yield _entity(
                    name, turn, ones=others, missed=missed, recognised=recognised
                )


def _entity(
    name: str,
    turn: Turn,
    ones: Sequence[CheckedEntity | None],
    missed: Sequence[int],
    recognised: Sequence[Transcript],
) -> SpokenEntity:
    """Return one entity as all recognisers have it; ``missed`` are those against."""
    position = missed[0] if missed else 0
    one = ones[position]
    assert one is not None
    assert one.turn is not None
    start_s, end_s = one.start_s, one.end_s
    if missed and one.heard and turn.start_s is not None:
        span = times_of(recognised[position], one.heard)
        start_s, end_s = (
            (turn.start_s + at for at in span) if span else (start_s, end_s)
        )
    texts = tuple(other.heard if other else None for other in ones)
    return SpokenEntity(
        conversation=name,
        turn=one.turn,
        kind=one.kind,
        status=one.status,
        intended=one.intended,
        heard=texts,
        missed=len(missed),
        start_s=start_s,
        end_s=end_s,
    )


def times_of(transcript: Transcript, piece: str) -> tuple[float, float] | None:
    """Return start and end of words of a transcript, seconds of its clip, or None."""
    start = transcript.text.find(piece)
    texts = [word.text.strip() for word in transcript.words]
    inside = (
        words_within(transcript.text, texts, start, start + len(piece))
        if start >= 0
        else []
    )
    if not inside:
        return None
    first, last = (
        transcript.words[inside[0]].start_s,
        transcript.words[inside[-1]].end_s,
    )
    return None if first is None or last is None else (first, last)
