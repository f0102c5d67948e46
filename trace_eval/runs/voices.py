"""Whether each system of a run keeps its voice over its answers."""

from __future__ import annotations

from collections import defaultdict

from blueprints import Blueprint, UserError
from trace_eval.data import jsonl, strict_json
from trace_eval.data.files import is_file
from trace_eval.data.measures.pair import SPEAKER
from trace_eval.data.measures.voice import (
    SystemVoice,
    Voice,
    likeness_to_others,
    system_voices,
    voice_of,
)
from trace_eval.opinions.opinions import SIDE_NAMES
from trace_eval.runs.answers import decoded_answers
from trace_eval.runs.run import Run

#: Column of the likeness of an answer to the others of its system.
LIKENESS = "speaker.likeness_to_others"

#: Of a blueprint, what a voice is compared by.
_PARTS = ("clip", "signal", "provenance")


def voices_of(run: Run, names: tuple[str, str] = SIDE_NAMES) -> tuple[SystemVoice, ...]:
    """Return whether the voice of each system of a run changes from answer to answer.

    A clip that answers several questions counts once, under the first of them.

    Args:
        names: of systems that no pair names, by the place of their answers.

    Returns:
        A row for each system and bandwidth; none where no voice was measured.
    """
    if not _looks_for_voices(run):
        return ()
    voices = _by_clip(run)
    if not voices:
        return ()
    systems: dict[str, dict[str, Voice | str]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for answer in decoded_answers(run, names):
        place = answer.system, answer.clip
        if answer.clip in voices and place not in seen:
            seen.add(place)
            systems[answer.system][answer.item.id] = voices[answer.clip]
    return system_voices(systems)


def voices_of_folder(run: Run) -> tuple[SystemVoice, ...]:
    """Tell whether the voice changes among recordings of an ``extract`` folder."""
    return system_voices({"": _by_source(run)})


def likeness_by_source(run: Run) -> dict[str, float]:
    """Return how alike each recording is to others of its system, where known.

    In a folder of ``extract`` all recordings are of one system.
    """
    if not run.exists:
        return _known(_by_source(run))
    voices = _by_clip(run)
    if not voices:
        return {}
    systems: dict[str, dict[str, Voice | str]] = defaultdict(dict)
    for answer in decoded_answers(run, SIDE_NAMES):
        if answer.clip in voices:
            systems[answer.system][answer.clip] = voices[answer.clip]
    # A clip of two systems has the likeness to those of the first.
    by_clip: dict[str, float] = {}
    for answers in systems.values():
        by_clip = _known(answers) | by_clip
    by_source: dict[str, float] = {}
    for source, record in run.clips().items():
        if record.clip in by_clip:
            by_source[source] = by_clip[record.clip]
    return by_source


def _known(voices: dict[str, Voice | str]) -> dict[str, float]:
    known: dict[str, float] = {}
    for name, measure in likeness_to_others(voices).items():
        if measure.value is not None:
            known[name] = measure.value
    return known


def _looks_for_voices(run: Run) -> bool:
    """Tell by its record whether a run measures voices.

    Reading all the blueprints takes time.
    """
    try:
        return SPEAKER in run.record().extractors
    except UserError:  # of another version, which whoever reads more of it says
        return False


def _by_source(run: Run) -> dict[str, Voice | str]:
    by_clip = _by_clip(run)
    voices: dict[str, Voice | str] = {}
    for source, record in run.clips().items():
        if record.clip in by_clip:
            voices[source] = by_clip[record.clip]
    return voices


def _by_clip(run: Run) -> dict[str, Voice | str]:
    """Return the voice of every clip in which one was looked for."""
    path = run.path("blueprints.jsonl")
    voices: dict[str, Voice | str] = {}
    if not is_file(path):
        return voices
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        extensions = record.get("extensions") or {}
        if extensions.get(SPEAKER) is None:
            continue
        parts = {name: record[name] for name in _PARTS if record.get(name) is not None}
        parts["extensions"] = {SPEAKER: extensions[SPEAKER]}
        blueprint = Blueprint.model_validate(parts)
        voices[blueprint.clip] = voice_of(blueprint)
    return voices
