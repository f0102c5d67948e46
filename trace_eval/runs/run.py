"""A run: a folder that holds everything one judging produced, and can be continued.

========================  ==============================================================
``manifest.json``         what ran: options, versions, models, times (replaced as a whole);
                          see :class:`trace_eval.runs.record.RunRecord`
``pairs.jsonl``           the pairs, with absolute paths or URLs
``places.jsonl``          of a shard: the place of each pair in the whole manifest, from 0
``problems.jsonl``        records of the input that are not pairs
``clips.jsonl``           per recording: its clip hash, or why it has none (appended)
``blueprints.jsonl``      per distinct clip: its blueprint (appended)
``measures.jsonl``        per pair that has any: error rates, speaker similarity (appended)
``judgements.jsonl``      per pair: its judgement; the last line of a pair counts (appended)
``spending.jsonl``        per call to a model: what it may cost, then what it did (appended)
``overall.jsonl``         per pair: the fused rating (replaced by every ``fuse``)
``results.csv``           the table of all items, for spreadsheets (replaced as well)
``policies/NAME/``        the same two of policies that the run was fused with before
``items.jsonl``           of ``rate``, instead of the pairs: the single answers
``turns.jsonl``           per conversation: turns, events and findings (replaced as a whole)
``scores.jsonl``          of ``rate``: a score per item and rubric; the last line of both counts
========================  ==============================================================
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from blueprints import Blueprint, Strict, UserError, require
from trace_eval.data import (
    Judgement,
    Manifest,
    Outcome,
    Overall,
    Pair,
    Score,
    Single,
    jsonl,
    lock,
    make_folder,
    strict_json,
)
from trace_eval.measures import PairMeasures
from trace_eval.rubrics import ScaleSpec
from trace_eval.runs.outcomes import ClipRecord, ProblemRecord, ScoreRow, VerdictRow
from trace_eval.runs.record import RunRecord

if TYPE_CHECKING:
    import pandas as pd

Record = TypeVar("Record", bound=Strict)


#: Files that grow line by line.
APPENDED = ("clips", "blueprints", "measures", "judgements", "scores", "spending")

#: Where outcomes of a kind are kept.
_FILE_OF: dict[type[Outcome], str] = {Judgement: "judgements", Score: "scores"}

log = logging.getLogger(__name__)


class Run:
    """Handle on a run folder. Reading needs no lock; use ``with`` to write.

    Raises:
        UserError: the folder is no run, or (``with``) somebody else is writing to it.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._lock: Any = None
        self._made = False

    def path(self, name: str) -> Path:
        """A file of the run."""
        return self.folder / name

    @property
    def exists(self) -> bool:
        """True once its record was written."""
        return self.path("manifest.json").is_file()

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """An existing run, for reading."""
        run = cls(folder)
        folder = run.folder
        if not folder.is_dir():
            raise UserError(f"{folder}: no such run; trace-eval runs lists those under runs/")
        if not run.exists:
            raise UserError(f"{folder}: no run here (no manifest.json); name a --out of judge")
        for path in run.torn():
            log.warning(
                "%s: its last line is broken and left out; the same command as before"
                " makes it again",
                path,
            )
        return run

    def torn(self) -> list[Path]:
        """Files whose writer was killed, or ran out of disk, in their last line."""
        return [path for name in APPENDED if jsonl.is_torn(path := self.path(f"{name}.jsonl"))]

    def __enter__(self) -> Run:
        try:
            self._made = not self.folder.exists()
            make_folder(self.folder, private=True)
            self._lock = self.path(".lock").open("w")
            lock(self._lock, wait=False)
        except BlockingIOError:
            self._lock.close()
            raise UserError(f"{self.folder}: another process is writing to this run") from None
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written ({error})") from error
        for name in APPENDED:
            jsonl.repair(self.path(f"{name}.jsonl"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._made and not self.exists:  # what failed before it began leaves no folder
            with suppress(OSError):
                self.path(".lock").unlink()
                self.folder.rmdir()
        self._lock.close()

    # --- reading ---------------------------------------------------------------------

    def record(self) -> RunRecord:
        """What ran: see :class:`trace_eval.runs.record.RunRecord`."""
        path = self.path("manifest.json")
        try:
            return strict_json.parse(RunRecord, path.read_bytes())
        except strict_json.BadJson as error:
            raise strict_json.DamagedFile(
                f"{path}: not the record of a run ({error}); judge again into a new --out"
            ) from None

    @property
    def holds_scores(self) -> bool:
        """True where single answers were rated, not pairs judged."""
        return self.path("items.jsonl").is_file()

    def pairs(self) -> Iterator[Pair]:
        """The pairs in input order.

        Raises:
            UserError: the run holds scores of single answers.
        """
        if self.holds_scores:
            raise UserError(
                f"{self.folder}: holds scores of single answers and no pairs; use agree,"
                " or make pairs of it with trace-eval fuse RUN --out PAIRS"
            )
        return self._records("pairs.jsonl", Pair)

    def singles(self) -> Iterator[Single]:
        """The single answers in input order.

        Raises:
            UserError: the run holds judgements of pairs.
        """
        if not self.holds_scores:
            raise UserError(
                f"{self.folder}: holds judgements of pairs and no scores; name a --out of rate"
            )
        return self._records("items.jsonl", Single)

    def items(self) -> Iterator[Pair | Single]:
        """The pairs or single answers in input order."""
        return self.singles() if self.holds_scores else self.pairs()

    def problems(self) -> Iterator[ProblemRecord]:
        """Records of the input that are not pairs."""
        return self._records("problems.jsonl", ProblemRecord)

    def clips(self) -> dict[str, ClipRecord]:
        """Source -> what became of it; the last outcome counts."""
        return {record.source: record for record in self._records("clips.jsonl", ClipRecord)}

    def blueprints(self) -> Iterator[Blueprint]:
        """The blueprints as they came; of a clip that occurs twice the last one counts."""
        return self._records("blueprints.jsonl", Blueprint)

    def judgements(self) -> dict[str, Judgement]:
        """Pair id -> judgement; the last outcome counts."""
        return {record.pair: record for record in self.attempts()}

    def outcomes(self) -> dict[str, VerdictRow]:
        """Pair id -> what is small of its judgement; for runs whose replies fill gigabytes."""
        return {found.pair: VerdictRow.of(found) for found in self.attempts()}

    def attempts(self) -> Iterator[Judgement]:
        """Every judgement in the order in which it was made, those tried again included."""
        return self._records("judgements.jsonl", Judgement, Judgement.check)

    def scores(self) -> Iterator[Score]:
        """Every score in the order in which it was made, those tried again included."""
        scales = self._scales() if self.exists else {}
        return self._records("scores.jsonl", Score, lambda s: s.check(scales.get(s.rubric)))

    def history(self) -> Iterator[Judgement | Score]:
        """Every outcome in the order in which it was made, of pairs or of single answers."""
        return self.scores() if self.holds_scores else self.attempts()

    def scored(self, rubrics: Sequence[str] = ("",)) -> set[str]:
        """Ids of the items that have an outcome by every one of these rubrics."""
        status = {outcome.key: outcome.status for outcome in self.history()}
        return {
            item
            for item, _ in status
            if all(status.get((item, rubric)) == "scored" for rubric in rubrics)
        }

    def score_outcomes(self) -> dict[tuple[str, str], ScoreRow]:
        """(item, rubric) -> what is small of its score; the last one counts."""
        return {score.key: ScoreRow.of(score) for score in self.scores()}

    def measures(self) -> dict[str, PairMeasures]:
        """Pair id -> its measures, for pairs that have any; the last outcome counts."""
        return {found.pair: found for found in self._records("measures.jsonl", PairMeasures)}

    def overall(self, policy: str | None = None) -> dict[str, Overall]:
        """Pair id -> fused rating.

        Args:
            policy: name of another one that the run was fused with before; None: the last.
        """
        name = "overall.jsonl"
        if policy is not None:
            name = str((self.policy_folder(policy) / name).relative_to(self.folder))
        return {record.pair: record for record in self._records(name, Overall, Overall.check)}

    def policy_folder(self, name: str) -> Path:
        """Where the results of an earlier policy are kept."""
        return self.folder / "policies" / re.sub(r"[^\w.-]+", "-", name)

    def to_pandas(self) -> pd.DataFrame:
        """The results as a data frame: a row per pair, or per item and rubric, as in results.csv.

        Raises:
            UserError: pandas is not installed.
        """
        from trace_eval.runs.table import table_of

        if self.holds_scores:
            from trace_eval.runs.score_table import COLUMNS, score_rows

            pandas = require("pandas", "pandas", "agree", "a data frame")
            rows = ((*texts, *numbers) for texts, numbers in score_rows(self, self._rubrics()))
            return pandas.DataFrame(rows, columns=list(COLUMNS))
        return table_of(self).to_pandas()

    def _repr_html_(self) -> str:
        from trace_eval.runs.notebook import run_html

        return run_html(self)

    def _records(
        self, name: str, kind: type[Record], check: Callable[[Record], None] | None = None
    ) -> Iterator[Record]:
        for number, line in jsonl.numbered(self.path(name)):
            try:
                record = strict_json.parse(kind, line)
                if check:
                    check(record)
            except ValueError as error:
                raise strict_json.DamagedFile(
                    f"{self.path(name)}, line {number}: not a {kind.__name__} of this version"
                    f" ({error}); delete that line, or judge again into a new --out"
                ) from None
            yield record

    def _rubrics(self) -> list[str]:
        return list(self.record().rubrics)

    def _scales(self) -> dict[str, tuple[float, ...]]:
        """Rubric -> the labels of its scale, as they were when it was rated by."""
        try:
            return {
                name: ScaleSpec.model_validate(told.get("scale")).labels
                for name, told in self.record().rubrics.items()
            }
        except ValidationError:
            raise strict_json.DamagedFile(
                f"{self.path('manifest.json')}: a rubric in it has no scale; rate again into a"
                " new --out"
            ) from None

    # --- writing ---------------------------------------------------------------------

    def start(self, record: RunRecord, manifest: Manifest) -> None:
        """Write what is known before the first clip."""
        self.write_record(record)
        lines = (item.model_dump_json(exclude_none=True) for item in manifest.items)
        name = "items.jsonl" if record.rubrics else "pairs.jsonl"
        jsonl.write_all(self.path(name), lines)
        if manifest.part:
            jsonl.write_all(self.path("places.jsonl"), map(str, manifest.part.places))
        problems = (
            ProblemRecord(where=p.where, what=p.what, pair=p.pair).model_dump_json()
            for p in manifest.problems
        )
        jsonl.write_all(self.path("problems.jsonl"), problems)

    def write_record(self, record: RunRecord) -> None:
        """Replace what the run tells of itself."""
        text = record.model_dump_json(indent=2)
        jsonl.write_all(self.path("manifest.json"), [text])

    def add_clip(self, record: ClipRecord) -> None:
        """Append one recording's outcome."""
        jsonl.append(self.path("clips.jsonl"), record)

    def add_blueprint(self, blueprint: Blueprint) -> None:
        """Append one clip's blueprint."""
        jsonl.append(self.path("blueprints.jsonl"), blueprint)

    def add(self, outcome: Outcome) -> None:
        """Append the outcome of one item."""
        jsonl.append(self.path(f"{_FILE_OF[type(outcome)]}.jsonl"), outcome)

    def add_measures(self, measures: PairMeasures) -> None:
        """Append one pair's measures."""
        jsonl.append(self.path("measures.jsonl"), measures)

    def write_overall(self, overall: Iterable[Overall]) -> None:
        """Replace the fused ratings."""
        jsonl.write_all(self.path("overall.jsonl"), (o.model_dump_json() for o in overall))
