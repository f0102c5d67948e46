"""Layouts in which conversations are stored: a table of readers and their choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from blueprints import InputError
from extractors import AUDIO_SUFFIXES
from trace_eval.conversations.layouts.base import (
    CallLayout,
    Unread,
    first_row,
    json_file,
    one,
)
from trace_eval.conversations.layouts.eva import EVA
from trace_eval.conversations.layouts.eva_labels import EVA_LABELS
from trace_eval.conversations.layouts.halves import halves, recordings_below
from trace_eval.conversations.layouts.platforms import PLATFORMS
from trace_eval.conversations.layouts.records import RECORDS
from trace_eval.conversations.layouts.sound import MONO, STEREO, TWO_FILES, read_rest
from trace_eval.conversations.layouts.table import TABLE, is_timed
from trace_eval.conversations.layouts.tau2 import TAU2
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.logged import held_against_sound
from trace_eval.conversations.sound.stamped import STAMPED
from trace_eval.data.conversation import ConversationItem
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.names import TURNS, first_of
from trace_eval.data.tables import other_content
from trace_eval.data.urls import redact_urls, redacted, url_of_path

#: Name -> layout, as ``--layout`` takes it.
LAYOUTS: dict[str, CallLayout] = {
    each.name: each
    for each in (STEREO, TWO_FILES, MONO, TABLE, RECORDS, TAU2, EVA, EVA_LABELS)
}
LAYOUTS |= {platform.layout.name: platform.layout for platform in PLATFORMS}


#: Layouts that are sound alone, and exports beside which recordings of other calls may
#: lie.
SOUNDS = (STEREO.name, TWO_FILES.name, MONO.name)
_EXPORTS = frozenset(platform.name for platform in PLATFORMS)


@dataclass(frozen=True)
class CallReading:
    """The conversations of a path."""

    layout: str
    items: tuple[ConversationItem, ...]
    unread: tuple[Unread, ...] = ()


def layout_of(path: Path) -> CallLayout:
    """Find the one layout that fits a path.

    Raises:
        UserError: none or several do.
    """
    fitting = [name for name, layout in LAYOUTS.items() if layout.fits(path)]
    if is_folder(path):  # a log is held against the recordings that lie beside it
        fitting = [name for name in fitting if name not in SOUNDS] or fitting
    if not fitting and _tables_of_calls(path):
        return TABLE
    if len(fitting) > 1:
        raise InputError(
            f"{path}: may be {' and '.join(fitting)}; say which by --layout NAME"
        )
    if not fitting:
        _refuse_others(path)
        names = (
            sorted(one.name for one in path.iterdir())[:6] if is_folder(path) else []
        )
        holds = (
            f" (it holds {', '.join(names) or 'nothing'})" if is_folder(path) else ""
        )
        raise InputError(
            f"{path}: looks like no known layout{holds}; name one by --layout:"
            f" {', '.join(LAYOUTS)}; {_other_way(path)}"
        )
    return LAYOUTS[fitting[0]]


def read_conversations(
    path: Path | str, layout: str | None = None, options: ReadOptions | None = None
) -> CallReading:
    """Read every conversation of a file or folder; an unreadable one costs no other.

    Args:
        layout: its layout; default: recognised by the content.

    Raises:
        UserError: there is no such path or layout, or nothing in it can be read.
    """
    path = Path(path)
    _check_path(path)
    if layout is not None and layout not in LAYOUTS:
        raise InputError(f"layout {layout!r:.60}: use one of {', '.join(LAYOUTS)}")
    chosen = LAYOUTS[layout] if layout else layout_of(path)
    options = options or ReadOptions()
    sources = [path]
    if layout is None and chosen.name in (*SOUNDS, TABLE.name):
        tables = _tables_of_calls(path)
        if tables:
            chosen, sources = TABLE, tables
    total = chosen.count(path) if chosen.count and options.tick else None
    items: dict[str, ConversationItem] = {}
    unread: list[Unread] = []
    results = chain.from_iterable(chosen.read(source, options) for source in sources)
    for number, result in enumerate(results, 1):
        if options.tick:
            options.tick(number, total)
        if not isinstance(result, Unread):
            result = _by_sound(result, options)
        if isinstance(result, Unread):
            unread.append(result)
        elif result.id in items:
            unread.append(
                Unread(result.id, "another conversation has this id; rename one")
            )
        else:
            items[result.id] = result
    if is_folder(path) and (chosen.name in _EXPORTS or sources != [path]):
        for result in read_rest(path, options, _recordings_of(path, items)):
            if isinstance(result, Unread):
                unread.append(result)
            else:
                items.setdefault(result.id, result)
    if not items and not unread:
        raise InputError(
            f"{path}: holds no conversation of layout {chosen.name}; check the path"
            " or --layout"
        )
    if not items:
        more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        raise InputError(f"{path}: no conversation can be read: {unread[0]}{more}")
    return CallReading(chosen.name, tuple(items.values()), tuple(unread))


def _other_way(path: Path) -> str:
    """Say how a call is read whose log no layout knows."""
    if path.suffix.lower() in (".json", ".jsonl"):
        return (
            "or write its turns to a CSV file with the columns conversation, speaker"
            " (user or agent), start, end (in seconds) and text"
        )
    return (
        "a recording needs a channel for each speaker (stereo), or a file for each"
        " (two_files)"
    )


def _refuse_others(path: Path) -> None:
    """Raise UserError for a file that no layout could read: a web page, no JSON, ..."""
    if not is_file(path):
        return
    if not path.stat().st_size:
        raise InputError(f"{path}: 0 bytes; write the log again")
    other = other_content(path, "log of calls")
    if other and path.suffix.lower() not in AUDIO_SUFFIXES:
        raise InputError(f"{path}: {other}")
    if path.suffix.lower() == ".json":
        json_file(path)


def _check_path(path: Path) -> None:
    """Raise InputError where there is neither a file nor a folder."""
    if is_file(path) or is_folder(path):
        return
    url = url_of_path(path)
    if url is not None:
        raise InputError(
            f"{redacted(url)} is not read: download it, and give the path of the file"
        )
    raise InputError(f"{redact_urls(str(path))}: no such file or folder")


def _recordings_of(path: Path, items: Mapping[str, ConversationItem]) -> set[Path]:
    """Return the recordings below a folder that belong to calls that were read."""
    recordings = {file for file in recordings_below(path) if file.stem in items}
    for name, sides in halves(path).items():
        if name in items:
            recordings.update(path / side for side in sides.values())
    for item in items.values():
        recordings.update(channel.audio for channel in item.conversation.channels)
    return recordings


def _tables_of_calls(path: Path) -> list[Path]:
    """List the tables in a folder of recordings that say who spoke when, or what.

    They are held against the sound. A table with neither times nor the words of named
    calls may say anything else of the recordings.
    """
    if not is_folder(path):
        return []
    tables: list[Path] = []
    for file in sorted(path.iterdir()):
        fields = first_of(TURNS, first_row(file)) if TABLE.fits(file) else {}
        if is_timed(fields) or {"conversation", "speaker", "text"} <= fields.keys():
            tables.append(file)
    return tables


def _by_sound(item: ConversationItem, options: ReadOptions) -> ConversationItem:
    """Time a log's call by its recording; where that cannot be heard, the log stays."""
    heard = one(item.id, partial(held_against_sound, item, options))
    if not isinstance(heard, Unread):
        return _settled(heard)
    consequence = "times are those of the log alone"
    if item.conversation.clock.kind == "none":
        consequence = "its turns have no times"
    why = f"its recording cannot be heard ({heard.reason}): {consequence}"
    return _settled(item.model_copy(update={"caveats": item.caveats + (why,)}))


def _settled(item: ConversationItem) -> ConversationItem:
    """Return a call without the texts that waited for their turns in the sound."""
    call = item.conversation
    if STAMPED not in call.meta:
        return item
    meta = {name: value for name, value in call.meta.items() if name != STAMPED}
    call = call.model_copy(update={"meta": meta})
    return item.model_copy(update={"conversation": call})
