"""What readers must know of a run's recordings, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blueprints import Blueprint, counted
from trace_eval.data import jsonl, strict_json
from trace_eval.data.items import Item
from trace_eval.runs.formats import formats_line
from trace_eval.runs.guesses import guesses_of
from trace_eval.runs.run import Run

#: Groups of a blueprint that the findings are about.
_GROUPS = {"transcript", "signal", "rate"}


def findings_among(blueprints: Iterable[Blueprint], items: Iterable[Item]) -> list[str]:
    """Return findings on clips, by their blueprints, and on items' recordings."""
    records = [one.model_dump(mode="json", include=_GROUPS) for one in blueprints]
    return _findings(records, items)


def findings_in(run: Run) -> list[str]:
    """Return findings on a run's clips by its file, without building contours."""
    path = run.path("blueprints.jsonl")
    records = {}
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        records[record["clip"]] = {name: record.get(name) for name in _GROUPS}
    return _findings(list(records.values()), run.items())


def _findings(records: Sequence[Mapping[str, Any]], items: Iterable[Item]) -> list[str]:
    signals = [record.get("signal") or {} for record in records]
    lines = [guesses_of(records).line, formats_line(items)]
    if clips := sum(signal.get("cut") is not None for signal in signals):
        lines.append(
            f"the files of {clips} of {counted(len(records), 'clip')} lack their end"
            " (signal.cut), and no verdict rests on them; copy them again"
        )
    if clips := sum(signal.get("taken_channel") is not None for signal in signals):
        lines.append(
            f"{clips} of {counted(len(records), 'clip')}"
            f" {'was' if clips == 1 else 'were'} heard by one channel alone"
            " (signal.taken_channel), because the channels cancel each other in a mix;"
            " mend the phase where the sound is made"
        )
    return [line for line in lines if line]
