"""What a run's folder holds, read as typed records; reading needs no lock."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from blueprints import Blueprint, DamagedFile, RunFolderError, Strict
from trace_eval.data import jsonl, strict_json
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.measures.numbers import PairMeasures
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.data.system_folders import how_to_judge
from trace_eval.runs.outcomes import ClipRecord, ProblemRecord, ScoreRow, VerdictRow
from trace_eval.runs.record import RunRecord
from trace_eval.runs.stored_lines import StoredMapping, StoredRecords

Record = TypeVar("Record", bound=Strict)

#: Files that grow line by line.
APPENDED = ("clips", "blueprints", "measures", "judgements", "scores", "spending")

log = logging.getLogger(__name__)


class RunReader:
    """The files of a run folder; :mod:`trace_eval.runs.run` lists their contents."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def __fspath__(self) -> str:
        return str(self.folder)

    def path(self, name: str) -> Path:
        """Return the path of a file of the run."""
        return self.folder / name

    @property
    def exists(self) -> bool:
        """True once its record was written."""
        return is_file(self.path("manifest.json"))

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open an existing run, for reading."""
        run = cls(folder)
        folder = run.folder
        if is_file(folder):
            raise RunFolderError(
                f"{folder}: is a file, and a run is a folder; trace-eval agree and rank"
                " read files of judgements"
            )
        if not is_folder(folder):
            raise RunFolderError(
                f"{folder}: no such run; trace-eval runs lists those under runs/"
            )
        if not run.exists:
            raise RunFolderError(f"{folder}: no run here; {how_to_judge(folder)}")
        for path in run.torn():
            log.warning(
                (
                    "%s: its last line is broken and left out; repeat the command to"
                    " write it again"
                ),
                path,
            )
        return run

    def torn(self) -> list[Path]:
        """List files whose last line was cut off by a kill or a full disk."""
        paths = [self.path(f"{name}.jsonl") for name in APPENDED]
        return [path for path in paths if jsonl.is_torn(path)]

    def record(self) -> RunRecord:
        """Read what ran: see :class:`trace_eval.runs.record.RunRecord`."""
        path = self.path("manifest.json")
        try:
            record = strict_json.parse(RunRecord, path.read_bytes())
            if "judge" not in record.model_fields_set:
                raise strict_json.BadJson(
                    "it names no judge, so another program wrote it"
                )
        except strict_json.BadJson as error:
            raise DamagedFile(
                f"{path}: not the record of a run ({error}); judge again into a new"
                " --out"
            ) from None
        return record

    def rubrics(self) -> dict[str, ScoreRubric]:
        """Return the rubrics as of when the run was made, whatever files say today."""
        try:
            rubrics: dict[str, ScoreRubric] = {}
            for name, stored in self.record().rubrics.items():
                fields = {
                    field: value for field, value in stored.items() if field != "sha256"
                }
                rubrics[name] = ScoreRubric.model_validate(fields)
            return rubrics
        except ValidationError as error:
            raise DamagedFile(
                f"{self.path('manifest.json')}: a rubric in it is damaged"
                f" ({error.errors()[0]['msg']}); rate again into a new --out"
            ) from None

    @property
    def holds_scores(self) -> bool:
        """True where single answers were rated, not pairs judged."""
        return is_file(self.path("items.jsonl"))

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs in input order.

        Raises:
            UserError: the run holds scores of single answers.
        """
        if self.holds_scores:
            raise RunFolderError(
                f"{self.folder}: holds scores of single answers and no pairs; use"
                " agree, or make pairs of it with trace-eval fuse RUN --out PAIRS"
            )
        return self._records("pairs.jsonl", Pair)

    def singles(self) -> Iterator[Single]:
        """Yield the single answers in input order.

        Raises:
            UserError: the run holds judgements of pairs.
        """
        if not self.holds_scores:
            raise RunFolderError(
                f"{self.folder}: holds judgements of pairs and no scores; name a"
                " --out of rate"
            )
        return self._records("items.jsonl", Single)

    def items(self) -> Iterator[Pair | Single]:
        """Yield the pairs or single answers in input order."""
        return self.singles() if self.holds_scores else self.pairs()

    def stored_items(self) -> Sequence[Pair | Single]:
        """Return the items of :meth:`items` as a sequence that stays in its file."""
        if self.holds_scores:
            return self._sequence("items.jsonl", Single)
        return self._sequence("pairs.jsonl", Pair)

    def _sequence(self, name: str, kind: type[Record]) -> Sequence[Record]:
        path = self.path(name)

        def read(line: bytes) -> Record:
            return strict_json.own(kind, line, path)

        return StoredRecords(path, read)

    def problems(self) -> Iterator[ProblemRecord]:
        """Yield the records of the input that are not pairs."""
        return self._records("problems.jsonl", ProblemRecord)

    def clip_records(self) -> Iterator[ClipRecord]:
        """Yield recordings' outcomes as they came, including those tried again."""
        return self._records("clips.jsonl", ClipRecord)

    def clips(self) -> dict[str, ClipRecord]:
        """Return what became of each source; the last outcome counts."""
        return {record.source: record for record in self.clip_records()}

    def blueprints(self) -> Iterator[Blueprint]:
        """Yield blueprints as they came; of a clip's several, the last one counts."""
        return self._records("blueprints.jsonl", Blueprint)

    def judgements(self) -> dict[str, Judgement]:
        """Pair id -> judgement; the last outcome counts."""
        return {record.pair: record for record in self.attempts()}

    def outcomes(self) -> dict[str, VerdictRow]:
        """Return what is small of judgements, by pair id.

        For runs whose replies fill gigabytes.
        """
        return {result.pair: VerdictRow.of(result) for result in self.attempts()}

    def stored_judgements(self) -> Mapping[str, Judgement]:
        """Return what :meth:`judgements` does, as a mapping that stays in its file."""
        return self._stored("judgements.jsonl", Judgement, Judgement.check)

    def attempts(self) -> Iterator[Judgement]:
        """Yield every judgement in the order made, including those tried again."""
        return self._records("judgements.jsonl", Judgement, Judgement.check)

    def scores(self) -> Iterator[Score]:
        """Yield every score in the order made, including those tried again."""
        scales = (
            {name: r.scale.labels for name, r in self.rubrics().items()}
            if self.exists
            else {}
        )
        return self._records(
            "scores.jsonl", Score, lambda s: s.check(scales.get(s.rubric))
        )

    def history(self) -> Iterator[Judgement | Score]:
        """Yield every outcome, of pairs or single answers, in the order made."""
        return self.scores() if self.holds_scores else self.attempts()

    def scored(self, rubrics: Sequence[str] = ("",)) -> set[str]:
        """Return ids of items with a scored outcome by every one of these rubrics."""
        status = {outcome.key: outcome.status for outcome in self.history()}

        def is_scored(item: str) -> bool:
            return all(status.get((item, rubric)) == "scored" for rubric in rubrics)

        return {item for item, _ in status if is_scored(item)}

    def score_outcomes(self) -> dict[tuple[str, str], ScoreRow]:
        """Return the small facts of scores by (item, rubric); the last one counts."""
        return {score.key: ScoreRow.of(score) for score in self.scores()}

    def measures(self) -> dict[str, PairMeasures]:
        """Pair id -> its measures, for pairs that have any; the last outcome counts."""
        measures: dict[str, PairMeasures] = {}
        for result in self._records("measures.jsonl", PairMeasures):
            measures[result.pair] = result
        return measures

    def stored_measures(self) -> Mapping[str, PairMeasures]:
        """Return what :meth:`measures` does, as a mapping that stays in its file."""
        return self._stored("measures.jsonl", PairMeasures)

    def stored_overall(self, folder: Path | None = None) -> Mapping[str, Overall]:
        """Return what :meth:`overall` does, as a mapping that stays in its file.

        Args:
            folder: of an earlier policy; None: of the run.
        """
        name = "overall.jsonl"
        if folder is not None:
            name = str((folder / name).relative_to(self.folder))
        return self._stored(name, Overall, Overall.check)

    def overall(self, policy: str | None = None) -> dict[str, Overall]:
        """Return fused ratings by pair id, by the last policy or another one used."""
        name = "overall.jsonl"
        if policy is not None:
            name = str((self.policy_folder(policy) / name).relative_to(self.folder))
        overall: dict[str, Overall] = {}
        for record in self._records(name, Overall, Overall.check):
            overall[record.pair] = record
        return overall

    def policy_folder(self, name: str) -> Path:
        """Return where the results of an earlier policy are kept."""
        return self.folder / "policies" / re.sub(r"[^\w.-]+", "-", name)

    def _stored(
        self,
        name: str,
        kind: type[Record],
        check: Callable[[Record], None] | None = None,
    ) -> Mapping[str, Record]:
        path = self.path(name)

        def read(line: bytes) -> Record:
            try:
                return _checked(kind, line, check)
            except ValueError:
                for _ in self._records(name, kind, check):  # it names the line
                    pass
                raise

        return StoredMapping(path, "pair", read)

    def _records(
        self,
        name: str,
        kind: type[Record],
        check: Callable[[Record], None] | None = None,
    ) -> Iterator[Record]:
        for number, line in jsonl.numbered(self.path(name)):
            try:
                record = _checked(kind, line, check)
            except ValueError as error:
                raise DamagedFile(
                    f"{self.path(name)}, line {number}: not a {kind.__name__} of this"
                    f" version ({error}); delete that line, or judge again into a new"
                    " --out"
                ) from None
            yield record


def _checked(
    kind: type[Record], line: str | bytes, check: Callable[[Record], None] | None
) -> Record:
    record = strict_json.parse(kind, line)
    if check:
        check(record)
    return record
