"""Runs of pairs that are made of other runs' verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from trace_eval.data.judgement import Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.runs.folders import written_atomically
from trace_eval.runs.fuse import any_policy, fuse_run
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary


def write_derived(
    sources: Sequence[Run],
    out: Path,
    record: RunRecord,
    pairs: Manifest,
    judged: Callable[[str], Judgement | None],
) -> None:
    """Write a run of pairs that others' verdicts make up; beside its name until it is whole.

    Args:
        sources: whose clips and blueprints it gets, the first one's first.
        out: the new folder.
        record: what the run tells of itself.
        pairs: of the run.
        judged: id -> judgement of the pair, None where there is none.

    Raises:
        UserError: see :func:`~trace_eval.runs.folders.written_atomically`.
    """
    with written_atomically(out) as part:
        with Run(part) as target:
            target.start(record, pairs)
            for source in sources:
                _copy_evidence(source, target)
            for pair in pairs.pairs:
                if made := judged(pair.id):
                    target.add(made)
            fuse_run(target, any_policy(record.policy))
            summary = Summary(total=len(pairs.pairs))
            summary.count(target)
            target.write_record(record.model_copy(update={"coverage": summary.record()}))
        (part / ".lock").unlink(missing_ok=True)


def derived_record(run: Run, base: Run | None, description: str) -> RunRecord:
    """The record of ``base``, or of ``run``, by a judge that ``description`` names."""
    record = (base or run).record()
    judge = JudgeRecord(
        spec=f"{record.judge.spec} with {description}" if base else description,
        parameters=record.judge.parameters,
    )
    return record.model_copy(
        update={"judge": judge, "rubrics": {}, "shard": None, "coverage": None}
    )


def _copy_evidence(source: Run, target: Run) -> None:
    available = set(target.clips())
    clips = {r.clip for r in target.clips().values()}
    for name, record in source.clips().items():
        if name not in available:
            target.add_clip(record)
    for blueprint in source.blueprints():
        if blueprint.clip not in clips:
            clips.add(blueprint.clip)
            target.add_blueprint(blueprint)
