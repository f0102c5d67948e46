"""The full data of MTalk-Bench as its hub has them: a row per recording of a dialogue.

``number, type`` (sem, para, amb), ``turn, source`` (``question`` or a system), ``audio``. The rows
hold no words, so an item is the recordings of its turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blueprints import UserError
from trace_eval.data.urls import is_url
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.records import item_of, spoken_turns
from trace_eval.datasets.rows import Columns, Row, Rows, alone

COLUMNS: Columns = {"number": (int, str), "type": str, "turn": (int, str), "source": str}

#: Who of the rows asks.
QUESTION = "question"

#: Turn -> its recording.
_Turns = dict[int, Path | str]


def add_rows(result: Converted, rows: Rows, paths: Sequence[Path], chosen: Selection) -> None:
    """Dialogues of every system whose turns are all there; others are noted."""
    dialogues: dict[str, dict[str, _Turns]] = {}
    tiers: dict[str, str] = {}
    for path in paths:
        for row in rows.read(path, {**COLUMNS, "audio": (str, dict)}):
            if not chosen.wants(row["type"]):
                continue
            name = f"{row['type']}-{row['number']}"
            tiers[name] = row["type"]
            turns = dialogues.setdefault(name, {}).setdefault(row["source"], {})
            try:
                turn, place = int(row["turn"]), _place(rows, path, row)
            except (UserError, ValueError) as error:
                rows.tell(row, str(error))
                continue
            if turn in turns:
                rows.tell(row, f"turn {turn} of {name} by {row['source']} is in an earlier row")
                continue
            turns[turn] = place
    before = len(result.items)
    for name, sources in dialogues.items():
        questions = sources.get(QUESTION, {})
        for system, answers in sources.items():
            if system == QUESTION or chosen.system not in (None, system):
                continue
            if not questions or questions.keys() != answers.keys():
                note = f"{name}: turns of {system} and of the questions differ; left out"
                result.notes.append(note)
                continue
            order = sorted(questions)
            with alone(result.problems, f"{name} by {system}"):
                item = item_of(
                    f"{name}/{system}",
                    {"audio": questions[order[-1]]},
                    None,
                    turns=spoken_turns([questions[n] for n in order], [answers[n] for n in order]),
                    question_id=name,
                    system=system,
                    category=tiers[name],
                )
                result.items.append(item)
    result.notes.append(
        f"{len(dialogues)} dialogues as rows of the hub, {len(result.items) - before} with the"
        " recordings of a system; they hold no transcriptions"
    )


def _place(rows: Rows, path: Path, row: Row) -> Path | str:
    """The recording of a row, where it is."""
    name = row["audio"]
    if not isinstance(name, str) or not name:
        raise UserError("holds no recording; expected the path of one, or its bytes in Parquet")
    if is_url(name):
        return name
    here = rows.source.recording(path.parent, name)
    if here is None:
        raise UserError(f"recording {name!r:.80} is not here")
    return here
