"""Judging a manifest into a run folder, and continuing one that was interrupted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from blueprints import Advice, UserError
from trace_eval.data.files import write_all
from trace_eval.data.items import Item
from trace_eval.data.manifests import Manifest
from trace_eval.data.measures.pair import SPEAKER
from trace_eval.data.outputs import refuse_package
from trace_eval.data.policies import any_policy
from trace_eval.data.records import spill_into, spilled
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.extracting.engine import Engine
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.provenance import environment, now
from trace_eval.extracting.source import ClipSource, source_of
from trace_eval.extracting.start import check_available, engine_of, pinned
from trace_eval.extracting.workers import end_if_imported_by_worker
from trace_eval.judges.ask.batch import BatchWritten, read_batch, write_batch
from trace_eval.judges.ask.estimate import CostEstimate, estimate, total
from trace_eval.judges.base import Case
from trace_eval.judges.combine.panel import Key, Panel
from trace_eval.judges.registry.create import panel_of
from trace_eval.runs.cases import CaseReader, write_turns
from trace_eval.runs.events import Listener, RunEvent
from trace_eval.runs.folders import (
    check_continues,
    fresh_word,
    input_name,
    refuse_own_input,
)
from trace_eval.runs.fuse import check_policy, fuse_run
from trace_eval.runs.guesses import LanguageAdvice
from trace_eval.runs.options import COLUMN, EVIDENCE, Options, settings_of
from trace_eval.runs.pipeline import Pipeline, load_model, plan_for, recordings_needed
from trace_eval.runs.record import (
    EnvironmentRecord,
    JudgeRecord,
    RunRecord,
    SessionRecord,
    ShardRecord,
)
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary
from trace_eval.runs.table import table_of
from trace_eval.runs.unchanged import refuse_changed

if TYPE_CHECKING:
    from trace_eval.judges.ask.judge import LLMJudge

#: What of the record of a run is true of one that judges it again: where its items and
#: evidence come from.
_KEPT = (
    "input",
    "input_sha256",
    "shard",
    "extractors",
    "profile",
    "max_seconds",
    "unused_labels",
)

_Items = Sequence[Item]
_Work = Callable[[Pipeline, _Items], Awaitable[None]]


class Session:
    """One sitting at a run: opens or continues it, extracts, judges, and sums up.

    Use it with ``with``: the run stays locked meanwhile. Scored pairs are kept,
    unscored ones are tried again. Every outcome is on disk as soon as it is known, so a
    session that is killed loses nothing finished.

    Args:
        source: a run whose items are judged again on its stored evidence; None:
            extract.
        engine: gives that evidence, where somebody has looked it up already.

    Raises:
        UserError: unknown names in the options, a run made with other options, or one
            whose pairs have changed.
    """

    def __init__(
        self,
        manifest: Manifest,
        out: Path | str,
        options: Options | None = None,
        listener: Listener | None = None,
        source: Run | None = None,
        engine: Engine | None = None,
    ) -> None:
        end_if_imported_by_worker()
        self.options = options or Options()
        self.manifest = manifest
        if source is None:  # else no recording is embedded
            # Embedded recordings become files, so that the run can be read again.
            spill = spill_into(self.options.extract.cache)
            items = [spilled(item, spill) for item in manifest.items]
            self.manifest = replace(manifest, items=items)
        self.policy = any_policy(self.options.policy)
        self.run = Run(out)
        self._source = source
        self._engine = engine
        bad = manifest.problems
        if bad and not (manifest.items or manifest.part or self.run.exists):
            if len(bad) == 1:
                raise UserError(
                    f"{manifest.path}: its only record cannot be read; mend it:"
                    f" {bad[0]}"
                )
            raise UserError(
                f"{manifest.path}: none of its {len(bad):,} records can be read, so"
                f" there is nothing to judge; mend the first: {bad[0]}"
            )
        refuse_package(self.run.folder)
        self.run.check_ours()
        refuse_own_input(self.run, manifest)
        self.rubrics = [load_rubric(name) for name in self.options.rubrics]
        self._rubric_names = [rubric.name for rubric in self.rubrics]
        usages = (outcome.usage for outcome in self.run.history())
        details = replace(
            self.options.judging,
            # US dollars of earlier sessions, so that max_cost bounds the run.
            spent=sum(usage.cost_usd or 0.0 for usage in usages if usage),
            ledger=self.run.path("spending.jsonl"),
            device=self.options.extract.device,
        )
        self.judge = panel_of(self.options.judges, self.rubrics, details, self._done())
        if not self.rubrics:
            check_policy(self.policy, self.judge.judges[0])
        extract = self.options.extract
        self.plan = [] if source else plan_for(self.judge, extract, self.manifest.items)
        stored = self.run.record().extractors if self.run.exists else {}
        if {extractor.name for extractor in self.plan} - {
            r.extractor for r in stored.values()
        }:
            # A finished run is printed wherever it is; another plan is refused for what
            # it lacks before it is refused for being another one.
            check_available(self.plan, extract)
        self.summary = Summary(total=manifest.total)
        self._listener = listener
        self._judge_closed = False
        self._record = RunRecord()

    def __enter__(self) -> Session:
        self.run.__enter__()
        try:
            self._record = self.record()
            if self.run.exists:
                check_continues(self.run, self._record, self.manifest)
                self._refuse_replaced(self.run)
                self._record = self._record.continuing(self.run.record())
            if self._source and "audio" in self.judge.reads:
                self._refuse_replaced(self._source)
            if self.pending():
                load_model(self.judge)
            self.run.start(self._record, self.manifest)
        except BaseException:
            self.run.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if not self._judge_closed:
            complete(self.judge.close)
        self.run.__exit__(*error)

    def _refuse_replaced(self, run: Run) -> None:
        """Refuse a run whose verdicts are about recordings that have been replaced."""
        done = run.scored(self._rubric_names or [""])
        scored = (item for item in self.manifest.items if item.id in done)
        remedy = f"judge what is there now with --out {fresh_word(run.folder)}"
        cache = self.options.extract.cache
        refuse_changed(run, scored, remedy, cache, asks_servers=True)

    def _done(self) -> set[Key]:
        """Return (item, rubric) of the scores that are there already."""
        if not (self.rubrics and self.run.exists and self.run.holds_scores):
            return set()
        outcomes = self.run.score_outcomes().items()
        return {key for key, score in outcomes if score.status == "scored"}

    def record(self) -> RunRecord:
        """Make the record of this session before it begins."""
        judge = self.judge
        options = self.options
        manifest = self.manifest
        record = RunRecord(
            input=input_name(manifest),
            input_sha256=manifest.sha256,
            shard=ShardRecord(**manifest.part.record()) if manifest.part else None,
            extractors={
                extractor.group: extractor.provenance() for extractor in self.plan
            },
            judge=JudgeRecord(spec=judge.spec, parameters=judge.parameters()),
            rubrics=judge.rubric_records(),
            profile=options.extract.profile,
            max_seconds=options.extract.max_seconds,
            policy=options.policy_name,
            seed=options.judging.seed,
            tag=options.tag,
            options=self._settings(),
            environment=EnvironmentRecord(**environment()),
            sessions=(SessionRecord(started=now()),),
            unused_labels=tuple(map(str, manifest.warnings)),
        )
        if self._source is None:
            return record
        before = self._source.record()
        kept = {name: getattr(before, name) for name in _KEPT}
        if record.shard:  # of that run
            kept["shard"] = record.shard
        return record.model_copy(update=kept)

    def _settings(self) -> dict[str, JsonValue]:
        """Return the options by which the run is made again, on other machines, too."""
        extract = self.options.extract
        if self.plan:
            extract = pinned(self.plan, extract)
        settings = settings_of(replace(self.options, extract=extract))
        if columns := self.manifest.columns:
            settings[COLUMN] = [f"{name}={column}" for name, column in columns.items()]
        if self._source is None:
            return settings
        before = self._source.record().options
        settings |= {name: before[name] for name in EVIDENCE if name in before}
        kept: dict[str, JsonValue] = {}
        for k, value in settings.items():
            if k not in EVIDENCE or k in before:
                kept[k] = value
        return kept

    def _policies(self) -> tuple[str, ...]:
        """List the policies of the run, the chosen one first; scores are not fused."""
        if self.rubrics:
            return ()
        return tuple(dict.fromkeys((self.options.policy_name, *self._record.policies)))

    def pending(self) -> _Items:
        """Return the items that are not scored yet, in input order."""
        done = self.run.scored(self._rubric_names or [""])
        return [item for item in self.manifest.items if item.id not in done]

    def sources(self, items: Iterable[Item]) -> Iterator[ClipSource]:
        """Yield the recordings of items whose blueprints are needed."""
        with_voices = any(extractor.group == SPEAKER for extractor in self.plan)
        for item in items:
            for recording in recordings_needed(item, self.judge, with_voices).values():
                yield source_of(recording, item.language)

    def judge_pending(self, batch_results: Sequence[Path] = ()) -> Summary:
        """Judge the items that are not scored yet, and fuse all scored ones.

        Result files of a batch are read first; a judge that is ``offline`` answers from
        them alone.
        """
        if batch_results:
            for judge in chat_judges(self.judge, "batch results"):
                read_batch(judge, batch_results)
        return self._work(Pipeline.judge_all)

    def estimate(self) -> CostEstimate:
        """Estimate calls, tokens and cost of unscored items; extract, send nothing."""
        judges = chat_judges(self.judge, "estimate")
        self.extract_pending()
        return total(estimate(judge, self.pending_cases()) for judge in judges)

    def write_batch(self, path: Path) -> BatchWritten:
        """Write the requests of what is not scored yet; extracts, but sends nothing."""
        judges = chat_judges(self.judge, "batch file")
        self.extract_pending()
        return write_batch(judges, self.pending_cases, path)

    def extract_pending(self) -> Summary:
        """Extract the recordings of what is not scored yet, and judge nothing."""
        return self._work(Pipeline.extract_all)

    def pending_cases(self) -> Iterator[Case]:
        """Yield the cases that were extracted and are not scored yet."""
        reader = CaseReader(self.run)
        cases = (reader.case(item, self.judge.roles(item)) for item in self.pending())
        return (case for case in cases if case is not None)

    def _work(self, work: _Work) -> Summary:
        started = time.monotonic()
        pending = self.pending()
        if self._listener:
            self._listener(RunEvent(pending=len(pending)))
        try:
            if pending:
                complete(self._with_engine, work, pending)
        finally:
            self.summary.seconds = time.monotonic() - started
            self._finish()
        return self.summary

    async def _with_engine(self, work: _Work, pending: _Items) -> None:
        with_voices = any(extractor.group == SPEAKER for extractor in self.plan)
        sources = self.sources(pending)
        if self._source:
            engine: Engine = self._engine or CaseReader(self._source)
        else:
            clips = 2 * len(pending)
            shards = str(self.run.path("shards"))
            engine = engine_of(
                self.options.extract,
                self.plan,
                clips=clips,
                sources=sources,
                shards=shards,
            )
        advice = LanguageAdvice(self.plan, self.options)
        _advise(advice.of_items(pending))

        def listener(event: RunEvent) -> None:
            if event.clip:
                self.summary.count_clip(event.clip)
                _advise(advice.of_clip(event.clip))
            if self._listener:
                self._listener(event)

        try:
            pipeline = Pipeline(
                engine=engine,
                judge=self.judge,
                run=self.run,
                listener=listener,
                voices=with_voices,
            )
            await work(pipeline, pending)
        finally:
            await engine.close()
            if work is Pipeline.judge_all:  # its connections belong to this event loop
                self._judge_closed = True
                await self.judge.close()

    def _finish(self) -> None:
        """Update the run's tables, count, and write what came of this sitting."""
        counts = None
        if names := self._rubric_names:
            write_all(
                self.run.path("results.csv"), table_of(self.run, names).csv_lines()
            )
        else:
            counts = fuse_run(self.run, self.policy, self._policies()[1:])
        if any(item.has_conversations for item in self.manifest.items):
            write_turns(self.run)
        self.summary.count(self.run, names, counts)
        paid = [chat for chat in self.judge.chats if chat.price]
        self.summary.spending = paid[0].budget.spending if paid else None
        *earlier, this = self._record.sessions
        ended = SessionRecord(
            started=this.started,
            ended=now(),
            seconds=round(self.summary.seconds, 3),
            clips=self.summary.clips,
            extracted_s={
                k: round(s, 3) for k, s in sorted(self.summary.work_s.items())
            },
        )
        self._record = self._record.model_copy(
            update={
                "sessions": (*earlier, ended),
                "policies": self._policies(),
                "judge_observed": self.judge.observed(),
                "coverage": self.summary.record(),
            }
        )
        self.run.write_record(self._record)


def chat_judges(judge: Panel, what: str) -> Sequence[LLMJudge]:
    """Return the judges of a panel that send messages, at least one."""
    if not judge.chats:
        raise UserError(f"{what}: judge {judge.spec} sends nothing; name an LLM judge")
    return judge.chats


def _advise(text: str | None) -> None:
    if text:
        warnings.warn(text, Advice, stacklevel=2)
