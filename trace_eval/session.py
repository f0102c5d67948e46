"""Judging a manifest into a run folder, and continuing one that was interrupted."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors.base import Extractor
from fusion import Policy
from trace_eval.api import engine_of, extractors_of
from trace_eval.engine import cores
from trace_eval.extraction import Extracted
from trace_eval.fuse import fuse_run
from trace_eval.judges.base import Judge
from trace_eval.judges.registry import create_judge
from trace_eval.manifests import Manifest
from trace_eval.options import ExtractOptions, Options
from trace_eval.pipeline import Event, Listener, Pipeline
from trace_eval.policies import load_policy
from trace_eval.provenance import environment, now, plan_record
from trace_eval.run import Run


@dataclass
class Summary:
    """What a run came to, over all its sessions.

    Attributes:
        total: records in the manifest.
        scored: pairs with all three ratings.
        unscored: reason -> pairs without; ``unreadable_record`` counts bad records.
        clips: recordings extracted or read from the cache in this session.
        clip_errors: recordings that could not be decoded in this session.
        audio_s: seconds of audio behind ``clips``.
        work_s: extractor -> seconds of compute in this session; the cache costs none.
        seconds: duration of this session.
    """

    total: int = 0
    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    clips: int = 0
    clip_errors: int = 0
    audio_s: float = 0.0
    work_s: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def coverage(self) -> float:
        """Share of records that were scored, 0 to 1."""
        return self.scored / self.total if self.total else 0.0

    def count_clip(self, clip: Extracted) -> None:
        """Add one recording's outcome."""
        self.clips += 1
        self.clip_errors += clip.error is not None
        self.audio_s += clip.audio_s
        self.work_s.update(clip.work)


def judge_manifest(
    manifest: Manifest,
    out: Path,
    options: Options | None = None,
    listener: Listener | None = None,
) -> Summary:
    """Judge a manifest into a run folder; continues a run that is already there.

    Pairs that were scored before are kept, unscored ones are tried again. Every outcome is
    on disk as soon as it is known, so a killed or interrupted run loses nothing finished.

    Raises:
        UserError: unknown names in the options, a run made with other options, or one whose
            pairs have changed.
    """
    options = options or Options()
    policy = load_policy(options.policy)
    plan = extractors_of(options.extract)
    judge = create_judge(options.judge)
    with Run(out) as run:
        record = _record(plan, judge, options, manifest)
        if run.exists:
            _check_continues(run, record, manifest)
            record["sessions"] = [*run.manifest()["sessions"], *record["sessions"]]
        run.start(record, manifest)
        summary = Summary(total=manifest.total)
        started = time.monotonic()
        try:
            asyncio.run(
                _judge_pending(
                    run, manifest, options.extract, plan, judge, _counting(summary, listener)
                )
            )
        finally:
            summary.seconds = time.monotonic() - started
            _finish(run, policy, summary, record, judge)
    return summary


async def _judge_pending(
    run: Run,
    manifest: Manifest,
    options: ExtractOptions,
    plan: Sequence[Extractor],
    judge: Judge,
    listener: Listener,
) -> None:
    done = {name for name, judgement in run.judgements().items() if judgement.status == "scored"}
    pending = [pair for pair in manifest.pairs if pair.id not in done]
    if not pending:
        return
    engine = engine_of(options, plan, 2 * len(pending))
    window = judge.concurrency + 2 * (options.workers or cores())
    try:
        await Pipeline(engine, judge, run, window, listener).judge_all(pending)
    finally:
        await engine.close()
        await judge.close()


def _counting(summary: Summary, listener: Listener | None) -> Listener:
    def listen(event: Event) -> None:
        if event.clip:
            summary.count_clip(event.clip)
        if listener:
            listener(event)

    return listen


def _record(
    plan: Sequence[Extractor], judge: Judge, options: Options, manifest: Manifest
) -> dict[str, Any]:
    return {
        "schema_version": "1",
        "input": str(manifest.path),
        "extractors": plan_record(plan),
        "judge": {"spec": judge.spec, "parameters": judge.parameters()},
        "profile": options.extract.profile,
        "max_seconds": options.extract.max_seconds,
        "policy": options.policy,
        "environment": environment(),
        "sessions": [{"started": now()}],
    }


def _check_continues(run: Run, record: dict[str, Any], manifest: Manifest) -> None:
    """Refuse to mix judgements that were made in different ways."""
    stored = run.manifest()
    for part in ("extractors", "judge", "max_seconds"):
        new = json.loads(json.dumps(record[part]))  # as it would be read back
        if stored[part] != new:
            told = _difference(stored[part], new)
            raise UserError(
                f"{run.folder}: was made with another {part} ({told});"
                " choose a new --out, or fuse to change the policy only"
            )
    before = {pair.id: pair for pair in run.pairs()}
    for pair in manifest.pairs:
        if pair.id in before and before[pair.id] != pair:
            raise UserError(
                f"{run.folder}: pair {pair.id!r} has changed since it was judged; choose a new"
                " --out or give the pair a new id"
            )


def _difference(stored: Any, new: Any, path: str = "") -> str:
    if isinstance(stored, dict) and isinstance(new, dict):
        for key in [*stored, *new]:
            if stored.get(key) != new.get(key):
                return _difference(stored.get(key), new.get(key), f"{path}.{key}".lstrip("."))
    return f"{path}: {stored!r:.80}, now {new!r:.80}"


def _finish(
    run: Run, policy: Policy, summary: Summary, record: dict[str, Any], judge: Judge
) -> None:
    fuse_run(run, policy)
    judgements = run.judgements()
    for pair in run.pairs():
        judgement = judgements.get(pair.id)
        if judgement and judgement.status == "scored":
            summary.scored += 1
        else:
            summary.unscored[str(judgement.reason) if judgement else "not_judged"] += 1
    if bad_records := sum(1 for _ in run.problems()):
        summary.unscored["unreadable_record"] = bad_records
    record["sessions"][-1] |= {
        "ended": now(),
        "seconds": round(summary.seconds, 3),
        "clips": summary.clips,
        "extracted_s": {name: round(s, 3) for name, s in sorted(summary.work_s.items())},
    }
    record["judge_observed"] = judge.parameters()
    record["coverage"] = {
        "total": summary.total,
        "scored": summary.scored,
        "unscored": dict(summary.unscored),
    }
    run.write_manifest(record)
