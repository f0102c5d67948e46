"""Layouts in which conversations are stored: a table of readers, and the choice of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blueprints import UserError
from trace_eval.conversations.layouts.base import CallLayout, Unread, one
from trace_eval.conversations.layouts.eva import EVA
from trace_eval.conversations.layouts.eva_labels import EVA_LABELS
from trace_eval.conversations.layouts.platforms import PLATFORMS
from trace_eval.conversations.layouts.records import RECORDS
from trace_eval.conversations.layouts.sound import STEREO, TWO_FILES
from trace_eval.conversations.layouts.table import TABLE
from trace_eval.conversations.layouts.tau2 import TAU2
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.logged import checked_against_sound
from trace_eval.data.conversation import ConversationItem
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.urls import redact_urls, redacted, url_of_path

#: Name -> layout, as ``--layout`` takes it.
LAYOUTS: dict[str, CallLayout] = {
    each.name: each
    for each in (
        *(STEREO, TWO_FILES, TABLE, RECORDS, TAU2, EVA, EVA_LABELS),
        *(platform.layout for platform in PLATFORMS),
    )
}


@dataclass(frozen=True)
class Reading:
    """The conversations of a path."""

    layout: str
    items: tuple[ConversationItem, ...]
    unread: tuple[Unread, ...] = ()


def layout_of(path: Path) -> CallLayout:
    """The one layout that fits a path; raises a UserError with names where none or several do."""
    fitting = [name for name, layout in LAYOUTS.items() if layout.fits(path)]
    if len(fitting) > 1:
        raise UserError(f"{path}: may be {' and '.join(fitting)}; say which by --layout NAME")
    if not fitting:
        names = sorted(one.name for one in path.iterdir())[:6] if is_folder(path) else []
        holds = f" (it holds {', '.join(names) or 'nothing'})" if is_folder(path) else ""
        raise UserError(
            f"{path}: looks like no known layout{holds}; name one by --layout:"
            f" {', '.join(LAYOUTS)}; a recording needs a channel for each speaker (stereo), or a"
            " file for each (two_files)"
        )
    return LAYOUTS[fitting[0]]


def read_conversations(
    path: Path | str, layout: str | None = None, options: ReadOptions | None = None
) -> Reading:
    """Every conversation of a file or folder; one that cannot be read costs no other.

    Args:
        layout: its layout; default: recognised by the content.

    Raises:
        UserError: there is no such path or layout, or nothing in it can be read.
    """
    path = Path(path)
    if not (is_file(path) or is_folder(path)):
        url = url_of_path(path)
        if url is not None:
            raise UserError(
                f"{redacted(url)} is not read: download it, and give the path of the file"
            )
        raise UserError(f"{redact_urls(str(path))}: no such file or folder")
    if layout is not None and layout not in LAYOUTS:
        raise UserError(f"layout {layout!r:.60}: use one of {', '.join(LAYOUTS)}")
    chosen = LAYOUTS[layout] if layout else layout_of(path)
    options = options or ReadOptions()
    total = chosen.count(path) if chosen.count and options.tick else None
    items: dict[str, ConversationItem] = {}
    unread: list[Unread] = []
    for number, result in enumerate(chosen.read(path, options), 1):
        if options.tick:
            options.tick(number, total)
        if options.hear_logs and not isinstance(result, Unread):
            result = one(result.id, partial(checked_against_sound, result, options))
        if isinstance(result, Unread):
            unread.append(result)
        elif result.id in items:
            unread.append(Unread(result.id, "another conversation has this id; rename one"))
        else:
            items[result.id] = result
    if not items and not unread:
        raise UserError(
            f"{path}: holds no conversation of layout {chosen.name}; check the path or --layout"
        )
    if not items:
        more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        raise UserError(f"{path}: no conversation can be read: {unread[0]}{more}")
    return Reading(chosen.name, tuple(items.values()), tuple(unread))
