"""The rows of a benchmark's files, and the items and scores that readers make of them.

They are read strictly: a bad row costs itself and is reported.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blueprints import InputError, UserError
from trace_eval.data.answers import Answer, Instruction, RecordedTurn
from trace_eval.data.csv_cells import EmptyTable
from trace_eval.data.items import Single
from trace_eval.data.manifests import Problem
from trace_eval.data.outcome import Reason
from trace_eval.data.records import first_problem, is_audio_cell, is_json, resolve_audio
from trace_eval.data.scores import Score
from trace_eval.data.tables import begins, records
from trace_eval.datasets.base import Source

#: What a column must hold: a type, or several; None among them where the value may be
#: null.
ColumnTypes = Mapping[str, type | tuple[type, ...]]

#: A column that may hold anything.
ANY = object

#: What no text of a benchmark holds: no path has a NUL, and nobody says so many digits
#: in a row.
_IMPOSSIBLE = re.compile(r"\0|\d{4301}")

_WORDS = {
    str: "a text",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True)
class Row:
    """One row and where it stands."""

    where: str
    record: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.record[key]

    def get(self, key: str) -> Any:
        """Return a column, or None if it is missing."""
        return self.record.get(key)

    def text(self, key: str) -> str | None:
        """Return a column that holds text, or None."""
        value = self.record.get(key)
        return value if isinstance(value, str) else None

    def rest(self, *used: str) -> dict[str, Any]:
        """Return the other columns that hold something, for ``meta``."""
        rest: dict[str, Any] = {}
        for name, value in self.record.items():
            if name in used or value in (None, ""):
                continue
            if is_json(value):
                rest[name] = value
        return rest


class Rows:
    """Reads files of one source and collects the errors of their rows."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def read(
        self, path: Path, columns: ColumnTypes, key: str | None = None
    ) -> list[Row]:
        """Read rows of JSON lists, JSON lines (whatever the suffix), CSV or Parquet.

        Of a column of recordings that a Parquet file embeds, the row has where they
        were put.

        Args:
            columns: what each row must have; more is kept.
            key: the column whose value is unique.

        Raises:
            UserError: the file is empty, is none of these, or no row has a column that
                is needed.
        """
        label = self.source.name(path)
        rows: list[Row] = []
        seen: dict[str, str] = {}
        missing: Counter[str] = Counter()
        count = 0
        for where, record in self._records(path, label):
            count += 1
            problem = (
                record if isinstance(record, str) else _wrong(record, columns, missing)
            )
            if isinstance(record, dict) and problem is None:
                value = where if key is None else record.get(key)
                if (first := seen.setdefault(repr(value), where)) == where:
                    rows.append(Row(where, record))
                    continue
                problem = f"{key} {value!r:.60} is also at {first}; keep one"
            self.problems.append(Problem(where, str(problem)))
        if not rows:
            why = self.problems[-1].what if count else "is empty"
            if column := next(
                (name for name, n in missing.items() if n == count), None
            ):
                why = f"no row has {column!r}"
            raise InputError(f"{label}: {why}; expected rows with {', '.join(columns)}")
        return rows

    def tell(self, row: Row, what: str) -> None:
        """Record the error of a row."""
        self.problems.append(Problem(row.where, what))

    def _records(
        self, path: Path, label: str
    ) -> Iterator[tuple[str, dict[str, Any] | str]]:
        suffix = path.suffix.lower()
        if suffix not in (".parquet", ".csv"):
            suffix = ".json" if begins(path, b"[") else ".jsonl"
        with suppress(EmptyTable):
            for where, row in records(path, label, suffix=suffix):
                if suffix == ".parquet" and isinstance(row, dict):
                    row = {name: self._placed(cell) for name, cell in row.items()}
                yield where, row

    def _placed(self, cell: Any) -> Any:
        """Return a cell; for an embedded recording, the path of the file it is in."""
        if not is_audio_cell(cell):
            return cell
        held: dict[str, Any] = {"audio": cell}
        # Without a place for recordings nothing is written, and the name stays.
        spill = self.source.spill or (lambda _, name: Path(name or "recording"))
        resolve_audio(held, self.source.root, spill)
        return None if held.get("audio") is None else str(held["audio"])


@contextmanager
def alone(problems: list[Problem], where: str) -> Iterator[None]:
    """Turn an error about one record into a problem that costs this record alone."""
    try:
        yield
    except ValidationError as error:
        problems.append(Problem(where, first_problem(error)))
    except UserError as error:
        problems.append(Problem(where, str(error)))


def _wrong(
    record: Mapping[str, Any], columns: ColumnTypes, missing: Counter[str]
) -> str | None:
    """Describe what is wrong with a row, and count the columns that it lacks."""
    problem = None
    for name, kinds in columns.items():
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        if name not in record:
            missing[name] += 1
            problem = (
                problem or f"has no {name!r}; found {', '.join(map(str, record))[:80]}"
            )
        elif not _fits(record[name], kinds):
            wanted = _WORDS.get(kinds[0], "another value")
            problem = problem or f"{name}: expected {wanted}, got {record[name]!r:.60}"
    for name, value in record.items():
        if isinstance(value, str) and (result := _IMPOSSIBLE.search(value)):
            what = "a NUL" if result[0] == "\0" else "more than 4,300 digits in a row"
            problem = problem or f"{name:.60}: has {what}; mend it"
    return problem


def _fits(value: object, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds or ANY in kinds
    return isinstance(value, kinds)


@dataclass(frozen=True)
class AuthorsRule:
    """A rule of a benchmark's authors, by the name of what it scores."""

    name: str
    words: str  # what it asks for
    judge: str  # authors/NAME/RULE@COMMIT

    def score(
        self,
        item: str,
        system: str | None,
        value: float | None,
        detail: str = "",
        caveats: Sequence[str] = (),
    ) -> Score:
        """Make the score of one answer; if None, ``detail`` says why it is unscored."""
        digest = hashlib.sha256(self.words.encode()).hexdigest()
        read = value is not None
        unread: dict[str, Any] = {}
        if not read:
            unread = {"reason": Reason.UNPARSEABLE, "detail": detail}
        return Score(
            item=item,
            system=system,
            rubric=self.name,
            judge=self.judge,
            rubric_sha256=digest,
            status="scored" if read else "unscored",
            value=value,
            used=int(read),
            samples=int(read),
            caveats=list(caveats),
            **unread,
        )


def item_of(
    name: str,
    question: str | Mapping[str, Any] | None,
    text: str | None,
    audio: Path | str | None = None,
    reference: str | None = None,
    turns: Sequence[RecordedTurn] = (),
    **more: Any,
) -> Single:
    """Return one answer with its question.

    Args:
        question: the words of the request, or fields of an instruction.
        text: the words of the answer; None, and there is no recording: it has none.
        reference: the right answer; None or "": none is there.
        turns: recordings of a dialogue.
    """
    words = "" if text is None and audio is None and not turns else text
    fields = {"text": words, "audio": audio, "turns": turns or None}
    answer = {key: value for key, value in fields.items() if value is not None}
    if not isinstance(question, Mapping):
        question = {"text": question}
    return Single(
        id=name,
        instruction=Instruction.model_validate(question),
        reference=(reference,) if reference else (),
        answer=Answer.model_validate(answer),
        **more,
    )


def spoken_turns(
    questions: Sequence[Path | str | None], answers: Sequence[Path | str | None]
) -> tuple[RecordedTurn, ...]:
    """Return the recordings of a dialogue as turns of the user and the assistant."""
    turns: list[RecordedTurn] = []
    for question, answer in zip(questions, answers, strict=True):
        for place, speaker in ((question, "user"), (answer, "assistant")):
            turn = RecordedTurn.model_validate({"audio": place, "speaker": speaker})
            turns.append(turn)
    return tuple(turns)
