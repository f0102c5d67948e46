"""MTalk-Bench (FreedomIntelligence): dialogues of speech, answered by several systems.

The repository has an object of three tiers, each a list of dialogues, each a list of
turns with ``question``, ``dialogue`` (system -> recording) and their transcriptions.
The full data, as the hub has them, are a row per recording: ``number, type`` (sem,
para, amb), ``turn, source`` (``question`` or a system), ``audio``. Those hold no words,
so an item is the recordings of its turns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError
from trace_eval.data import strict_json
from trace_eval.data.items import Pair, Single
from trace_eval.data.manifests import Problem
from trace_eval.data.urls import is_url
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.rows import (
    ColumnTypes,
    Row,
    Rows,
    alone,
    item_of,
    spoken_turns,
)

#: Name of a tier in the files -> its short name.
TIERS: Mapping[str, str] = {
    "Semantic information": "sem",
    "Paralinguistic information": "para",
    "Ambient sound": "amb",
}

_RECORD = re.compile(r"record_(\d+-\d+)")

#: Columns of a row of the hub.
_COLUMNS: ColumnTypes = {
    **dict.fromkeys(("number", "turn"), (int, str)),
    **dict.fromkeys(("type", "source"), str),
    "audio": (str, dict),
}

#: Who of the rows asks.
_QUESTION = "question"


def read_mtalk(source: Source, chosen: Selection) -> Converted:
    """Read dialogues: one item per dialogue and system, with all turns."""
    converted = Converted(rubrics=["mtalk-answer"])
    read = [tier for path in source.files("*.json") for tier in _tiers(source, path)]
    tables = [
        path for end in ("jsonl", "parquet", "csv") for path in source.files(f"*.{end}")
    ]
    here = () if tables else {TIERS[tier] for _, _, tier, _ in read}
    chosen.check_sets(TIERS.values(), here)
    if not read and not tables:
        raise source.lacks(f"a JSON object of tiers, e.g. {next(iter(TIERS))!r}")
    rows = Rows(source)
    converted.problems = rows.problems
    if tables:
        _add_rows(converted, rows, tables, chosen)
    if read:
        _add_tiers(converted, source, read, chosen)
    if chosen.system and not converted.items:
        others = read_mtalk(source, replace(chosen, system=None, pairs=None)).items
        chosen.check_system(item.system for item in others)
    converted.notes.append(
        "no figures: the authors release neither verdicts nor how they are counted"
    )
    if chosen.pairs is not None:
        _pairs(converted, chosen)
    return converted


def _add_tiers(
    result: Converted,
    source: Source,
    read: Sequence[tuple[Path, str, str, list[Any]]],
    chosen: Selection,
) -> None:
    """Add the dialogues of files with their words, and the recordings that are here."""
    counts: Counter[str] = Counter()
    for path, label, tier, dialogues in read:
        if not chosen.wants(TIERS[tier]):
            continue
        for number, dialogue in enumerate(dialogues):
            where = f"{label}, {tier}, dialogue {number}"
            with alone(result.problems, where):
                _add(
                    result,
                    source,
                    path=path,
                    tier=(TIERS[tier], where),
                    dialogue=dialogue,
                    chosen=chosen,
                    counts=counts,
                )
    answers = counts["answers"]
    result.notes.append(
        f"{counts['dialogues']} dialogues of {counts['turns']} turns in all, {answers}"
        f" answers of {len({item.system for item in result.items})} systems;"
        f" {counts['recordings']} of their recordings are here"
    )
    if counts["recordings"] < answers:
        result.notes.append(
            "where recordings are missing, an item is the last answer's words with the"
            " dialogue before it as context"
        )


def _tiers(source: Source, path: Path) -> Iterator[tuple[Path, str, str, list[Any]]]:
    label = source.name(path)
    try:
        value = strict_json.read_file(path)
    except (OSError, strict_json.BadJson) as error:
        raise InputError(
            f"{label}: cannot be read ({error}); fetch it again"
        ) from error
    for name in TIERS:
        dialogues = value.get(name) if isinstance(value, dict) else None
        if dialogues is None:
            continue
        if not isinstance(dialogues, list):
            raise InputError(f"{label}: {name}: expected a list of dialogues")
        yield path, label, name, dialogues


def _add(
    result: Converted,
    source: Source,
    path: Path,
    tier: tuple[str, str],
    dialogue: Any,
    chosen: Selection,
    counts: Counter[str],
) -> None:
    turns = _checked(dialogue)
    match = _RECORD.search(turns[0]["question"])
    number = match[1] if match else str(counts["dialogues"])
    systems = []
    for name in turns[0]["dialogue_transcription"]:
        if chosen.system in (None, name):
            systems.append(name)
    counts["dialogues"] += 1
    counts["turns"] += len(turns)
    questions = [_place(source, path, turn["question"]) for turn in turns]
    for system in systems:
        words = [turn["dialogue_transcription"].get(system) for turn in turns]
        if lost := [
            n for n, text in enumerate(words, start=1) if not isinstance(text, str)
        ]:
            problem = (
                f"{system} has no transcription of turn {lost[0]}; its answers are left"
                " out"
            )
            result.problems.append(Problem(tier[1], problem))
            continue
        answers = [
            _place(source, path, turn.get("dialogue", {}).get(system)) for turn in turns
        ]
        counts["answers"] += len(turns)
        counts["recordings"] += sum(place is not None for place in answers)
        texts = [
            (turn["question_transcription"], t)
            for turn, t in zip(turns, words, strict=True)
        ]
        before = "\n".join(
            f"user: {asks}\nassistant: {text}" for asks, text in texts[:-1]
        )
        is_complete = None not in questions + answers
        result.items.append(
            item_of(
                f"{tier[0]}-{number}/{system}",
                texts[-1][0],
                words[-1],
                turns=spoken_turns(questions, answers) if is_complete else (),
                question_id=f"{tier[0]}-{number}",
                context=before or None,
                system=system,
                category=tier[0],
                meta={"turns": [{"user": asks, system: text} for asks, text in texts]},
            )
        )


def _place(source: Source, path: Path, name: object) -> Path | str | None:
    """Find a recording where the file says, or in the repository's ``static/audio``."""
    if not isinstance(name, str) or not name:
        return None
    recording = source.recording(path.parent, name)
    if recording is None:
        recording = source.recording(
            source.folder / "static" / "audio", Path(name).name
        )
    return recording


def _checked(dialogue: Any) -> list[dict[str, Any]]:
    if not isinstance(dialogue, list) or not dialogue:
        raise InputError(f"expected a list of turns, got {dialogue!r:.60}")
    for number, turn in enumerate(dialogue, start=1):
        for name, kind in (
            ("question", str),
            ("question_transcription", str),
            ("dialogue_transcription", dict),
        ):
            if not isinstance(turn, dict) or not isinstance(turn.get(name), kind):
                raise InputError(
                    f"turn {number} has no {name!r}; is it the released file?"
                )
        if not isinstance(turn.get("dialogue", {}), dict):
            raise InputError(
                f"turn {number}, dialogue: expected an object of recordings"
            )
    return dialogue


def _pairs(result: Converted, chosen: Selection) -> None:
    """Pair systems on one dialogue, where their last answers are recordings."""
    groups: dict[str, list[Single]] = {}
    for item in result.items:
        groups.setdefault(item.question_id or item.id, []).append(item)
    lost = 0
    for name, members in groups.items():
        for one, other in combinations(members, 2):
            if chosen.pairs not in ("all", one.system, other.system):
                continue
            if not (one.answer.turns and other.answer.turns):
                lost += 1
                continue
            a, b = (
                {
                    **item.answer.turns[-1].model_dump(include={"audio", "url"}),
                    "system": item.system,
                }
                for item in (one, other)
            )
            names = {
                "id": f"{name}/{one.system}/{other.system}",
                "instruction_id": name,
            }
            facts = {"instruction": one.instruction, "category": one.category}
            result.pairs.append(Pair.model_validate({**names, **facts, "a": a, "b": b}))
    if lost:
        result.notes.append(f"{lost} pairs have no recordings here and were left out")


def _add_rows(
    result: Converted, rows: Rows, paths: Sequence[Path], chosen: Selection
) -> None:
    """Add dialogues of every system whose turns are all there; others are noted."""
    dialogues: dict[str, dict[str, dict[int, Path | str]]] = {}
    tiers: dict[str, str] = {}
    for path in paths:
        for row in rows.read(path, _COLUMNS):
            if not chosen.wants(row["type"]):
                continue
            name = f"{row['type']}-{row['number']}"
            tiers[name] = row["type"]
            turns = dialogues.setdefault(name, {}).setdefault(row["source"], {})
            try:
                turn, place = int(row["turn"]), _recording(rows.source, path, row)
            except (UserError, ValueError) as error:
                rows.tell(row, str(error))
                continue
            if turn in turns:
                rows.tell(
                    row,
                    f"turn {turn} of {name} by {row['source']} is in an earlier row",
                )
                continue
            turns[turn] = place
    before = len(result.items)
    for name, sources in dialogues.items():
        questions = sources.get(_QUESTION, {})
        for system, answers in sources.items():
            if system == _QUESTION or chosen.system not in (None, system):
                continue
            if not questions or questions.keys() != answers.keys():
                note = (
                    f"{name}: turns of {system} and of the questions differ; left out"
                )
                result.notes.append(note)
                continue
            order = sorted(questions)
            with alone(result.problems, f"{name} by {system}"):
                item = item_of(
                    f"{name}/{system}",
                    {"audio": questions[order[-1]]},
                    None,
                    turns=spoken_turns(
                        [questions[n] for n in order], [answers[n] for n in order]
                    ),
                    question_id=name,
                    system=system,
                    category=tiers[name],
                )
                result.items.append(item)
    result.notes.append(
        f"{len(dialogues)} dialogues as rows of the hub, {len(result.items) - before}"
        " with the recordings of a system; they hold no transcriptions"
    )


def _recording(source: Source, path: Path, row: Row) -> Path | str:
    """Find the recording of a row of the hub."""
    name = row["audio"]
    if not isinstance(name, str) or not name:
        raise InputError(
            "holds no recording; expected the path of one, or its bytes in Parquet"
        )
    if is_url(name):
        return name
    recording = source.recording(path.parent, name)
    if recording is None:
        raise InputError(f"recording {name!r:.80} is not here")
    return recording
