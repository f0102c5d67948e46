"""Solved examples that go before the question, and the checks on their file.

Each JSON line is a pair as in any manifest, with ``answer``: an object with the key of
the task (``{"label": "1"}``, ``{"match": true}``), and ``reasoning`` if there is any;
of several parts one label per dimension (``{"content": "1", "paralinguistics": "tie",
"voice_quality": "1"}``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from fusion import OffScale
from trace_eval.data.items import Pair
from trace_eval.data.manifests import read_manifest
from trace_eval.data.rubrics.pairs import LabelQuestion, PairRubric
from trace_eval.judges.read.labels import key_of, parse_label
from trace_eval.judges.views.examples.solved import (
    Examples,
    Solved,
    examples_of,
    local_sound,
)
from trace_eval.judges.views.sound.layout import Unit

_TYPED = ("content", "voice_quality", "paralinguistics")


def read_examples(path: Path, task: PairRubric, shots: int | None = None) -> Examples:
    """Read and check a file of examples; the first ``shots`` of them are shown.

    Raises:
        UserError: the file cannot be read, an answer is missing or off the task's
            labels, a recording cannot be decoded, there are fewer examples than shots,
            or two equal recordings are called different.
    """
    manifest = read_manifest(path)
    if manifest.problems:
        raise UserError(f"examples {manifest.problems[0]}")
    solved = [_example(path, pair, task) for pair in manifest.pairs]
    examples = examples_of(path, solved, shots)
    warnings = list(examples.warnings)
    for example in examples.shown:
        if len(example.answers) == 1:
            warnings.append(
                f"examples {path}, {example.item.id!r}: both recordings are the same"
            )
    return replace(examples, warnings=tuple(warnings))


def _example(path: Path, pair: Pair, task: PairRubric) -> Solved:
    where = f"examples {path}, {pair.id!r}"
    answer = pair.meta.get("answer")
    if not isinstance(answer, dict):
        key = "content" if task.is_typed else key_of(task.labels)
        raise UserError(f'{where}: has no answer; add e.g. "answer": {{"{key}": ...}}')
    a, b = local_sound(where, pair.a), local_sound(where, pair.b)
    spoken = None
    if task.wants_instruction and pair.instruction.has_audio:
        spoken = local_sound(where, pair.instruction)
    unit = Unit((a, b), spoken)
    reasoning = answer.get("reasoning")
    reason = reasoning.strip() if isinstance(reasoning, str) else ""
    has_several = len(task.parts) > 1
    labels: dict[str, dict[str, str]] = {}
    solutions: dict[str, tuple[str, str]] = {}
    for part in task.parts:
        labels[part.name] = _labels(where, part, answer, has_several)
        solutions[part.name] = _solution(part, labels[part.name], reason)
    if a.sha256 == b.sha256:
        _check_same(where, labels)
    reasons: dict[str, JsonValue] = dict.fromkeys(labels, reason) if reason else {}
    identity: list[JsonValue] = [sound.sha256 for sound in unit.sounds]
    identity.append(pair.instruction.text)
    identity.append({name: {**by_dimension} for name, by_dimension in labels.items()})
    identity.append(reasons)
    return Solved(item=pair, unit=unit, solutions=solutions, identity=identity)


def _check_same(where: str, labels: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse an answer that calls a recording different from itself.

    Raises:
        UserError: a label says so.
    """
    if any("false" in by_dimension.values() for by_dimension in labels.values()):
        raise UserError(
            f"{where}: both recordings are the same, and the answer calls them"
            " different; mend the record"
        )


def _labels(
    where: str, part: LabelQuestion, answer: Mapping[str, Any], several: bool
) -> dict[str, str]:
    """Return the labels of one part by dimension."""

    def stated(key: str, inner: str) -> Any:
        """Return the value of a key, which may be an object with the inner key."""
        if key not in answer:
            raise UserError(f"{where}: the answer has no {key!r}; add it")
        value = answer[key]
        return value.get(inner) if isinstance(value, Mapping) else value

    try:
        if part.is_typed:
            ratings = [stated(name, "rating") for name in _TYPED]
            labels = [str(part.labels.parse(rating)) for rating in ratings]
            return dict(zip(_TYPED, labels, strict=True))
        key = key_of(part.labels)
        label = stated(part.dimension if several else key, key)
        return {part.about: parse_label(label, part.labels)}
    except OffScale as error:
        raise UserError(f"{where}: answer: {error}; use one of these") from None


def _solution(
    part: LabelQuestion, labels: Mapping[str, str], reason: str
) -> tuple[str, str]:
    """Write the reply that solves one part, as JSON, and its label in words."""
    reply: dict[str, Any] = {}
    if part.is_typed:
        for name, label in labels.items():
            reply[name] = {"rating": label}
        words = [f"{name} {label}" for name, label in labels.items()]
        return json.dumps(reply), ", ".join(words)
    (label,) = labels.values()
    if reason:
        reply["reasoning"] = reason
    reply[key_of(part.labels)] = part.labels.json(label)
    return json.dumps(reply), label
