"""Judging a finished run again on the evidence that it stored: only the judge differs.

The new run is a folder of its own. Its blueprints are those of the old one, byte for byte, so that
a comparison of both (``compare --judge-change``, ``gate --aa``) can prove it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from blueprints import UserError, counted
from trace_eval.data.manifests import Manifest
from trace_eval.runs.job import Job
from trace_eval.runs.options import Options
from trace_eval.runs.pipeline import Listener
from trace_eval.runs.record import JudgeRecord, RunRecord, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session
from trace_eval.runs.summary import Summary


@dataclass(frozen=True)
class JobAgain(Job):
    """The items of a finished run, to be judged again."""

    repeat: bool = False
    """A/A: the run's own judge once more, with the next seed, past the reply cache."""

    def problems(self) -> tuple[object, ...]:
        """None: they were reported when the run was made."""
        return ()

    def session(self, listener: Listener | None = None, offline: bool = False) -> Session:
        """As of :class:`Job`, on the stored evidence.

        Raises:
            UserError: an A/A has another judge.
        """
        session = super().session(listener, offline)
        if self.repeat and self.source:
            _check_same_judge(self.source, session)
        return session


def _check_same_judge(run: Run, session: Session) -> None:
    """Refuse an A/A of another judge than the run's own; its seed may be another one."""
    before, judge = run.record().judge, session.judge
    own, now = (
        RunRecord(judge=JudgeRecord(spec=spec, parameters={**parameters, "seed": None}))
        for spec, parameters in (
            (before.spec, before.parameters),
            (judge.spec, judge.parameters()),
        )
    )
    for _, details in differences(own, now, ("judge",)):
        raise UserError(
            f"{run.folder}: an A/A needs its own judge and options ({details}); trace-eval show RUN"
            " --config writes them for --config"
        )


def open_again(
    run: Path | str,
    out: Path | str | None = None,
    options: Options | None = None,
    items: int | None = None,
    repeat: bool = False,
) -> JobAgain:
    """Say what is judged again and where its results go, see :func:`judge_again`; judge nothing.

    Raises:
        UserError: no such run, one of the other command, the output is the run itself, or fewer
            than one item is wanted.
    """
    source, options = Run.open(run), options or Options()
    if items is not None and items < 1:
        raise UserError(f"{counted(items, 'item')}: judge one or more again")
    every = list(source.items())
    if items is not None and items < len(every):
        every = [every[number * len(every) // items] for number in range(items)]
    if out is None:
        judge = options.judges[0]
        name = judge if isinstance(judge, str) else judge.spec
        ending = "aa" if repeat else re.sub(r"[^\w.]+", "-", name).strip("-")
        out = source.folder.with_name(f"{source.folder.resolve().name}-{ending}")
    if source.folder.resolve() == Path(out).resolve():
        raise UserError(f"{out}: is the run that is judged again; name another --out")
    if source.holds_scores != bool(options.rubrics):
        how = "rate" if source.holds_scores else "judge"
        raise UserError(f"{source.folder}: is a run of {how}; judge it again with trace-eval {how}")
    if repeat:
        judging = options.judging
        step = judging.samples if "seed" in source.record().judge.parameters else 0
        options = replace(options, judging=replace(judging, cache=None, seed=judging.seed + step))
    return JobAgain(Manifest(source.folder, every), Path(out), options, source, repeat)


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
        out: folder of the new run; None: beside the old one.
        options: of the new judge; :class:`RateOptions` for a run of single answers.
        items: judge so many only, at even distances.
        repeat: A/A: the run's own judge once more, with the next seed, past the reply cache.
        listener: called for every finished item.

    Raises:
        UserError: no such run, or see :class:`trace_eval.runs.session.Session`.
    """
    return open_again(run, out, options, items, repeat).judge(listener)
