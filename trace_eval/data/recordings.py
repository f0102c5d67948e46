"""Recordings that an input names: found, and looked at before any work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from blueprints import InputError, UserError
from extractors import AUDIO_SUFFIXES, AudioError, opened
from trace_eval.data import remote
from trace_eval.data.access import allowed, refusal
from trace_eval.data.answers import Recording
from trace_eval.data.file_names import is_recording
from trace_eval.data.items import Pair, Single
from trace_eval.data.manifests import (
    Manifest,
    NoColumns,
    Problem,
    read_items,
    read_manifest,
)
from trace_eval.data.records import Spill
from trace_eval.data.shards import Shard
from trace_eval.data.tables import SUFFIXES
from trace_eval.data.urls import glob_base, is_url, location, name_of, redacted


def check_audio(items: Iterable[Pair | Single]) -> list[Problem]:
    """Find missing and undecodable recordings, from file headers, each file once.

    Those behind URLs are not looked at, but for whether they may be opened: asking for
    a million of them takes hours, and what is wrong with one is told when it is
    fetched.
    """
    problems = []
    checked: dict[str, str | None] = {}
    for item in items:
        for role, recording in item.recordings().items():
            if recording.data is not None:
                continue
            source = recording.source_id
            if source not in checked:
                checked[source] = _problem(recording)
            if what := checked[source]:
                kind = "pair" if isinstance(item, Pair) else "item"
                problems.append(
                    Problem(f"{kind} {item.id}, {role}: {source}", what, item.id)
                )
    return problems


def _problem(recording: Recording) -> str | None:
    if recording.url is not None:
        return refusal(recording.url)
    path = recording.audio
    if path is None:
        return None
    try:
        if not path.is_file():
            return "no such file; check the path or --audio-root"
    except (
        OSError,
        ValueError,
    ) as error:  # e.g. a name longer than the file system allows
        return (
            f"cannot be read ({getattr(error, 'strerror', None) or error}); check the"
            " path"
        )
    name = str(path)
    try:
        with opened(path, name, max_seconds=0.0) as (file, *_):
            return None if file.frames else "no samples; replace it"
    except AudioError as error:
        return str(error).removeprefix(f"{name}: ")
    except MemoryError:
        return "its header asks for more memory than there is; replace it"


def find_recordings(path: Path) -> list[Path]:
    """List the recordings below a folder (sorted), or the one file itself."""
    if not path.is_dir():
        return [path]
    return sorted(filter(is_recording, path.rglob("*"))) or _none(path)


def find_urls(url: str) -> list[str]:
    """Find the URLs of recordings below a folder or of a glob, sorted, or the URL.

    A URL that ends like a recording is taken for one without asking.

    Raises:
        UserError: the URL is not allowed, or nothing is there.
    """
    allowed(url)
    if glob_base(url) is None and _suffix(url) in AUDIO_SUFFIXES:
        return [url]
    return remote.find(url, AUDIO_SUFFIXES) or _none(redacted(url))


def _none(where: Path | str) -> NoReturn:
    raise InputError(f"{where}: no recordings below it ({', '.join(AUDIO_SUFFIXES)})")


def recordings_in(
    inputs: Iterable[Path | str],
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    shard: Shard | None = None,
) -> tuple[list[Path | str], list[Problem]]:
    """List files', folders' and manifests' recordings, and records without pairs.

    They are paths, and URLs as strings, in order of appearance.

    Args:
        audio_root, spill: of manifests, see :func:`read_manifest`.
        shard: only this part of them; problems belong to the first part.
    """
    results: dict[Path | str, None] = {}
    problems: list[Problem] = []
    for path in map(location, inputs):
        if _suffix(path) not in SUFFIXES:
            below = find_recordings(path) if isinstance(path, Path) else find_urls(path)
            for where in below:
                try:
                    results[location(where)] = None
                except UserError as error:
                    problems.append(Problem(f"below {path}", str(error)))
            continue
        manifest = _manifest(path, audio_root, spill)
        problems += manifest.problems
        for item in manifest.items:
            for role, recording in item.recordings().items():
                place = recording.audio or recording.url
                if recording.cut is not None:
                    where = f"item {item.id}, {role}"
                    problems.append(Problem(where, _STRETCH, item.id))
                elif place is not None:
                    results[place] = None
    if shard is None:
        return list(results), problems
    recordings = list(results)
    mine = [recordings[number] for number in shard.places(range(len(recordings)))]
    return mine, problems if shard.index == 1 else []


#: Why a part of a recording is not measured without an item.
_STRETCH = (
    "is a stretch of a recording, and whole ones are measured here; judge or rate the"
    " items"
)


def _manifest(
    path: Path | str, audio_root: Path | str | None, spill: Spill | None
) -> Manifest:
    """Read pairs, or single answers where there are no pairs."""
    try:
        return read_manifest(path, audio_root, spill)
    except NoColumns:
        return read_items(path, audio_root, spill)


def _suffix(path: Path | str) -> str:
    return Path(
        name_of(path) if isinstance(path, str) and is_url(path) else path
    ).suffix.lower()
