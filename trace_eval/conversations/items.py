"""Conversations of a path as items to judge."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from blueprints import InputError, counted
from extractors import cache_folder
from trace_eval.conversations.layouts import LAYOUTS, read_conversations
from trace_eval.conversations.layouts.base import first_row
from trace_eval.conversations.layouts.table import is_timed
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.answers import Answer
from trace_eval.data.conversation import Conversation, ConversationItem, rooted
from trace_eval.data.folders import METADATA
from trace_eval.data.items import ScoreLabels, Single
from trace_eval.data.manifests import Manifest, Problem
from trace_eval.data.names import NAMES, TURNS, first_of
from trace_eval.data.tables import SUFFIXES

#: Columns of a manifest's answers, and of those of pairs.
_ANSWERS = {"answer", "a", "b"} | set(NAMES["candidate"]) | set(NAMES["audio"])

#: The annotator of labels where a layout names none.
ANNOTATORS = "people"


def holds_conversations(path: Path) -> bool:
    """Tell whether a path holds conversations in a layout of their own, not a manifest.

    Recordings of one channel are not: they may as well be answers.
    """
    named = [name for name in LAYOUTS if name != "mono"]
    if path.is_dir():
        # which says what the recordings beside it are
        has_table = any((path / name).is_file() for name in METADATA)
        return not has_table and any(LAYOUTS[name].fits(path) for name in named)
    named.remove("records")  # which are a manifest of ours
    if not path.exists():
        return False
    if not any(LAYOUTS[name].fits(path) for name in named):
        return False
    if path.suffix.lower() not in SUFFIXES:
        return True
    columns = first_row(path).keys()
    turns = first_of(TURNS, columns)
    # many a manifest names who speaks; a table of turns says when, too
    if "speaker" in turns:
        return is_timed(turns)
    return not _ANSWERS & columns


def conversations_manifest(
    path: Path,
    limit: int | None = None,
    layout: str | None = None,
    options: ReadOptions | None = None,
) -> Manifest:
    """Make every conversation of a path an item to rate.

    Raises:
        UserError: as :func:`read_conversations`.
    """
    reading = read_conversations(path, layout, options)
    problems = [Problem(one.name, one.reason) for one in reading.unread]
    return Manifest(path, [single_of(item) for item in reading.items[:limit]], problems)


def single_of(item: ConversationItem) -> Single:
    """Turn a conversation into an item; its human labels stay among the item's."""
    scores: dict[str, Any] = {}
    rating = item.labels.get("rating")
    if rating is not None:
        scores[ANNOTATORS] = rating
    turn_scores: dict[str, dict[str, Any]] = {}
    turns = item.labels.get("turns")
    if isinstance(turns, dict):
        for number, value in turns.items():
            turn_scores[number] = {ANNOTATORS: value}
    labels = ScoreLabels.model_validate({"scores": scores, "turns": turn_scores})
    return Single(
        id=item.id,
        question_id=item.question_id,
        # absolute paths: the run may be read from another folder
        answer=Answer(conversation=rooted(item.conversation, Path.cwd())),
        system=item.system,
        labels=labels if labels.scores or labels.turns else None,
        meta={"caveats": list(item.caveats)} if item.caveats else {},
    )


def conversations_folder(cache: Path | None = None) -> Path:
    """Return the folder of the turns detected in recordings of conversations."""
    return (cache or cache_folder()) / "conversations"


def one_conversation(
    path: Path, options: ReadOptions | None = None, layout: str | None = None
) -> Conversation:
    """Read the one conversation of a path in a manifest.

    Raises:
        UserError: there is none, or there are several.
    """
    if not path.exists():
        raise InputError(f"conversation {path}: no such file or folder; check the path")
    result = read_conversations(path, layout, options)
    if len(result.items) != 1:
        raise InputError(
            f"conversation {path}: holds {counted(len(result.items), 'conversation')};"
            " name a file with one, or rate them all with trace-eval rate"
            f" {shlex.quote(str(path))}"
        )
    return rooted(result.items[0].conversation, Path.cwd())
