"""Whether the recordings of systems come in different formats, which judges hear."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from trace_eval.data.answers import Recording
from trace_eval.data.items import Item, Pair

#: Endings of files that lose nothing; one is as good as another.
_LOSSLESS = frozenset((".wav", ".flac", ".aif", ".aiff", ".au", ".caf", ".w64"))

#: Shares of a format in two systems that differ by so much are told, from so many
#: recordings of each on: of fewer, one file more or less is chance.
_APART, _LEAST = 0.25, 5


def formats_line(items: Iterable[Item]) -> str:
    """Say which systems have which formats, if lossy ones are spread unevenly.

    Returns an empty text otherwise.

    A codec takes away what judges hear, so a verdict between formats may be about the
    codec.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for system, recording in _answers(items):
        if suffix := _suffix(recording):
            counts[system][suffix] += 1
    enough = [own for own in counts.values() if own.total() >= _LEAST]
    lossy = {suffix for own in enough for suffix in own} - _LOSSLESS
    if not any(_is_uneven(suffix, enough) for suffix in lossy):
        return ""
    parts: list[str] = []
    for system, own in sorted(counts.items()):
        formats = ", ".join(f"{n} {suffix[1:]}" for suffix, n in own.most_common())
        parts.append(f"{system}: {formats}")
    return (
        f"the recordings of the systems come in different formats ({'; '.join(parts)}),"
        " and a codec alone moves verdicts; give all of them one format"
    )


def _is_uneven(suffix: str, counts: Collection[Counter[str]]) -> bool:
    """Tell whether the systems' shares of a format are :data:`_APART` apart."""
    shares = [own[suffix] / own.total() for own in counts]
    return max(shares) - min(shares) >= _APART


def _answers(items: Iterable[Item]) -> Iterator[tuple[str, Recording]]:
    for item in items:
        if isinstance(item, Pair):
            yield item.a.system or "A", item.a
            yield item.b.system or "B", item.b
        elif item.system:
            yield item.system, item.answer


def _suffix(recording: Recording) -> str:
    """Return the ending of a recording's file or URL; empty where it has neither."""
    place = recording.url if recording.audio is None else recording.audio
    if place is None:
        return ""
    path, _, _ = str(place).partition("?")
    return PurePosixPath(path).suffix.lower()
