"""tau2-bench simulations: who speaks in each tick of a simulated call.

A folder with ``results.json`` and ``simulations/*.json``, a folder of such folders (one
per domain), a folder of simulations, or one simulation. Time is tick number x tick
length; the ``timestamp`` of a tick is when the simulator computed it and is not used.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import InputError
from trace_eval.conversations.layouts.base import (
    USER_AND_AGENT,
    CallLayout,
    ReadCalls,
    Unread,
    json_file,
    listed,
    mapping,
    one,
    place,
    text_of,
)
from trace_eval.conversations.layouts.recordings import recordings_of, with_recordings
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.spans import runs
from trace_eval.data.conversation import (
    Clock,
    Conversation,
    ConversationItem,
    End,
    SourceEvent,
    Turn,
)

#: Length of a tick where the source states none, seconds.
TICK_S = 0.2


def fits(path: Path) -> bool:
    """Tell whether a folder has ``simulations``, or a file has ``ticks``."""
    if path.is_dir():
        first_files = sorted(path.glob("*.json"))[:3]
        return bool(_experiments(path)) or any(map(_has_ticks, first_files))
    return path.suffix == ".json" and _has_ticks(path)


def _has_ticks(path: Path) -> bool:
    """Tell whether a file names ticks of a user and an agent.

    Its text is searched, not parsed.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text,
    ):
        return text.find(b'"ticks"') >= 0 and text.find(b'"user_chunk"') >= 0


def _experiments(path: Path) -> list[Path]:
    """List the folders that hold the results of one domain."""
    here = [path, *sorted(child for child in path.iterdir() if child.is_dir())]
    return [folder for folder in here if (folder / "simulations").is_dir()]


def read(path: Path, options: ReadOptions) -> ReadCalls:
    """Read every simulation below a path."""
    if path.is_file():
        yield from _of_file(path, _info(path.parent), options)
        return
    for folder in _experiments(path) or [path]:
        inside = folder / "simulations"
        if not inside.is_dir():
            inside = folder
        info = _info(folder)
        for file in sorted(inside.glob("*.json")):
            if file.name != "results.json":
                yield from _of_file(file, info, options)


def _info(folder: Path) -> dict[str, Any]:
    """Read the facts of an experiment.

    They stand in ``results.json`` in its folder or the one above.
    """
    for file in (folder / "results.json", folder.parent / "results.json"):
        if file.is_file():
            return mapping(mapping(json_file(file)).get("info"))
    return {}


def _of_file(
    path: Path, info: dict[str, Any], options: ReadOptions
) -> Iterator[ConversationItem | Unread]:
    value = one(str(path), partial(json_file, path))
    if isinstance(value, Unread):
        yield value
        return
    simulations = mapping(value).get("simulations")
    if isinstance(simulations, list):  # results and simulations in one file
        info = mapping(mapping(value).get("info"))
    else:
        simulations = [value]
    for number, simulation in enumerate(simulations):
        name = f"{path.stem}-{number}" if number else path.stem
        item = one(str(path), partial(conversation, simulation, info, name))
        if not isinstance(item, Unread):
            item = with_recordings(item, recordings_of(item.id, path.parent, options))
        yield item


def conversation(simulation: Any, info: dict[str, Any], name: str) -> ConversationItem:
    """Read one simulation, with its experiment's ``info``.

    Raises:
        UserError: it is none.
    """
    if not isinstance(simulation, dict):
        raise InputError(f"expected a simulation (got {simulation!r:.60})")
    ticks = listed(simulation.get("ticks"), "ticks")
    if not all(isinstance(tick, dict) for tick in ticks):
        raise InputError("ticks: expected a list of objects")
    domain = text_of(place(info, ("environment_info.domain_name",)))
    voice_model = text_of(place(info, ("audio_native_config.model",)))
    text_model = text_of(place(info, ("agent_info.llm",)))
    length, caveats = _tick_length(ticks, info)
    clock = Clock(kind="ticks", resolution_s=length)
    start_s: float | None = 0.0
    end_s: float | None = len(ticks) * length
    if not ticks:
        clock = Clock(kind="none")
        start_s = None
        end_s = None
        caveats = ("no ticks: a simulation of text, so there is no clock",)
    turns = sorted(_turns(ticks, length), key=lambda turn: turn.start_s or 0.0)
    reason = text_of(simulation.get("termination_reason"))
    return ConversationItem(
        id=str(simulation.get("id") or name),
        question_id=_question(simulation.get("task_id"), domain),
        system=voice_model or text_model,
        conversation=Conversation(
            speakers=USER_AND_AGENT,
            clock=clock,
            turns=tuple(turns),
            events=tuple(_events(ticks, length)),
            start_s=start_s,
            end=End(at_s=end_s, reason=reason),
            meta={} if domain is None else {"domain": domain},
        ),
        caveats=caveats,
    )


def _question(task: Any, domain: str | None) -> str | None:
    if task is None:
        return None
    return str(task) if domain is None else f"{domain}/{task}"


def _tick_length(
    ticks: list[dict[str, Any]], info: dict[str, Any]
) -> tuple[float, tuple[str, ...]]:
    value = place(info, ("audio_native_config.tick_duration_seconds",))
    if value is None and ticks:
        value = ticks[0].get("tick_duration_seconds")
    if value is None:
        return TICK_S, (f"no tick length is stated, so it is taken as {TICK_S:g} s",)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.001 < value < 60:
        raise InputError(f"tick_duration_seconds: expected seconds (got {value!r:.60})")
    return float(value), ()


def _speaks(tick: dict[str, Any], side: str) -> bool:
    value = mapping(tick.get(side)).get("contains_speech")
    if value is not None and not isinstance(value, bool):
        raise InputError(
            f"{side}.contains_speech: expected true or false (got {value!r:.60})"
        )
    return bool(value)


def _turns(ticks: list[dict[str, Any]], length: float) -> Iterator[Turn]:
    """Yield runs of ticks with speech."""
    for speaker in ("user", "agent"):
        speaks = [_speaks(tick, f"{speaker}_chunk") for tick in ticks]
        for first, last in runs(np.array(speaks, bool)):
            start = first * length
            end = last * length
            segments = ((start, end),)
            yield Turn(speaker=speaker, start_s=start, end_s=end, segments=segments)


def _events(ticks: list[dict[str, Any]], length: float) -> list[SourceEvent]:
    """Return backchannels and inserted sounds of the user.

    Neighbouring equal ones are one.
    """
    labels = [list(_labels(tick)) for tick in ticks]
    events = []
    for label in dict.fromkeys(chain.from_iterable(labels)):
        kind, text, file = label
        data: dict[str, Any] = {}
        if text:
            data["text"] = text
        if file:
            data["file"] = file
        has_label = np.array([label in here for here in labels])
        for first, last in runs(has_label):
            event = SourceEvent(
                kind=kind, at_s=first * length, end_s=last * length, data={**data}
            )
            events.append(event)
    return sorted(events, key=lambda event: event.end_s or 0.0)


def _labels(tick: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    chunk = mapping(tick.get("user_chunk"))
    if mapping(chunk.get("turn_taking_action")).get("action") == "backchannel":
        yield "backchannel", "", ""
    in_speech = mapping(chunk.get("speech_effects"))
    of_source = mapping(chunk.get("source_effects"))
    file = Path(text_of(of_source.get("burst_noise_file")) or "").name
    for effects, name in ((in_speech, ""), (of_source, file)):
        insert = mapping(effects.get("speech_insert"))
        if insert:
            kind = "vocal_tic" if insert.get("type") == "vocal_tic" else "non_directed"
            yield kind, text_of(insert.get("text")) or "", name


TAU2 = CallLayout(
    name="tau2", about="simulations of tau2-bench, by ticks", fits=fits, read=read
)
