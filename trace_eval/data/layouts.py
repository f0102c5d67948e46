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

from trace_eval.data.cells import SOUND_KEYS, first, is_cell, recording_of
from trace_eval.data.corpora import Record, is_lhotse, is_nemo, lhotse, nemo
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
    """One common layout of pairs or answers, by its name in the words of its users.

    Attributes:
        fits: tells whether a record has this layout.
        ours: puts a record under our names; what it does not know stays as it is.
    """

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    ours: Callable[[Record], Record]


def unfolded(record: Mapping[str, Any]) -> Record:
    """Put every answer, question and label of a record under one of our names.

    Raises:
        UserError: a layout was recognised, and does not hold what it should.
    """
    ours = dict(record)
    for layout in LAYOUTS:
        if layout.fits(ours):
            ours = layout.ours(ours)
    return ours


#: Usual names of answers.
_ANSWERED = NAMES["a"] + NAMES["b"] + NAMES["audio"] + NAMES["candidate"]


def _sounds(record: Mapping[str, Any]) -> dict[str, str]:
    """Map ``a``, ``b`` or ``audio`` to the first other name with a recording."""
    if SOUND_NAMES.isdisjoint(record):
        return {}
    sounds: dict[str, str] = {}
    for field, others in OTHER_NAMES.items():
        recordings = [name for name in others if is_sound(record.get(name))]
        if recordings:
            sounds[field] = recordings[0]
    both = {side: name for side, name in sounds.items() if side in ("a", "b")}
    if len(both) == 2:
        return both
    if both or first(record, _ANSWERED):
        return {}
    return sounds


def _has_sounds(record: Mapping[str, Any]) -> bool:
    return bool(_sounds(record))


def _otherwise(record: Record) -> Record:
    """Rename recordings that stand under a name of ``OTHER_NAMES``."""
    renamed = dict(record)
    for side, name in _sounds(record).items():
        if not first(record, NAMES[side]):
            renamed[side] = renamed.pop(name)
    return renamed


def is_chosen(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a pair of a chosen and a rejected answer."""
    return first(record, BETTER) is not None and first(record, WORSE) is not None


def _chosen(record: Record) -> Record:
    """Assign A and B by a hash of the id, so that place does not tell the label."""
    pair_id = str(record.get(str(first(record, NAMES["id"]))))
    is_swapped = hashlib.sha256(pair_id.encode(errors="replace")).digest()[0] & 1
    chosen, rejected, preference = "a", "b", "1"
    if is_swapped:
        chosen, rejected, preference = "b", "a", "2"
    rest = dict(record)
    answers = {
        chosen: rest.pop(str(first(record, BETTER))),
        rejected: rest.pop(str(first(record, WORSE))),
    }
    for side, names in ((chosen, BETTER_SYSTEM), (rejected, WORSE_SYSTEM)):
        name = first(rest, names)
        if name:
            answers[f"{side}_system"] = rest.pop(name)
    return {"preference": preference, **rest, **answers}


def _is_listed(record: Mapping[str, Any]) -> bool:
    name = first(record, LISTS)
    if name is None:
        return False
    answers = record[name]
    if not isinstance(answers, list) or len(answers) != 2:
        return False
    return all(_is_chat(answer) or is_sound(answer) for answer in answers)


def _listed(record: Record) -> Record:
    pair: Record = {}
    answers = record.pop(str(first(record, LISTS)))
    for side, answer in zip("ab", answers, strict=True):
        pair[side] = answer if _is_chat(answer) else recording_of(answer)
        if not isinstance(answer, Mapping):
            continue
        column = first(answer, ("system", "model"))
        if column:
            pair[f"{side}_system"] = answer[column]
    return {**pair, **record}


#: Where the recording and the words of a question go.
_QUESTION = ("instruction_audio", "instruction_text")

#: Column -> where its recording and its words go.
_SPOKEN: dict[str, tuple[str, str]] = {
    "a": ("a", "a_text"),
    "a_audio": ("a", "a_text"),
    "audio_a": ("a", "a_text"),
    "response_a": ("a", "a_text"),
    "answer_a": ("a", "a_text"),
    "conversation_a": ("a", "a_text"),
    "messages_a": ("a", "a_text"),
    "b": ("b", "b_text"),
    "b_audio": ("b", "b_text"),
    "audio_b": ("b", "b_text"),
    "response_b": ("b", "b_text"),
    "answer_b": ("b", "b_text"),
    "conversation_b": ("b", "b_text"),
    "messages_b": ("b", "b_text"),
    "prompt": _QUESTION,
    "instruction": _QUESTION,
    "instruction_audio": _QUESTION,
    "question": _QUESTION,
}


def _is_chat(value: Any) -> bool:
    """Tell whether a value is a list of messages, or one message with a content."""
    messages = value
    if isinstance(value, Mapping):
        messages = value.get("messages")
        if first(value, _WHO) is not None and _content(value):
            return True
    if not isinstance(messages, list) or not messages:
        return False
    return all(
        isinstance(message, Mapping) and first(message, _WHO) for message in messages
    )


def _has_chat(record: Mapping[str, Any]) -> bool:
    return any(_is_chat(record.get(name)) for name in (*_SPOKEN, *DIALOGUES))


def _chat(record: Record) -> Record:
    """Take questions and answers out of the chats of a record."""
    answers: Record = {}
    question: Record = {}
    is_pair = False
    for name, place in _SPOKEN.items():
        if place[0] in ("a", "b") and record.get(name):
            is_pair = True
    for name, value in record.items():
        is_dialogue = name in DIALOGUES
        if not (is_dialogue or name in _SPOKEN) or not _is_chat(value):
            answers.setdefault(name, value)
            continue
        last_question, last_answer = _turns(value)
        if is_dialogue and last_answer and not is_pair:
            _place(last_answer, answers, ("audio", "candidate"))
        elif is_dialogue or _SPOKEN[name] == _QUESTION:
            _place(last_question or last_answer, question, _QUESTION)
        else:
            _place(last_answer, answers, _SPOKEN[name])
        _place(last_question, question, _QUESTION)
    return {**question, **answers}


def _place(content: Mapping[str, Any], record: Record, names: tuple[str, str]) -> None:
    """Put a recording and its words into a record, where it has none."""
    audio_name, text_name = names
    if content.get("audio") is not None:
        record.setdefault(audio_name, content["audio"])
    if content.get("text") is not None:
        record.setdefault(text_name, content["text"])


def _turns(value: Any) -> tuple[Record, Record]:
    """Return a dialogue's last question and answer, each with ``audio``, ``text``."""
    messages = value
    if isinstance(value, Mapping):
        messages = value.get("messages", [value])
    question: Record = {}
    answer: Record = {}
    for message in reversed(messages):
        who = str(message[str(first(message, _WHO))]).casefold()
        if who in AGENTS and not answer:
            answer = message
            question = {}
        elif who in USERS and not question:
            question = message
    return _content(question), _content(answer)


def _content(message: Mapping[str, Any]) -> Record:
    """Return the recording and the words of a message."""
    content: Record = {}
    for key in _WHAT + SOUND_KEYS:
        value = message.get(key)
        for part in value if isinstance(value, list) else [value]:
            for name, found in _part(key, part).items():
                content.setdefault(name, found)
    return content


def _part(key: str, part: Any) -> Record:
    """Return the recording or the words of one part of a message."""
    if isinstance(part, str):
        if key in SOUND_KEYS or is_sound(part):
            return {"audio": part}
        return {"text": part} if part else {}
    if not isinstance(part, Mapping):
        return {}
    holder = {"audio": part} if key in SOUND_KEYS else part
    sound = recording_of(holder.get(str(first(holder, SOUND_KEYS))))
    if sound is not None:
        return {"audio": sound}
    words = first(part, _WHAT)
    return {"text": part[words]} if words else {}


#: Columns of questions, in words or as a recording.
_QUESTIONS = frozenset({"prompt", "question"})

#: Columns whose cells are recordings and nothing else.
_CELLS = (_SPOKEN.keys() - _QUESTIONS) | {"audio"}


def _is_path(value: Any) -> bool:
    """Tell whether a value names a recording; sentences may end like one."""
    return is_sound(value) and not (isinstance(value, str) and " " in value)


def _is_embedded(name: str, value: Any) -> bool:
    """Tell whether a cell of a column is a recording."""
    if name in _QUESTIONS:
        return is_cell(value) or _is_path(value)
    return name in _CELLS and is_cell(value)


def _has_cells(record: Mapping[str, Any]) -> bool:
    return any(_is_embedded(name, value) for name, value in record.items())


def _cells(record: Record) -> Record:
    """Take the recordings out of the cells of a record."""
    ours: Record = {}
    for name, value in record.items():
        if not _is_embedded(name, value):
            ours[name] = value
        elif name in _QUESTIONS:
            ours["instruction_audio"] = recording_of(value)
        else:
            ours[name] = recording_of(value)
    return ours


#: Each is tried in turn; several may fit one record (chosen and rejected messages of a
#: chat).
LAYOUTS: tuple[Layout, ...] = (
    Layout("a manifest of NeMo", is_nemo, nemo),
    Layout("cuts or recordings of Lhotse", is_lhotse, lhotse),
    Layout("chosen and rejected", is_chosen, _chosen),
    Layout("a list of two answers", _is_listed, _listed),
    Layout("messages of a chat", _has_chat, _chat),
    Layout("recordings inside of cells", _has_cells, _cells),
    Layout("other names of columns", _has_sounds, _otherwise),
)

#: What a layout or an item may call a column beside all accepted names.
_ELSEWHERE = (
    "answer",
    "instruction",
    "labels",
    "label",
    "meta",
    "faster",
    "voice",
    "tags",
    "recording",
    "sources",
    "supervisions",
    "channel",
    "cut",
    "start",
    "duration",
    "offset",
    "text",
    "transcript",
    "style",
    "severe",
    "name",
    "messages",
)

#: Columns that hold an answer: beside one of them no other column is one of a system.
ANSWER_COLUMNS = frozenset(map(bare, (*_ANSWERED, "turns", "conversation")))

#: Every column that a reader of items looks at, as :func:`~trace_eval.data.names.bare`
#: spells it.
KNOWN_COLUMNS = frozenset(
    map(
        bare,
        chain(
            chain.from_iterable(NAMES.values()),
            SOUND_NAMES,
            BETTER + WORSE + BETTER_SYSTEM + WORSE_SYSTEM + DIALOGUES + LISTS,
            chain(_SPOKEN, RECORDING, SOUND_KEYS, _ELSEWHERE),
        ),
    )
)
