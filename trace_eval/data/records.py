"""One record of a manifest -> one :class:`Pair`, whatever the layout.

Three layouts are understood: our own nested JSON, flat columns (CSV, Parquet, Hugging
Face audio columns), and the HCoT JSON of the TRACE authors. What
:data:`trace_eval.data.names.PAIR` does not name ends up in ``Pair.meta``.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blueprints import InputError
from extractors import cache_folder
from trace_eval.data.answers import (
    Answer,
    Cut,
    Instruction,
    Model,
    Recording,
    map_recordings,
)
from trace_eval.data.columns import Fields
from trace_eval.data.conversation import Conversation, ConversationReader, rooted
from trace_eval.data.file_names import in_its_form
from trace_eval.data.files import is_file, make_folder, replace_file, utf8_name
from trace_eval.data.items import Labels, Pair, ScoreLabels, Single
from trace_eval.data.layouts import LISTS, unfolded
from trace_eval.data.names import (
    BETTER,
    NAMES,
    OTHER_NAMES,
    PAIR,
    WORSE,
    by_rank,
    ranks,
)
from trace_eval.data.spelling import spelled
from trace_eval.data.urls import joined, redact_urls

#: What a record of a pair is made of, for ``--column`` and for what is said of a file
#: without.
PAIR_FIELDS = Fields(
    {
        **{
            names[0]: (*names, *OTHER_NAMES.get(names[0], ()))
            for names in PAIR.values()
        },
        "chosen": BETTER,
        "rejected": WORSE,
    },
    needed=("a", "b"),
    sounds=frozenset(
        ("a", "b", "instruction_audio", "voice_audio", "chosen", "rejected")
    ),
    instead=frozenset(
        (*BETTER, *WORSE, *LISTS, "conversation_a", "messages_a", "a_conversation")
    ),
)

#: Values of the column ``faster`` (which side is spoken faster) -> the preference they
#: are.
_FASTER = {"a": "1", "b": "2"}

_PLACES = {name: place for place, names in PAIR.items() for name in names}
_RANKS = ranks(PAIR.values()) | {"faster": len(NAMES["label_preference"])}
_RECORDINGS = ("instruction", "a", "b", "voice")
_NESTED = (*_RECORDINGS, "labels", "label", "meta")

#: Suffixes that an embedded recording keeps; others come from outside like any text.
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")

#: Longest text that is kept of a column that nobody asks for, characters: every row has
#: its own.
_MOST_META = 1 << 16

#: Where the bytes of an embedded recording go; returns the path of the written file.
Spill = Callable[[bytes, str], Path]

#: Ending of embedded recordings without a name, and usual ones of those with one.
_UNNAMED = ".audio"
_USUAL = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a")


@dataclass(frozen=True)
class NoLabel:
    """A value that its column cannot hold as a label."""

    field: str  # of the item's labels
    column: str  # of the file
    value: Any
    expected: str  # what would be a label, in words
    # it is a plain tie, which only a column without typed ties may hold
    tie: bool = False


#: Called for a label that cannot be read.
Dropped = Callable[[NoLabel], None]


def pair_from_record(
    record: Mapping[str, Any],
    root: Path | str,
    spill: Spill | None = None,
    dropped: Dropped | None = None,
    conversations: ConversationReader | None = None,
) -> Pair:
    """Build a pair; relative paths are taken from ``root``.

    Args:
        record: one JSON object or table row. Empty cells (``None``, ``""``) count as
            absent.
        root: folder of relative paths, or its URL.
        spill: takes an embedded recording's bytes and name; default: they stay in the
            pair.
        dropped: called for labels that hold something else, e.g. a text in a column
            ``content``; the pair is made without those in flat columns. Default: that
            is an error, as it is wherever labels are nested under ``labels``.
        conversations: reads an answer's ``conversation`` that is a path.

    Raises:
        UserError: a field is missing or has a value outside its label set.
    """
    record = unfolded(record)
    tree: dict[str, Any] = {"meta": {}}
    for key, value in by_rank(record, _RANKS):
        if value is not None and value != "":
            _place(tree, key, value)
    for role in _RECORDINGS:
        if role in tree:
            resolve_audio(tree[role], root, spill)
            resolve_conversation(tree[role], root, conversations)
    if not tree.get("voice", True):
        del tree["voice"]
    _read_labels(tree, record, dropped)
    return item_from(Pair, tree)


def item_from(kind: type[Model], tree: dict[str, Any]) -> Model:
    """Build a placed record's item; ids become texts, ``meta`` keeps JSON's values."""
    meta: dict[str, Any] = {}
    for key, value in tree["meta"].items():
        if is_json(value) and not (isinstance(value, str) and len(value) > _MOST_META):
            meta[key] = value
    tree["meta"] = meta
    for key in ("id", "instruction_id", "question_id"):
        if type(tree.get(key)) is int:  # not a bool
            tree[key] = str(tree[key])
    try:
        return kind.model_validate(tree)
    except ValidationError as error:
        raise InputError(first_problem(error)) from None


def _place(tree: dict[str, Any], key: str, value: Any) -> None:
    """Put a cell where a pair has it; what no field is called like goes to ``meta``."""
    if key in _RECORDINGS and is_audio_cell(value):
        _put(tree, (key, "audio"), value)
    elif key == "voice" and not (
        isinstance(value, Mapping) and value.keys() & {"audio", "url"}
    ):
        tree["meta"][key] = value  # what a voice is called
    elif isinstance(value, Mapping) and key in _NESTED:
        target = {"label": "labels"}.get(key, key)
        tree.setdefault(target, {}).update(
            {k: v for k, v in value.items() if v is not None}
        )
    elif key in ("labels", "meta"):
        raise InputError(f"{key}: expected an object (got {value!r:.80})")
    elif key == "faster" and isinstance(value, str):
        _put(tree, ("labels", "preference"), _FASTER.get(value, value))
    elif key not in _PLACES or _put(tree, _PLACES[key], value) is not value:
        tree["meta"][key] = value


def is_pair_record(record: Mapping[str, Any]) -> bool:
    """Tell whether a record has two answers."""
    sides: set[str] = set()
    for key, value in unfolded(record).items():
        is_empty = value is None or (isinstance(value, str) and not value)
        if not is_empty:
            sides.add(_PLACES.get(key, (key,))[0])
    return {"a", "b"} <= sides


def _put(tree: dict[str, Any], place: tuple[str, ...], value: Any) -> Any:
    """Put a value where nothing is; returns what is there now."""
    for key in place[:-1]:
        tree = tree.setdefault(key, {})
    return tree.setdefault(place[-1], value)


def is_audio_cell(value: Any) -> bool:
    """Tell whether a value is Hugging Face audio: a file's bytes, path, or both."""
    return (
        isinstance(value, Mapping)
        and "bytes" in value
        and value.keys() <= {"bytes", "path"}
    )


def is_json(value: Any) -> bool:
    """Tell whether JSON can hold a value: not NaN, times, bytes or decimals."""
    if isinstance(value, dict):
        return all(
            isinstance(key, str) and is_json(item) for key, item in value.items()
        )
    if isinstance(value, list):
        return all(map(is_json, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def resolve_audio(
    recording: dict[str, Any], root: Path | str, spill: Spill | None
) -> None:
    """Put a recording's place or binary bytes where :class:`Recording` has them."""
    audio = recording.get("audio")
    if isinstance(audio, Mapping):  # Hugging Face: {"bytes": ..., "path": ...}
        data, name = audio.get("bytes"), str(audio.get("path") or "")
        if data is None:
            audio = name or None
        elif not isinstance(data, bytes):
            raise InputError(
                f"bytes: expected binary data (got {data!r:.80}); name its path instead"
            )
        elif spill:
            audio = spill(data, name)
        else:
            recording.pop("audio")
            recording["data"] = data
            return
    if audio is None:
        recording.pop("audio", None)
    else:
        place = _recording_at(root, audio) if isinstance(audio, str) else audio
        recording["audio"] = in_its_form(place) if isinstance(place, Path) else place


def _recording_at(root: Path | str, audio: str) -> Path | str:
    """Return a recording's path or URL; blanks around it count if a file has them."""
    place = joined(root, audio)
    is_named = audio.strip() not in ("", audio)
    if not is_named or (isinstance(place, Path) and is_file(place)):
        return place
    return joined(root, audio.strip())


def resolve_conversation(
    answer: dict[str, Any], root: Path | str, read: ConversationReader | None
) -> None:
    """Put an answer's conversation in its place: its own, or what a path holds.

    Raises:
        UserError: it cannot be read, or there is nobody to read it.
    """
    result = answer.get("conversation")
    if result is None or isinstance(result, Conversation):
        return
    if isinstance(root, str):
        raise InputError(
            "conversation: its recordings cannot lie behind a URL; fetch them first"
        )
    if isinstance(result, Mapping):
        try:
            answer["conversation"] = rooted(Conversation.model_validate(result), root)
        except ValidationError as error:
            raise InputError(f"conversation.{first_problem(error)}") from None
        return
    if not isinstance(result, str):
        raise InputError(
            f"conversation: expected a path or an object (got {result!r:.80})"
        )
    if read is None:
        raise InputError(
            f"conversation {result!r:.80}: only judge and rate read it from a path;"
            " name the run that they made, or put the conversation itself there"
        )
    answer["conversation"] = read(root / result)


def _read_labels(
    tree: dict[str, Any], record: Mapping[str, Any], dropped: Dropped | None
) -> None:
    """Spell labels as we do; report and remove other values of a flat column."""
    labels = tree.get("labels", {})
    nested = set(_mapping(record.get("label")))
    nested |= set(_mapping(record.get("labels")))
    system_a = _mapping(tree.get("a")).get("system")
    system_b = _mapping(tree.get("b")).get("system")
    who = (system_a, system_b, record.get("system"))
    columns: dict[str, str] = {}
    for column in record:
        place = _PLACES.get(column, ())
        if place[:1] == ("labels",):
            columns[place[1]] = column
    for name, value in list(labels.items()):
        if type(value) in (int, float) and value in (1, 2):
            labels[name] = value = str(int(value))
        if isinstance(value, str) and name not in ("match", *nested):
            with suppress(ValueError):
                labels[name] = value = spelled(value, who, name != "preference")
        if not dropped or isinstance(value, Mapping) or name not in Labels.model_fields:
            continue
        try:
            Labels.model_validate({name: value})
        except ValidationError as error:
            if name not in nested:
                del labels[name]
            expected = error.errors(include_url=False)[0]["msg"]
            column = columns.get(name, name)
            dropped(
                NoLabel(
                    field=name,
                    column=column,
                    value=record.get(column, value),
                    expected=expected,
                    tie=value == "tie",
                )
            )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


#: Names of the fields of every record of an item, for messages on misspelt ones.
_FIELDS = sorted(
    {
        name
        for record in (Pair, Single, Instruction, Answer, Cut, Labels, ScoreLabels)
        for name in record.model_fields
    }
)


def first_problem(error: ValidationError) -> str:
    """Say in a sentence why a record is refused, with missing fields' columns."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        names = NAMES.get(where)
        return f"{where}: is missing" + (
            f"; name its column {', '.join(names)}" if names else ""
        )
    got = f"(got {redact_urls(repr(first['input'])):.80})"
    if first["type"] == "extra_forbidden":
        return f"{where}: is no field; {_field_meant(first['loc'])} {got}"
    return f"{where}: {first['msg']} {got}"


def _field_meant(place: Sequence[str | int]) -> str:
    """Say which field a record's misspelt name is like, or what to do without."""
    *_, name = map(str, place)
    near = get_close_matches(name, _FIELDS, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else "leave it out, or put it into meta"


def spilled(item: Model, spill: Spill) -> Model:
    """Write the embedded recordings of a pair or single answer to files."""

    def on_disk(recording: Recording) -> Recording:
        if recording.data is None:
            return recording
        return recording.model_copy(
            update={"audio": spill(recording.data, ""), "data": None}
        )

    return map_recordings(item, on_disk)


def spill_to(folder: Path) -> Spill:
    """Return a :data:`Spill` that writes content-addressed files under ``folder``.

    Embedded recordings then cost no memory, and a run can still play them later.
    """
    folder = utf8_name(folder.absolute())

    def spill(data: bytes, name: str) -> Path:
        digest = hashlib.sha256(data).hexdigest()
        suffix = Path(name).suffix.lower()
        wanted = suffix if _SUFFIX.fullmatch(suffix) else _UNNAMED
        # The same bytes may have come under another name, or without one: one file
        # serves all.
        for available in (wanted, _UNNAMED, *_USUAL):
            if (path := folder / f"{digest}{available}").exists():
                return path
        path = folder / f"{digest}{wanted}"
        make_folder(folder, private=True)
        replace_file(path, data)
        return path

    return spill


def spill_into(cache: Path | None) -> Spill:
    """Return a :data:`Spill` into a cache folder; None: the user's."""
    return spill_to((cache or cache_folder()) / "audio")
