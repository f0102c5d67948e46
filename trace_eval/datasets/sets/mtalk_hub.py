"""The full data of MTalk-Bench as its hub has them: a row per recording of a dialogue.

``number, type`` (sem, para, amb), ``turn, source`` (``question`` or a system), ``audio``. The rows
hold no words, so an item is the recordings of its turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from blueprints import UserError
from trace_eval.data.answers import Answer, Instruction, Turn
from trace_eval.data.items import Single
from trace_eval.data.urls import is_url
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.rows import Columns, Row, Rows, alone

COLUMNS: Columns = {"number": (int, str), "type": str, "turn": (int, str), "source": str}

#: Who of the rows asks.
QUESTION = "question"

#: Turn -> its recording.
_Turns = dict[int, Path | str]


def add_rows(result: Converted, rows: Rows, paths: Sequence[Path], chosen: Selection) -> None:
    """Dialogues of every system whose turns are all there; others are told."""
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
        _add(result, name, tiers[name], sources, chosen)
    result.notes.append(
        f"{len(dialogues)} dialogues as rows of the hub, {len(result.items) - before} with the"
        " recordings of a system; they hold no transcriptions"
    )


def _add(
    result: Converted,
    name: str,
    tier: str,
    sources: Mapping[str, _Turns],
    chosen: Selection,
) -> None:
    requested = sources.get(QUESTION, {})
    for system, said in sources.items():
        if system == QUESTION or chosen.system not in (None, system):
            continue
        if not requested or requested.keys() != said.keys():
            result.notes.append(f"{name}: turns of {system} and of the questions differ; left out")
            continue
        last = requested[max(requested)]
        with alone(result.problems, f"{name} by {system}"):
            turns = tuple(
                Turn.model_validate({"audio": place, "speaker": speaker})
                for turn in sorted(requested)
                for place, speaker in ((requested[turn], "user"), (said[turn], "assistant"))
            )
            result.items.append(
                Single(
                    id=f"{name}/{system}",
                    question_id=name,
                    instruction=Instruction.model_validate({"audio": last}),
                    answer=Answer(turns=turns),
                    system=system,
                    category=tier,
                )
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
