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

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from blueprints import Blueprint, UserError
from trace_eval.data import jsonl
from trace_eval.data.files import make_folder, refuse_link
from trace_eval.data.judgement import Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.data.measures.numbers import PairMeasures
from trace_eval.data.outcome import Outcome
from trace_eval.data.outputs import check_folder
from trace_eval.data.scores import Score
from trace_eval.data.system import lock
from trace_eval.runs.outcomes import ClipRecord, ProblemRecord
from trace_eval.runs.reader import APPENDED, RunReader
from trace_eval.runs.record import RunRecord
from trace_eval.runs.table import run_html, table_of

if TYPE_CHECKING:
    import pandas as pd

#: Where outcomes of a kind are kept.
_FILE_OF: dict[type[Outcome], str] = {Judgement: "judgements", Score: "scores"}


class Run(RunReader):
    """A run folder. Reading needs no lock; use ``with`` to write.

    Raises:
        UserError: the folder is no run, or (``with``) somebody else is writing to it.
    """

    def __init__(self, folder: Path | str) -> None:
        super().__init__(folder)
        self._lock: Any = None
        self._made = False

    def __enter__(self) -> Self:
        self.check_ours()
        try:
            self._made = not self.folder.exists()
            make_folder(self.folder, private=True)
            refuse_link(self.path(".lock"))
            self._lock = self.path(".lock").open("a")
            lock(self._lock, wait=False)
        except BlockingIOError:
            self._lock.close()
            raise UserError(
                f"{self.folder}: another process is writing to this run"
            ) from None
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written ({error})") from error
        for name in APPENDED:
            jsonl.repair(self.path(f"{name}.jsonl"))
        return self

    def __exit__(self, *error: object) -> None:
        if (
            self._made and not self.exists
        ):  # what failed before it began leaves no folder
            with suppress(OSError):
                self.path(".lock").unlink()
                self.folder.rmdir()
        self._lock.close()

    def to_pandas(self) -> pd.DataFrame:
        """Return the results as a data frame: a row per pair, or per item and rubric.

        Raises:
            UserError: pandas is not installed.
        """
        return table_of(self).to_pandas()

    def _repr_html_(self) -> str:
        return run_html(self)

    def check_ours(self) -> None:
        """Refuse a folder that holds anything but a run, before anything is touched.

        Raises:
            UserError: it is not empty, and has no record of a run.
        """
        if self.exists:
            self.record()
        else:
            check_folder(self.folder, "run")

    def start(self, record: RunRecord, manifest: Manifest) -> None:
        """Write the facts that are known before the first clip."""
        self.write_record(record)
        lines = (item.model_dump_json(exclude_none=True) for item in manifest.items)
        name = "items.jsonl" if record.rubrics else "pairs.jsonl"
        jsonl.write_all(self.path(name), lines)
        if manifest.part:
            jsonl.write_all(self.path("places.jsonl"), map(str, manifest.part.places))
        problems: list[str] = []
        for p in manifest.problems:
            problems.append(
                ProblemRecord(where=p.where, what=p.what, pair=p.pair).model_dump_json()
            )
        jsonl.write_all(self.path("problems.jsonl"), problems)

    def write_record(self, record: RunRecord) -> None:
        """Replace what the run tells of itself."""
        jsonl.write_all(self.path("manifest.json"), [record.model_dump_json(indent=2)])

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
