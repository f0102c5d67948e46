"""What Label Studio's JSON export holds of tasks, by an annotator who keeps all regions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def turns_of(task: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """Number of a turn, which its note begins with -> its ready-made region."""
    (prediction,) = task["predictions"]
    return {int(one["meta"]["text"][0].partition(":")[0]): one for one in prediction["result"]}


def in_region(region: Mapping[str, Any], field: str, **said: Any) -> dict[str, Any]:
    """What was said of a region: an entry with its id and place."""
    place = {name: region["value"][name] for name in ("start", "end", "channel")}
    kind = {"choices": "choices", "text": "textarea"}[next(iter(said))]
    entry = {"id": region["id"], "from_name": field, "to_name": region["to_name"], "type": kind}
    return {**entry, "original_length": region["original_length"], "value": {**place, **said}}


def annotation(result: list[Any], who: Any = 7) -> dict[str, Any]:
    """A finished annotation."""
    return {"id": 1, "completed_by": who, "was_cancelled": False, "result": result}


def rated(task: Mapping[str, Any], scores: Mapping[int, Any], who: Any = 7) -> dict[str, Any]:
    """A task with one annotation that makes these choices for turns, and says so in words."""
    result = []
    for number, region in turns_of(task).items():
        result.append({**region, "origin": "prediction"})
        if number in scores:
            result.append(in_region(region, "score", choices=[scores[number]]))
            result.append(in_region(region, "comment", text=[f"=turn {number}"]))
    return {"id": 3, **task, "annotations": [annotation(result, who)]}


def events_of(task: Mapping[str, Any]) -> dict[tuple[str, float], dict[str, Any]]:
    """Kind and start in the sound -> the ready-made region of an event."""
    (prediction,) = task["predictions"]
    found = {}
    for one in prediction["result"]:
        (kind,) = one["value"]["labels"]
        found[kind, round(one["value"]["start"], 2)] = one
    return found
