"""Records in common layouts, turned into records under this project's names.

A layout is a row of :data:`LAYOUTS`.

What differs in the names of its columns alone is no layout: those names stand in
:mod:`trace_eval.data.names`, and ``--column`` adds to them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from blueprints import InputError
from trace_eval.data.cells import SOUND_KEYS, first, is_cell, recording_of
from trace_eval.data.names import (
    AGENTS,
    BETTER,
    NAMES,
    OTHER_NAMES,
    RECORDING,
    SOUND_NAMES,
    USERS,
    WORSE,
    bare,
)
from trace_eval.data.renamed import is_sound

Record = dict[str, Any]

#: Who gave the better and the worse answer.
BETTER_SYSTEM = ("chosen_model", "chosen_system", "model_chosen", "system_chosen")
WORSE_SYSTEM = (
    "rejected_model",
    "rejected_system",
    "model_rejected",
    "system_rejected",
)

#: Columns that may hold a whole dialogue.
DIALOGUES = ("messages", "conversations", "dialogue")

#: Columns that may hold a list of two answers.
LISTS = ("responses", "answers", "completions")

#: Keys of a message: who, and what; those of its recording are :data:`SOUND_KEYS`.
_WHO = ("role", "from", "speaker")
_WHAT = ("content", "value", "text", "transcript")


class Layout(NamedTuple):
    """One common layout of pairs or answers, by its name in the words of its users."""

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    ours: Callable[
        [Record], Record
    ]  # under our names; what it does not know stays as it is


def unfolded(record: Mapping[str, Any]) -> Record:
    """Put every answer, question and label of a record under one of our names.

    Raises:
        UserError: a layout was recognised, and does not hold what it should.
    """
    result = dict(record)
    for layout in LAYOUTS:
        if layout.fits(result):
            result = layout.ours(result)
    return result


#: Usual names of answers.
_ANSWERED = (*NAMES["a"], *NAMES["b"], *NAMES["audio"], *NAMES["candidate"])


def _sounds(record: Mapping[str, Any]) -> dict[str, str]:
    """Map ``a``, ``b`` or ``audio`` to the first other name with a recording."""
    if SOUND_NAMES.isdisjoint(record):
        return {}
    names = (
        (field, name) for field, other in OTHER_NAMES.items() for name in other[::-1]
    )
    results = {field: name for field, name in names if is_sound(record.get(name))}
    both = {side: name for side, name in results.items() if side in ("a", "b")}
    if len(both) == 2:
        return both
    return {} if both or first(record, _ANSWERED) else results


def _otherwise(record: Record) -> Record:
    """Rename recordings that stand under a name of ``OTHER_NAMES``."""
    result = dict(record)
    for side, name in _sounds(record).items():
        if not first(record, NAMES[side]):
            result[side] = result.pop(name)
    return result


def is_chosen(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a pair of a chosen and a rejected answer."""
    return first(record, BETTER) is not None and first(record, WORSE) is not None


def _chosen(record: Record) -> Record:
    """Assign A and B by a hash of the id, so that place does not tell the label."""
    better, worse = str(first(record, BETTER)), str(first(record, WORSE))
    own = str(record.get(str(first(record, NAMES["id"]))))
    swap = hashlib.sha256(own.encode(errors="replace")).digest()[0] & 1
    sides = ("b", "a") if swap else ("a", "b")
    rest = {key: value for key, value in record.items() if key not in (better, worse)}
    results: Record = dict(zip(sides, (record[better], record[worse]), strict=True))
    for side, names in zip(sides, (BETTER_SYSTEM, WORSE_SYSTEM), strict=True):
        if name := first(rest, names):
            results[f"{side}_system"] = rest.pop(name)
    return {"preference": "2" if swap else "1", **rest, **results}


def _is_listed(record: Mapping[str, Any]) -> bool:
    name = first(record, LISTS)
    value = None if name is None else record[name]
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(_is_chat(answer) or is_sound(answer) for answer in value)
    )


def _listed(record: Record) -> Record:
    name = str(first(record, LISTS))
    results: Record = {}
    for side, answer in zip("ab", record.pop(name), strict=True):
        results[side] = answer if _is_chat(answer) else recording_of(answer)
        if isinstance(answer, Mapping) and (who := first(answer, ("system", "model"))):
            results[f"{side}_system"] = answer[who]
    return {**results, **record}


#: Column -> where its recording and its words go.
_SPOKEN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("a", "a_audio", "audio_a", "response_a", "answer_a"), ("a", "a_text")
    ),
    **dict.fromkeys(
        ("b", "b_audio", "audio_b", "response_b", "answer_b"), ("b", "b_text")
    ),
    **dict.fromkeys(("conversation_a", "messages_a"), ("a", "a_text")),
    **dict.fromkeys(("conversation_b", "messages_b"), ("b", "b_text")),
    **dict.fromkeys(
        ("prompt", "instruction", "instruction_audio", "question"),
        ("instruction_audio", "instruction_text"),
    ),
}


def _is_chat(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, Mapping) else value
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(m, Mapping) and first(m, _WHO) for m in messages)
    ) or (
        isinstance(value, Mapping)
        and first(value, _WHO) is not None
        and bool(_content(value))
    )


def _chat(record: Record) -> Record:
    results: Record = {}
    requested: Record = {}
    sides = {
        _SPOKEN[name][0] for name in record if name in _SPOKEN and record[name]
    } & {"a", "b"}
    for name, value in record.items():
        if not (name in _SPOKEN or name in DIALOGUES) or not _is_chat(value):
            results.setdefault(name, value)
            continue
        question, answer = _turns(value)
        if (
            name in DIALOGUES and not sides and answer
        ):  # a single answer with its question
            _place(results, ("audio", "candidate"), answer)
        elif name in DIALOGUES or _SPOKEN[name][0] == "instruction_audio":
            _place(
                requested, ("instruction_audio", "instruction_text"), question or answer
            )
        else:
            _place(results, _SPOKEN[name], answer)
        _place(requested, ("instruction_audio", "instruction_text"), question)
    return {**requested, **results}


def _place(record: Record, names: tuple[str, str], content: Mapping[str, Any]) -> None:
    for name, key in zip(names, ("audio", "text"), strict=True):
        if content.get(key) is not None:
            record.setdefault(name, content[key])


def _turns(value: Any) -> tuple[Record, Record]:
    """Return a dialogue's last question and answer, each with ``audio``, ``text``."""
    inner = value.get("messages", [value]) if isinstance(value, Mapping) else value
    messages = [(str(m[str(first(m, _WHO))]).casefold(), m) for m in inner]
    answers = [position for position, (who, _) in enumerate(messages) if who in AGENTS]
    end = answers[-1] if answers else len(messages)
    requested = [
        position for position, (who, _) in enumerate(messages[:end]) if who in USERS
    ]
    return (
        _content(messages[requested[-1]][1]) if requested else {},
        _content(messages[end][1]) if answers else {},
    )


def _content(message: Mapping[str, Any]) -> Record:
    """Return the recording and the words of a message."""
    answer: Record = {}
    for key in (*_WHAT, *SOUND_KEYS):
        value = message.get(key)
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, str) and (key in SOUND_KEYS or is_sound(part)):
                answer.setdefault("audio", part)
            elif isinstance(part, str) and part:
                answer.setdefault("text", part)
            elif isinstance(part, Mapping):
                inner = part if key not in SOUND_KEYS else {"audio": part}
                sound = recording_of(inner.get(str(first(inner, SOUND_KEYS))))
                if sound is not None:
                    answer.setdefault("audio", sound)
                elif words := first(part, _WHAT):
                    answer.setdefault("text", part[words])
    return answer


#: Columns whose cells are recordings and nothing else.
_CELLS = (*(name for name in _SPOKEN if name not in ("prompt", "question")), "audio")


#: Columns of questions, in words or as a recording.
_QUESTIONS = ("prompt", "question")


def _is_path(value: Any) -> bool:
    """Tell whether a value names a recording; sentences may end like one."""
    return is_sound(value) and not (isinstance(value, str) and " " in value)


def _is_embedded(name: str, value: Any) -> bool:
    return (name in _CELLS and is_cell(value)) or (
        name in _QUESTIONS and (is_cell(value) or _is_path(value))
    )


def _cells(record: Record) -> Record:
    return {
        "instruction_audio"
        if name in _QUESTIONS and _is_embedded(name, value)
        else name: (recording_of(value) if _is_embedded(name, value) else value)
        for name, value in record.items()
    }


def _is_nemo(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("audio_filepath"), str)


def _nemo(record: Record) -> Record:
    """Read a NeMo manifest's line: a recording or a stretch of it, and its words."""
    audio = record.pop("audio_filepath")
    offset, length = record.get("offset"), record.get("duration")
    answer: Record = {"audio": audio}
    if offset is not None:
        answer["cut"] = _stretch(offset, length)
    return {"answer": answer, **_heard(record.pop("text", None)), **record}


def _is_lhotse(record: Mapping[str, Any]) -> bool:
    whole = record.get("recording", record)
    return isinstance(whole, Mapping) and isinstance(whole.get("sources"), list)


def _lhotse(record: Record) -> Record:
    """Read a cut or a recording of Lhotse; a source that is a command is never run."""
    whole = record.pop("recording", record)
    sources = record.pop("sources", None) or whole["sources"]
    kinds = {
        source.get("type") if isinstance(source, Mapping) else None
        for source in sources
    }
    if len(sources) != 1 or not kinds <= {"file", "url", "memory"}:
        named = ", ".join(sorted(map(str, kinds)))
        raise InputError(
            "recording: expected one source of type file, url or memory (got"
            f" {len(sources)}: {named}); save the recordings with lhotse, and use the"
            " cuts of those"
        )
    if whole.get("transforms"):
        raise InputError(
            "recording: has transforms, which only lhotse makes; save the recordings"
            " with lhotse, and use the cuts of those"
        )
    source = sources[0].get("source")
    audio = recording_of({"data": source} if kinds == {"memory"} else source)
    answer: Record = {"audio": audio}
    start, length = record.pop("start", None), record.pop("duration", None)
    channel = record.pop("channel", 0)
    if isinstance(channel, list) and len(channel) > 1:
        raise InputError(
            f"channel: expected one (got {channel!r:.40}); make a cut of each channel"
        )
    channel = channel[0] if isinstance(channel, list) and channel else channel
    several = whole.get("channel_ids") or [0]
    if start is not None and (
        (start, length) != (0, whole.get("duration")) or len(several) > 1
    ):
        answer["cut"] = {**_stretch(start, length), "channel": channel}
    said: list[str] = []
    for one in record.pop("supervisions", None) or ():
        text = one.get("text") if isinstance(one, Mapping) else None
        said += [text] if isinstance(text, str) else []
    return {"answer": answer, **_heard(" ".join(said) or None), **record}


def _stretch(start: Any, length: Any) -> Record:
    """Return the part of a recording from a time on, for so many seconds."""
    numbers = [n for n in (start, length) if isinstance(n, int | float) and n >= 0]
    if len(numbers) < 2 or isinstance(start, bool) or isinstance(length, bool):
        raise InputError(
            f"duration: expected seconds beside the offset (got {start!r:.40},"
            f" {length!r:.40})"
        )
    return {
        "channel": 0,
        "start_s": float(start),
        "end_s": float(start) + float(length),
    }


def _heard(text: Any) -> Record:
    """Return the words of a recording, as people wrote them down."""
    return {"transcription": text} if isinstance(text, str) and text else {}


#: Each is tried in turn; several may fit one record (chosen and rejected messages of a
#: chat).
LAYOUTS: tuple[Layout, ...] = (
    Layout("a manifest of NeMo", _is_nemo, _nemo),
    Layout("cuts or recordings of Lhotse", _is_lhotse, _lhotse),
    Layout("chosen and rejected", is_chosen, _chosen),
    Layout("a list of two answers", _is_listed, _listed),
    Layout(
        "messages of a chat",
        lambda record: any(
            _is_chat(record.get(name)) for name in (*_SPOKEN, *DIALOGUES)
        ),
        _chat,
    ),
    Layout(
        "recordings inside of cells",
        lambda record: any(_is_embedded(*cell) for cell in record.items()),
        _cells,
    ),
    Layout("other names of columns", lambda record: bool(_sounds(record)), _otherwise),
)

#: What a layout or an item may call a column beside all accepted names.
_ELSEWHERE = (
    *("answer", "instruction", "labels", "label", "meta", "faster", "voice", "tags"),
    *("recording", "sources", "supervisions", "channel", "cut", "start", "duration"),
    *("offset", "text", "transcript", "style", "severe", "name", "messages"),
)

#: Columns that hold an answer: beside one of them no other column is one of a system.
ANSWER_COLUMNS = frozenset(map(bare, (*_ANSWERED, "turns", "conversation")))

#: Every column that a reader of items looks at, as :func:`~trace_eval.data.names.bare`
#: spells it.
KNOWN_COLUMNS = frozenset(
    map(
        bare,
        (
            *chain.from_iterable((*NAMES.values(), *OTHER_NAMES.values())),
            *(*BETTER, *WORSE, *BETTER_SYSTEM, *WORSE_SYSTEM, *DIALOGUES, *LISTS),
            *(*_SPOKEN, *RECORDING, *SOUND_KEYS, *_ELSEWHERE),
        ),
    )
)
