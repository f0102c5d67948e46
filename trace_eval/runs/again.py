"""Judging a finished run again on the evidence that it stored: only the judge differs.

The new run is a folder of its own. Its blueprints are those of the old one, byte for byte, so that
a comparison of both (``compare --judge-change``, ``gate --aa``) can prove it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from blueprints import UserError, counted
from extractors import Extractor
from trace_eval.data.manifests import Manifest
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.engine import Engine
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.start import ExtractionJob
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.options import Options
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.job import Job
from trace_eval.runs.pipeline import Listener
from trace_eval.runs.record import JudgeRecord, RunRecord, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session
from trace_eval.runs.summary import Summary

#: What of the old run's record is true of the new one: where its items and evidence come from.
_KEPT = ("input", "input_sha256", "shard", "extractors", "profile", "max_seconds", "unused_labels")

#: Recordings in flight; they are read from a file.
_WINDOW = 16


class StoredBlueprints:
    """Gives the blueprints that a run stored, where an engine would extract them."""

    def __init__(self, run: Run) -> None:
        self._reader = CaseReader(run)
        self._errors = {source: record.error for source, record in run.clips().items()}
        self._folder = run.folder

    @property
    def capacity(self) -> int:
        """Recordings in flight."""
        return _WINDOW

    async def extract(self, source: ClipSource) -> Extracted:
        """The stored blueprint of one recording, or why there is none."""
        result = self._reader.stored(source.id)
        if result is not None:
            return Extracted(source.id, result)
        error = self._errors.get(source.id) or f"{self._folder} stored no blueprint of it"
        return Extracted(source.id, error=error)

    async def close(self) -> None:
        """Nothing to stop."""


class SessionAgain(Session):
    """One sitting at judging a run again: nothing is extracted."""

    def __init__(
        self,
        source: Run,
        manifest: Manifest,
        out: Path | str,
        options: Options | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.source = source
        super().__init__(manifest, out, options, listener)

    def _extractors(self) -> list[Extractor]:
        return []

    def _engine(self, job: ExtractionJob, clips: int) -> Engine:
        return StoredBlueprints(self.source)

    def _new_record(self) -> RunRecord:
        before = self.source.record()
        kept = {name: getattr(before, name) for name in _KEPT}
        return super()._new_record().model_copy(update=kept)


@dataclass(frozen=True)
class JobAgain(Job):
    """The items of a finished run, to be judged again.

    Attributes:
        source: that run.
        repeat: A/A: the run's own judge once more, with the next seed, past the reply cache.
    """

    source: Run
    repeat: bool = False

    def problems(self) -> tuple[object, ...]:
        """None: they were told when the run was made."""
        return ()

    def session(self, listener: Listener | None = None, offline: bool = False) -> Session:
        """As of :class:`Job`, on the stored evidence."""
        judging = replace(self.options.judging, offline=offline or self.options.judging.offline)
        options = replace(self.options, judging=judging)
        return session_again(
            self.source, self.manifest, self.folder, options, listener, self.repeat
        )


def is_run(path: Path | str) -> bool:
    """Whether a path is a run folder, and no manifest."""
    return Run(path).exists


def stored_manifest(run: Run, items: int | None = None) -> Manifest:
    """The items of a run; with ``items`` so many of them, at even distances.

    Raises:
        UserError: fewer than one.
    """
    if items is not None and items < 1:
        raise UserError(f"{counted(items, 'item')}: judge one or more again")
    every = list(run.items())
    if items is not None and items < len(every):
        every = [every[number * len(every) // items] for number in range(items)]
    return Manifest(run.folder, every)


def out_again(run: Run, judge: str, repeat: bool = False) -> Path:
    """Where a run that is judged again goes when nobody says: beside the old one."""
    ending = "aa" if repeat else re.sub(r"[^\w.]+", "-", judge).strip("-")
    return run.folder.with_name(f"{run.folder.resolve().name}-{ending}")


def session_again(
    run: Run,
    manifest: Manifest,
    out: Path,
    options: Options,
    listener: Listener | None = None,
    repeat: bool = False,
) -> Session:
    """The session that judges a run again, see :func:`judge_again`."""
    if run.folder.resolve() == out.resolve():
        raise UserError(f"{out}: is the run that is judged again; name another --out")
    if run.holds_scores != bool(options.rubrics):
        how = "rate" if run.holds_scores else "judge"
        raise UserError(f"{run.folder}: is a run of {how}; judge it again with trace-eval {how}")
    if repeat:
        options = replace(options, judging=_asked_anew(run, options.judging))
    session = SessionAgain(run, manifest, out, options, listener)
    if repeat:
        _check_same_judge(run, session)
    return session


def _asked_anew(run: Run, judging: JudgeOptions) -> JudgeOptions:
    """No reply from a cache; where the judge has a seed, the next one."""
    fresh = replace(judging, cache=None)
    if "seed" not in run.record().judge.parameters:
        return fresh
    return replace(fresh, seed=judging.seed + judging.samples)


def _check_same_judge(run: Run, session: Session) -> None:
    """An A/A is of the run's own judge; its seed is another one.

    Raises:
        UserError: names what differs.
    """
    before = run.record()
    now = before.model_copy(
        update={
            "judge": _seedless(session.judge.spec, session.judge.parameters()),
        }
    )
    before = before.model_copy(
        update={"judge": _seedless(before.judge.spec, before.judge.parameters)}
    )
    for _, details in differences(before, now, ("judge",)):
        raise UserError(
            f"{run.folder}: an A/A needs its own judge and options ({details}); trace-eval show RUN"
            " --config writes them for --config"
        )


def _seedless(spec: str, parameters: Mapping[str, Any]) -> JudgeRecord:
    return JudgeRecord(spec=spec, parameters={k: v for k, v in parameters.items() if k != "seed"})


def open_again(
    run: Path | str,
    out: Path | str | None = None,
    options: Options | None = None,
    items: int | None = None,
    repeat: bool = False,
) -> JobAgain:
    """Say what is judged again and where its results go; nothing is judged yet.

    Args:
        run, out, options, items, repeat: as of :func:`judge_again`.

    Raises:
        UserError: no such run.
    """
    source = Run.open(run)
    options = options or Options()
    judge = options.judges[0]
    name = judge if isinstance(judge, str) else judge.spec
    folder = Path(out) if out is not None else out_again(source, name, repeat)
    return JobAgain(stored_manifest(source, items), folder, options, source, repeat)


def judge_again(
    run: Path | str,
    out: Path | str | None = None,
    options: Options | None = None,
    items: int | None = None,
    repeat: bool = False,
    listener: Listener | None = None,
) -> Summary:
    """Judge the items of a finished run again, on its stored evidence; extracts nothing.

    A run that is there already is continued. What has no stored blueprint is unscored.

    Args:
        run: folder of the run.
        out: folder of the new one; None: beside the old one.
        options: of the new judge; :class:`RateOptions` for a run of single answers.
        items: judge so many only, at even distances.
        repeat: A/A: the run's own judge once more, with the next seed, past the reply cache.
        listener: told of every finished item.

    Raises:
        UserError: no such run, or see :class:`trace_eval.runs.session.Session`.
    """
    return open_again(run, out, options, items, repeat).judge(listener)
