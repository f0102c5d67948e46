"""Conversations of every layout, released benchmarks, containers and databases."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.drill.parser import Parser, Read, database, heard, placed
from extractors.containers import has_sound, seconds_of
from tests.support import datasets_made
from tests.support.audio import container, tone
from tests.support.calls import conversation
from tests.support.platform_samples import EXPORTS, export_text
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.datasets.conversion import convert
from trace_eval.judges.ask.replies import ReplyCache
from trace_eval.review.store import Store
from trace_eval.turns.options import FigureOptions, TurnsOptions
from trace_eval.turns.report import time_turns

#: Codec -> the format of the container it is kept in.
CONTAINERS = {
    "aac": "ipod",
    "libopus": "webm",
    "flac": "matroska",
    "alac": "mov",
    "mp3": "mp4",
}

#: Bytes of the page of a database that holds its schema.
PAGE = 4096


def sets(folder: Path) -> dict[str, Parser]:
    """Return those parsers with their seeds.

    Where there are several files, the first byte of an input says which it is.
    """
    calls, released = folder / "calls", folder / "sets"
    sounds = [container(codec, kind, tone(0.2)) for codec, kind in CONTAINERS.items()]
    return {
        **{
            name: Parser(*reader_of_calls(calls / name, name, files), 1)
            for name, files in layouts().items()
        },
        **{
            name: Parser(*reader_of_release(released / name, name), 1)
            for name in datasets_made.MADE
        },
        "review database": Parser(*database(folder, "review.sqlite", _review), 1),
        "schema page of a review": Parser(
            *database(folder, "r2.sqlite", _review, PAGE), 2
        ),
        "schema page of kept replies": Parser(
            *database(folder, "k.sqlite", _kept, PAGE), 2
        ),
        "containers": Parser(_sound, sounds, 3),
    }


def layouts() -> dict[str, dict[str, bytes]]:
    """Layout -> its files, two conversations at least."""
    rows = "conversation,speaker,role,start,end,text,kind\n" + "".join(
        f"{name},bot,agent,3.0,6.0,Which seat?,\n{name},ann,user,1.0,2.5,A seat.,\n"
        for name in ("c1", "c2")
    )
    turns = [
        {
            "conversation": name,
            "speaker": who,
            "start": start,
            "end": start + 1,
            "text": "Yes.",
        }
        for name in ("c1", "c2")
        for who, start in (("user", 1.0), ("agent", 2.5))
    ]
    said = conversation(None)
    records = [{"id": name, "conversation": said} for name in ("c1", "c2")]
    ticks = [
        {
            "user_chunk": {"contains_speech": n < 3},
            "agent_chunk": {"contains_speech": n > 4},
        }
        for n in range(8)
    ]
    simulation = {
        "id": "s",
        "task_id": 3,
        "ticks": ticks,
        "termination_reason": "user_stop",
    }
    results = {"info": {"audio_native_config": {"tick_duration_seconds": 0.2}}}
    exports = {name.partition(".")[0]: _two_calls(name) for name in EXPORTS}
    return {
        "turns": {"turns.csv": rows.encode()},
        "turns in JSON": {"turns.jsonl": _lines(turns)},
        "records": {"calls.jsonl": _lines(records)},
        "tau2": {
            "results.json": _json(results),
            "simulations/a.json": _json(simulation),
            "simulations/b.json": _json({**simulation, "id": "t"}),
        },
        "eva": _eva_record("r1") | _eva_record("r2"),
        "eva histories": {"histories.json": _json([_history("h1"), _history("h2")])},
        "eva labels": {"labels.jsonl": _lines(_labelled())},
        **exports,
    }


def _two_calls(name: str) -> dict[str, bytes]:
    """Return two calls as a platform exports them, by file name."""
    text = export_text(name)
    return {f"{n}-{name}": text.replace("-1", f"-{n}").encode() for n in (1, 2)}


def _eva_record(name: str) -> dict[str, bytes]:
    """Return the files of one record: a question, an answer, a call of a tool."""
    start = 1_700_000_000_000

    def spoke(ms: int, kind: str, user: str) -> dict[str, Any]:
        at = {"timestamp": start + ms, "type": kind, "user": user}
        return {**at, "audio_timestamp": (start + ms) / 1000}

    events = [
        spoke(0, "audio_start", "simulated_user"),
        {"timestamp": start + 900, "type": "user_speech", "data": {"text": "A seat."}},
        spoke(1000, "audio_end", "simulated_user"),
        spoke(2000, "audio_start", "framework_agent"),
        spoke(3000, "audio_end", "framework_agent"),
        {
            "timestamp": start + 4000,
            "type": "connection_state",
            "data": {"state": "session_ended"},
        },
    ]
    audit = [
        {"timestamp": start + 1100, "message_type": "user", "value": "A seat."},
        {
            "timestamp": start + 1200,
            "message_type": "tool_call",
            "value": {"tool": "t"},
        },
        {"timestamp": start + 1900, "message_type": "assistant", "value": "Here."},
    ]
    said = [{"timestamp": start + 1950, "type": "tts_text", "value": "Here."}]
    result = {
        "record_id": name,
        "pipeline_type": "cascade",
        "conversation_ended_reason": "goodbye",
    }
    return {
        f"{name}/user_simulator_events.jsonl": _lines(events),
        f"{name}/pipecat_logs.jsonl": _lines(said),
        f"{name}/audit_log.json": _json({"transcript": audit}),
        f"{name}/result.json": _json(result),
    }


def _history(name: str) -> dict[str, Any]:
    history = [
        {
            "timestamp_ms": 1000 * n,
            "event_type": kind,
            "source": "events",
            "data": {"user": who},
        }
        | {"audio_timestamp": n}
        for n, kind, who in (
            *((1, "audio_start", "simulated_user"), (2, "audio_end", "simulated_user")),
            *(
                (3, "audio_start", "framework_agent"),
                (4, "audio_end", "framework_agent"),
            ),
        )
    ]
    return {"id": name, "pipeline_type": "s2s", "history": history}


def _labelled() -> list[dict[str, Any]]:
    trace = [
        {"event_type": "user_utterance", "text": "A seat.", "content": "A seat."},
        {"event_type": "tool_call", "tool_name": "t", "params": {"a": 1}},
        {"event_type": "agent_utterance", "text": "Here.", "content": "Here."},
    ]
    spoken = [
        {"role": "user", "content": "A seat."},
        {"role": "agent", "content": "Here."},
    ]
    spoken[1]["expected_rating"] = 2  # type: ignore[assignment]
    meant = [{"role": "assistant", "text": "Seat 4B.", "tts_critical_entities": ["4B"]}]
    entities = [
        {"turn_id": 0, "entities": [{"type": "seat", "value": "4B", "correct": True}]}
    ]
    return [
        {"trace": trace, "expected_rating": 3},
        {"conv_turns": spoken},
        {"intended_turns": meant, "expected_rating": 1, "transcript_id": "t"},
        {
            "user_tts": ["Seat 4B."],
            "transcription": ["Seat for B."],
            "labels": entities,
        },
    ]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(values: Sequence[Any]) -> bytes:
    return b"".join(_json(value) + b"\n" for value in values)


def _place(folder: Path, files: dict[str, bytes], data: bytes) -> None:
    """Write the files of a seed, one of them replaced by the input."""
    shutil.rmtree(folder, ignore_errors=True)
    wrong = list(files)[data[0] % len(files)] if data else ""
    for name, content in files.items():
        placed(folder / name, data[1:] if name == wrong else content)


def _seeds(files: dict[str, bytes]) -> list[bytes]:
    return [bytes([number]) + content for number, content in enumerate(files.values())]


def reader_of_calls(
    folder: Path, name: str, files: dict[str, bytes]
) -> tuple[Read, list[bytes]]:
    """Return a reader that measures calls, or names each with a reason.

    All figures must be JSON.
    """
    options = TurnsOptions(
        _LAYOUT.get(name, name), figures=FigureOptions(intervals=False)
    )

    def read(data: bytes, _: Path) -> None:
        _place(folder, files, data)
        (file,) = files if len(files) == 1 else ("",)
        report = time_turns(folder / file, options)
        for unread in report.unread:
            assert len(str(unread)) < 20_000
        json.dumps(report.record(), default=str, ensure_ascii=False).encode(
            "utf-8", "replace"
        )

    return read, _seeds(files)


#: Those that are called otherwise.
_LAYOUT = {"turns in JSON": "turns", "eva histories": "eva", "eva labels": "eva_labels"}


def reader_of_release(folder: Path, name: str) -> tuple[Read, list[bytes]]:
    """Return a reader that converts a benchmark and reads each item back."""
    made = datasets_made.MADE[name](folder / "seed")
    files = {
        str(path.relative_to(made)): path.read_bytes()
        for path in sorted(made.rglob("*"))
        if path.is_file()
    }

    def read(data: bytes, _: Path) -> None:
        _place(folder / "in", files, data)
        shutil.rmtree(folder / "out", ignore_errors=True)
        done = convert(name, folder / "in", folder / "out")
        for what, back in (("items", read_items), ("pairs", read_manifest)):
            if what in done.files:
                result = back(done.files[what])
                assert not result.problems, result.problems[0]
                assert len(result.items) == len(getattr(done.converted, what))

    return read, _seeds(files)


def _sound(data: bytes, folder: Path) -> None:
    for suffix in (".mov", ".webm"):
        path = folder / f"sound{suffix}"
        path.write_bytes(data)
        has_sound(path)
        seconds_of(path)
    heard(path)


def _review(path: Path) -> None:
    store = Store(path)
    try:
        store.set_first("x", "y")
        assert isinstance(store.secret, bytes)
    finally:
        store.close()


def _kept(path: Path) -> None:
    cache = ReplyCache(path)
    cache.get("k")
    cache.lease("k", "x")
    cache.close()
