"""What raters saw: a rating counts while its item still is what it was about.

Whoever edits a manifest, replaces a recording or takes corrections away between two
servings changes items that people have rated already.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from blueprints import Strict, UserError
from trace_eval.data import remote, strict_json
from trace_eval.data.answers import Answer
from trace_eval.data.files import is_file, sha256_of
from trace_eval.data.items import Single
from trace_eval.review.material import turn_lines
from trace_eval.review.store import Store
from trace_eval.review.together import LowPassed, Page, Reviewed

#: Why a rating does not count whose item was changed outside of the review.
CHANGED = "changed"


class Seen(Strict):
    """What raters were shown of an item."""

    words: str  # a hash of its texts
    # role -> SHA-256 of its file, or the version of its URL; none where neither is there
    sounds: Mapping[str, str]

    def differs(self, other: Seen) -> bool:
        """Tell whether a text or a recording was replaced; an absent file was not."""
        both = self.sounds.keys() & other.sounds.keys()
        replaced = [role for role in both if self.sounds[role] != other.sounds[role]]
        return self.words != other.words or bool(replaced)


def remember(store: Store, item: Reviewed) -> None:
    """Store what an item is when it is first shown."""
    if not any(view.item == item.id for view in store.views()):
        store.set_meta(_key(store, item), _seen(item, _sounds(item)).model_dump_json())


class ShownHere:
    """What one server shows of the items of a review.

    Another server, opened later, may have found a text or a recording replaced. What is
    said of the old one to this server would count as said of the new one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sounds: dict[str, Mapping[str, str]] = {}

    def refuse_stale(self, item: Reviewed) -> None:
        """Raise UserError for an item that a later server shows otherwise."""
        stored = self._store.meta(_key(self._store, item))
        if stored is None:
            return
        seen = strict_json.own(Seen, stored, self._store.path)
        sounds = self._sounds.setdefault(item.id, seen.sounds)
        here = Seen(words=_seen(item, {}).words, sounds=sounds)
        if here.differs(seen):
            raise UserError(
                f"item {item.id!r} was changed after this server was started, and"
                " another server of this review shows it as it is now; stop this one,"
                " and start it again"
            )


def corrected_now(store: Store, item: Reviewed) -> None:
    """Store what an item is after its ratings were set aside for a correction."""
    now = _seen(item, _sounds(item)).model_dump_json()
    store.set_meta(_key(store, item), now)


def set_changed_aside(
    store: Store, items: Iterable[Reviewed], *, listen: bool = True
) -> list[str]:
    """Set the ratings of changed items aside, and return the ids of these items.

    Args:
        items: of the review as they are now.
        listen: look at their recordings, too.
    """
    changed: list[str] = []
    with store.exclusive():
        viewed = {view.item for view in store.views()}
        for item in items:
            if item.id not in viewed:
                continue
            now = _seen(item, _sounds(item) if listen else {})
            stored = store.set_first(_key(store, item), now.model_dump_json())
            before = strict_json.own(Seen, stored, store.path)
            if not before.differs(now):
                continue
            sounds = {**before.sounds, **now.sounds}
            now = now.model_copy(update={"sounds": sounds})
            store.set_meta(_key(store, item), now.model_dump_json())
            if store.set_aside(item.id, CHANGED):
                changed.append(item.id)
    return changed


def _key(store: Store, item: Reviewed) -> str:
    return f"seen {store.rubric} {item.id}"


def _seen(item: Reviewed, sounds: Mapping[str, str]) -> Seen:
    members = item.members.values() if isinstance(item, Page) else [item]
    words: list[object] = []
    for one in members:
        words.append(one.instruction.text)
        for answer in one.answers:
            words += _words(answer)
        if isinstance(one, Single):
            words += [one.context, one.rationale]
            words += one.reference
    text = json.dumps(words)
    return Seen(words=hashlib.sha256(text.encode()).hexdigest(), sounds=sounds)


def _words(answer: Answer) -> list[object]:
    call = answer.conversation
    turns = [] if call is None else turn_lines(call, 0, len(call.turns))
    return [answer.text, answer.reference, *turns]


def _sounds(item: Reviewed) -> dict[str, str]:
    """Mark each recording once: the turns of a call are cuts of one."""
    marks: dict[Path | str | bytes, str | None] = {}
    sounds: dict[str, str] = {}
    for role, played in item.recordings().items():
        sound = played.recording if isinstance(played, LowPassed) else played
        place = sound.audio or sound.url or sound.data
        if place is None:
            continue
        if place not in marks:
            marks[place] = _mark(place)
        mark = marks[place]
        if mark is not None:
            sounds[role] = mark if sound.cut is None else f"{mark} {sound.cut!r}"
    return sounds


def _mark(place: Path | str | bytes) -> str | None:
    """Return what changes with the content of a recording; None where nothing tells."""
    if isinstance(place, bytes):
        return hashlib.sha256(place).hexdigest()
    if isinstance(place, Path):
        return sha256_of(place) if is_file(place) else None
    try:
        version = remote.version_of(place)
    except UserError:  # it may not be opened, or is too large
        return None
    return f"{version.size} {version.mark}" if version else None
