"""Speech fidelity: whether the agent says the codes, dates and amounts of its text.

Recognisers mishear, and that is no error of the speaker: what one of them misses is a
place to listen to, and only an entity that all of several miss counts as not spoken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from blueprints import GROUPS, Transcript, counted
from trace_eval.data.answers import Recording, turn_recordings
from trace_eval.data.conversation import ConversationItem, Turn
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.source import source_of
from trace_eval.extracting.start import extract_each
from trace_eval.show.records import plain
from trace_eval.show.table import Table, grid
from trace_eval.turns.entities.check import (
    CheckedEntity,
    check_turn,
    same,
    words_within,
)
from trace_eval.turns.timed import clock

#: Groups that a recogniser needs beside its own.
_NEEDED = ("signal", "transcript")

#: Heads of the table of entities to listen to.
_DOUBTFUL_HEADS = (
    "conversation",
    "turn",
    "start",
    "what",
    "kind",
    "intended",
    "heard",
    "missed by",
)


@dataclass(frozen=True)
class SpokenEntity:
    """One code, date, amount, name or number of an agent's turn, as it was heard."""

    conversation: str
    turn: int
    kind: str
    status: str  # kept; missing, wrong or added as most recognisers have it
    intended: str | None  # as the text has it; None: it was added
    # of each recogniser; None where it has none in that place
    heard: tuple[str | None, ...]
    missed: int  # how many recognisers have other text than intended
    # the stretch to listen to: the recognised words, else the turn
    start_s: float | None
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
            "kept": self._kept("kind"),
            "each": self._kept("conversation"),
            "entities": list(map(plain, self.entities)),
            "unheard": list(self.unheard),
        }

    def tables(self) -> Iterator[Table]:
        """Show how many came through, by kind, and the places to listen to."""
        rows: list[tuple[Any, ...]] = []
        for kind, (kept, meant) in self._kept("kind").items():
            rows.append((kind, meant, kept, f"{kept / meant:.3f}"))
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
        doubtful = list(self._doubtful())
        if doubtful:
            remedy = ""
            if len(self.recognisers) < 2:
                remedy = ": name a second one with --recognise"
            yield grid(
                "Listen to these: not heard as the text has it",
                _DOUBTFUL_HEADS,
                doubtful,
                "rules for English; what one recogniser misses may be its own error"
                f"{remedy}",
            )

    def _doubtful(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each entity that a recogniser heard otherwise."""
        for entity in self.entities:
            if not entity.missed:
                continue
            yield (
                entity.conversation,
                entity.turn,
                clock(entity.start_s),
                entity.status,
                entity.kind,
                entity.intended,
                " / ".join(text or "-" for text in entity.heard),
                f"{entity.missed} of {len(self.recognisers)}",
            )

    def _kept(self, by: str) -> dict[str, list[int]]:
        """Count the entities of each group: those that somebody heard, and all meant.

        Args:
            by: field of an entity that names its group.
        """
        counts: dict[str, list[int]] = {}
        for entity in self.entities:
            if entity.intended is None:
                continue
            group = counts.setdefault(getattr(entity, by), [0, 0])
            group[0] += entity.missed < len(self.recognisers)
            group[1] += 1
        return counts


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
    spoken: dict[tuple[str, int], tuple[Turn, Recording]] = {}
    for item in items:
        for number, turn, recording in _spoken(item):
            spoken[item.id, number] = turn, recording
    words: dict[tuple[str, int], list[Transcript | str]] = defaultdict(list)
    recordings = [recording for _, recording in spoken.values()]
    for spec in recognisers:
        extracted = _recognised(recordings, spec, options)
        for place, (_, recording) in spoken.items():
            words[place].append(_words(extracted[recording.source_id]))
    entities: list[SpokenEntity] = []
    unheard: list[str] = []
    for (name, number), recognised in words.items():
        turn, _ = spoken[name, number]
        transcripts: list[Transcript] = []
        reasons: list[str] = []
        for one in recognised:
            if isinstance(one, Transcript):
                transcripts.append(one)
            else:
                reasons.append(one)
        if reasons:
            unheard.append(f"{name} turn {number}: {reasons[0]}")
        else:
            entities += _compared(
                name, number, turn=turn, recognised=transcripts, names=names
            )
    return Fidelity(
        recognisers=tuple(recognisers),
        entities=tuple(entities),
        turns=len(words) - len(unheard),
        unheard=tuple(unheard),
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
    overrides: dict[str, Any] = {
        group: "none" for group in GROUPS if group not in _NEEDED
    }
    overrides["transcript"] = spec
    extracted: dict[str, Extracted] = {}

    def keep(done: Extracted) -> None:
        extracted[done.source] = done

    sources = {one.source_id: source_of(one) for one in recordings}
    extract_each(sources.values(), replace(options, overrides=overrides), keep)
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
    for other in line:
        if same(one.heard or "", other.heard, one.kind):
            return other
    return None


def _compared(
    name: str,
    number: int,
    turn: Turn,
    recognised: Sequence[Transcript],
    names: Sequence[str],
) -> Iterator[SpokenEntity]:
    lines = [check_turn(turn, one.text, names, number) for one in recognised]
    entities_of_turns: list[list[CheckedEntity]] = []
    added: list[list[CheckedEntity]] = []
    for line in lines:
        entities_of_turns.append([one for one in line if one.intended is not None])
        added.append([one for one in line if one.intended is None])
    for outcomes in zip(*entities_of_turns, strict=True):
        missed = [number for number, one in enumerate(outcomes) if one.status != "kept"]
        yield _entity(name, turn, ones=outcomes, missed=missed, recognised=recognised)

    for position, of_recogniser in enumerate(added):
        for one in of_recogniser:
            alike = [_first_like(one, line) for line in added]
            heard_by = [number for number, other in enumerate(alike) if other]
            if heard_by[0] == position:  # else it came with an earlier recogniser
                yield _entity(
                    name, turn, ones=alike, missed=heard_by, recognised=recognised
                )


def _entity(
    name: str,
    turn: Turn,
    ones: Sequence[CheckedEntity | None],
    missed: Sequence[int],
    recognised: Sequence[Transcript],
) -> SpokenEntity:
    """Return one entity as all recognisers have it; ``missed`` are those without it."""
    position = missed[0] if missed else 0
    one = ones[position]
    assert one is not None
    assert one.turn is not None
    start_s, end_s = one.start_s, one.end_s
    if missed and one.heard and turn.start_s is not None:
        span = times_of(recognised[position], one.heard)
        if span:
            start_s = turn.start_s + span[0]
            end_s = turn.start_s + span[1]
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
    if start < 0:
        return None
    texts = [word.text.strip() for word in transcript.words]
    inside = words_within(transcript.text, texts, start, start + len(piece))
    if not inside:
        return None
    start_s = transcript.words[inside[0]].start_s
    end_s = transcript.words[inside[-1]].end_s
    if start_s is None or end_s is None:
        return None
    return start_s, end_s
