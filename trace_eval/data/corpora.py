"""Lines of corpora: manifests of NeMo, cuts and recordings of Lhotse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blueprints import InputError
from trace_eval.data.cells import recording_of

#: A row of a manifest: names of fields to what they hold.
Record = dict[str, Any]


def is_nemo(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a line of a manifest of NeMo."""
    return isinstance(record.get("audio_filepath"), str)


def nemo(record: Record) -> Record:
    """Read a NeMo manifest's line: a recording or a stretch of it, and its words."""
    audio = record.pop("audio_filepath")
    offset, length = record.get("offset"), record.get("duration")
    answer: Record = {"audio": audio}
    if offset is not None:
        answer["cut"] = _stretch(offset, length)
    return {"answer": answer, **_heard(record.pop("text", None)), **record}


#: Cuts of Lhotse that are a stretch of one recording, and those that are none.
_CUTS = ("MonoCut", "MultiCut")
_MADE_BY_LHOTSE = ("MixedCut", "PaddingCut")


def is_lhotse(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a cut or a recording of Lhotse."""
    if record.get("type") in _CUTS + _MADE_BY_LHOTSE:
        return True
    whole = record.get("recording", record)
    return isinstance(whole, Mapping) and isinstance(whole.get("sources"), list)


def lhotse(record: Record) -> Record:
    """Read a cut or a recording of Lhotse; a source that is a command is never run."""
    if record.get("type") in _MADE_BY_LHOTSE:
        raise InputError(
            f"type: {record['type']} is sound that only lhotse makes; save it with"
            " lhotse (cut.save_audio), and use the cuts of those"
        )
    whole = record.pop("recording", None)
    if whole is None and "sources" in record:
        whole = record
    if not isinstance(whole, Mapping) or not isinstance(whole.get("sources"), list):
        raise InputError(
            f"recording: expected one with its sources (got {whole!r:.40}); a cut of"
            " features alone has no sound, so use the cuts with recordings"
        )
    answer: Record = {"audio": _lhotse_audio(record, whole)}
    start = record.pop("start", None)
    length = record.pop("duration", None)
    channel = _one_channel(record.pop("channel", 0))
    is_whole = (start, length) == (0, whole.get("duration"))
    has_channels = len(whole.get("channel_ids") or [0]) > 1
    if start is not None and (has_channels or not is_whole):
        answer["cut"] = {**_stretch(start, length), "channel": channel}
    sentences: list[str] = []
    for supervision in record.pop("supervisions", None) or ():
        text = supervision.get("text") if isinstance(supervision, Mapping) else None
        if isinstance(text, str):
            sentences.append(text)
    return {"answer": answer, **_heard(" ".join(sentences) or None), **record}


def _lhotse_audio(record: Record, whole: Mapping[str, Any]) -> Any:
    """Return the recording of a Lhotse record.

    Raises:
        InputError: only Lhotse can make it.
    """
    sources = list(record.pop("sources", None) or whole.get("sources") or ())
    kinds = set()
    for source in sources:
        kinds.add(source.get("type") if isinstance(source, Mapping) else None)
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
    place = sources[0].get("source")
    if kinds == {"memory"}:
        return recording_of({"data": place})
    return recording_of(place)


def _one_channel(channel: Any) -> Any:
    """Return the channel of a cut, which may stand in a list; refuse several."""
    if not isinstance(channel, list):
        return channel
    if len(channel) > 1:
        raise InputError(
            f"channel: expected one (got {channel!r:.40}); make a cut of each channel"
        )
    return channel[0] if channel else channel


def _stretch(start: Any, length: Any) -> Record:
    """Return a number of seconds of a recording from a time on."""
    for name, seconds in (("offset", start), ("duration", length)):
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not seconds >= 0:
            raise InputError(
                f"{name}: expected 0 or more seconds, as a stretch needs both (got"
                f" {seconds!r:.40})"
            )
    return {
        "channel": 0,
        "start_s": float(start),
        "end_s": float(start) + float(length),
    }


def _heard(text: Any) -> Record:
    """Return the words of a recording, as people wrote them down."""
    return {"transcription": text} if isinstance(text, str) and text else {}
