"""A check that recordings are still those judged, by content and not by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blueprints import UserError, counted
from extractors import AudioError, Stamp
from trace_eval.data.answers import Recording
from trace_eval.data.files import is_file
from trace_eval.data.items import Item
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.source import source_of
from trace_eval.runs.reader import RunReader

#: Ids that a message names.
_NAMED = 3

#: Servers are asked for so many versions at a time, and in all: of more recordings, for
#: some that are spread over all. A release that was replaced changes most of them.
_ASKED_AT_ONCE, _MOST_ASKED = 16, 2_000

#: What a recording holds that cannot be decoded any more.
UNREADABLE = "unreadable"


class RecordingLook:
    """Tells what recordings hold now; each is looked at once.

    A file whose stamp the cache knows is not read. What lies behind a URL is taken for
    unchanged, unless its server was asked: then it is fetched where the server names a
    version that the cache does not know.
    """

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = Cache(cache)
        self._clips: dict[str, str | None] = {}
        self._stamps: dict[str, Stamp | None] = {}

    def ask_servers(self, recordings: Iterable[Recording]) -> None:
        """Ask for the versions of what lies behind URLs, several at a time.

        No more is asked once servers named no version several times in a row: they
        never do, or cannot be reached.
        """
        distant = {one.source_id: one for one in recordings if one.url is not None}
        every = -(-len(distant) // _MOST_ASKED) or 1
        chosen = list(distant.items())[::every]
        with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
            for start in range(0, len(chosen), _ASKED_AT_ONCE):
                batch = dict(chosen[start : start + _ASKED_AT_ONCE])
                stamps = list(pool.map(_stamp_of, batch.values()))
                self._stamps.update(zip(batch, stamps, strict=True))
                if not any(stamps):
                    return

    def clip_of(self, recording: Recording) -> str | None:
        """Return the present hash of a recording; None if its file is missing."""
        key = recording.source_id
        if key not in self._clips:
            self._clips[key] = self._read(recording)
        return self._clips[key]

    def has_changed(self, recording: Recording, clip: str | None) -> bool:
        """Tell whether a recording holds something else than the clip once judged."""
        if clip is None:
            return False
        now = self.clip_of(recording)
        return now is not None and now != clip

    def _read(self, recording: Recording) -> str | None:
        source = source_of(recording)
        if recording.url is not None:
            stamp = self._stamps.get(recording.source_id)
            if stamp is None:
                return None
        elif recording.audio is None or not is_file(Path(recording.audio)):
            return None
        else:
            stamp = source.stamp()
        clip = self._cache.clip_of(stamp) if stamp else None
        if clip is not None:
            return clip
        try:
            clip = source.decode().sha256
        except AudioError:
            return UNREADABLE
        except UserError:  # cannot be fetched at the moment
            return None if recording.url is not None else UNREADABLE
        if stamp:
            self._cache.remember_clip(stamp, clip)
        return clip

    def close(self) -> None:
        """Release the cache."""
        self._cache.close()


def _stamp_of(recording: Recording) -> Stamp | None:
    """Return the version that the server of a URL names; None where it names none."""
    try:
        return source_of(recording).stamp()
    except UserError:
        return None


def changed_items(
    run: RunReader,
    items: Iterable[Item],
    cache: Path | None = None,
    asks_servers: bool = False,
) -> list[str]:
    """Return the ids of items whose recordings were replaced since they were judged."""
    clips = {source: record.clip for source, record in run.clips().items()}
    if not any(clips.values()):
        return []
    look = RecordingLook(cache)
    items = list(items)
    try:
        if asks_servers:
            look.ask_servers(
                recording for item in items for recording in item.recordings().values()
            )
        return [item.id for item in items if any(_changes(item, clips, look))]
    finally:
        look.close()


def _changes(
    item: Item, clips: dict[str, str | None], look: RecordingLook
) -> Iterator[bool]:
    for recording in item.recordings().values():
        yield look.has_changed(recording, clips.get(recording.source_id))


def refuse_changed(
    run: RunReader,
    items: Iterable[Item],
    remedy: str,
    cache: Path | None = None,
    asks_servers: bool = False,
) -> None:
    """Refuse to go on with verdicts about recordings that were replaced since.

    Args:
        asks_servers: look behind URLs, too, which takes the network.

    Raises:
        UserError: says how many items it is, and names the first of them.
    """
    changed = changed_items(run, items, cache, asks_servers)
    if not changed:
        return
    named = ", ".join(map(repr, changed[:_NAMED])) + (
        ", ..." if len(changed) > _NAMED else ""
    )
    kind = "item" if run.holds_scores else "pair"
    raise UserError(
        f"{run.folder}: recordings of {counted(len(changed), kind)} were replaced since"
        f" they were judged ({named}); {remedy}"
    )
