"""One piece of work, of a file or a finished run: read, check, estimate, judge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blueprints import UserError, counted
from extractors import plan_extractors
from trace_eval.conversations.exchanges import pairs_by_turn
from trace_eval.conversations.items import (
    conversations_folder,
    conversations_manifest,
    holds_conversations,
    one_conversation,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.input_options import InputOptions
from trace_eval.data.manifests import Manifest, Problem, read_items, read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.data.records import spill_into
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.shards import Shard
from trace_eval.data.sources import ItemSource, source_of
from trace_eval.data.urls import location
from trace_eval.judges.ask.batch import BatchWritten, check_batches
from trace_eval.judges.ask.estimate import CostEstimate
from trace_eval.judges.registry.create import kind_of
from trace_eval.runs.estimate import estimate_manifest, quick_estimate
from trace_eval.runs.events import Listener
from trace_eval.runs.folders import default_out
from trace_eval.runs.options import Options, RateOptions
from trace_eval.runs.record import JudgeRecord, RunRecord, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session, chat_judges
from trace_eval.runs.summary import Summary

if TYPE_CHECKING:  # brings the openai package, which takes half a second
    from trace_eval.runs.ray.job import RayJudging


@dataclass(frozen=True)
class Job:
    """The items, the options and the folder of a run, which need not be there yet.

    Make it with :func:`open_job`, or with :func:`open_again`.
    """

    manifest: Manifest
    out: Path | str
    """The folder; with the engine ``ray`` also the URL of one on an object store."""
    options: Options
    source: Run | None = None
    """A finished run whose items these are, to be judged again on its stored evidence."""
    repeat: bool = False
    """A/A: the judge of ``source`` once more, with the next seed, past the reply cache."""

    def __post_init__(self) -> None:
        if isinstance(self.out, str) and self.options.extract.engine != "ray":
            raise UserError(
                f"{self.out}: only -X engine=ray writes to a URL; name a folder"
            )

    @property
    def folder(self) -> Path:
        """The folder of the run.

        Raises:
            UserError: it is on an object store.
        """
        if isinstance(self.out, str):
            raise UserError(
                f"{self.out}: this needs a folder on this machine; name one with --out"
            )
        return self.out

    def problems(self) -> tuple[object, ...]:
        """Return input problems: records left out, labels unread, recordings missing.

        Those of a finished run were reported when it was made.
        """
        if self.source:
            return self.manifest.notes
        manifest = self.manifest
        problems: list[object] = []
        problems.extend(manifest.notes)
        problems.extend(manifest.problems)
        problems.extend(manifest.warnings)
        problems.extend(check_audio(manifest.items))
        return tuple(problems)

    def estimate(
        self, quick: bool = False, listener: Listener | None = None
    ) -> CostEstimate:
        """Estimate calls, tokens and cost of unscored items; no run is made.

        Nothing is sent but, to a model that its judge serves, a few calls that tell the
        hours.

        Args:
            quick: from the durations in the files' headers alone, without extraction.

        Raises:
            UserError: the judge sends nothing, or options contradict each other.
        """
        if quick:
            return quick_estimate(self.manifest, self.options, self.folder)
        return estimate_manifest(self.manifest, self.options, self.folder, listener)

    def session(
        self, listener: Listener | None = None, offline: bool = False
    ) -> Session:
        """Open the run's session as a context; offline, it uses caches and batches.

        Raises:
            UserError: see :class:`~trace_eval.runs.session.Session`; an A/A has another
                judge.
        """
        judging = replace(
            self.options.judging, offline=offline or self.options.judging.offline
        )
        options = replace(self.options, judging=judging)
        session = Session(
            manifest=self.manifest,
            out=self.folder,
            options=options,
            listener=listener,
            source=self.source,
        )
        if self.repeat and self.source:
            _check_same_judge(self.source, session)
        return session

    def judge(
        self, listener: Listener | None = None, batch_results: Sequence[Path] = ()
    ) -> Summary:
        """Judge what is not scored yet; a run that is there is continued.

        Args:
            batch_results: result files of a provider's batch; with these nothing is
                sent.

        Raises:
            UserError: see :class:`~trace_eval.runs.session.Session`.
        """
        with self.judged(listener, batch_results) as (_, summary):
            return summary

    @contextmanager
    def judged(
        self, listener: Listener | None = None, batch_results: Sequence[Path] = ()
    ) -> Iterator[tuple[Path, Summary]]:
        """Judge as :meth:`judge`; gives the run and its summary while the block runs.

        With the engine ``ray``, a cluster judges the shards of the items, and where the
        run is on an object store, the folder is a copy that goes at the end of the
        block.
        """
        if self.options.extract.engine == "ray" and not batch_results:
            with self._on_ray(listener).judged() as (folder, summary):
                yield folder, summary
            return
        session = self.session(listener, bool(batch_results))
        if batch_results:
            check_batches(chat_judges(session.judge, "batch results"))
        with session:
            summary = session.judge_pending(batch_results)
        yield self.folder, summary

    def _on_ray(self, listener: Listener | None) -> RayJudging:
        from trace_eval.runs.ray.job import RayJudging

        judging = RayJudging(
            self.manifest, self.out, self.options, listener, self.source
        )
        if self.repeat and self.source:
            _check_same_judge(self.source, judging.session)
        return judging

    def write_batch(self, path: Path, listener: Listener | None = None) -> BatchWritten:
        """Write the requests for unscored items as a provider's batch; send nothing.

        Raises:
            UserError: the judge has no batches; no run has begun then, so that another
                judge can begin it.
        """
        session = self.session(listener)
        check_batches(chat_judges(session.judge, "batch file"))
        with session:
            return session.write_batch(path)


def _check_same_judge(run: Run, session: Session) -> None:
    """Refuse an A/A by another judge than the run's own, but for its seed."""
    before = run.record().judge
    judge = session.judge
    stored = _without_seed(before.spec, before.parameters)
    now = _without_seed(judge.spec, judge.parameters())
    for _, details in differences(stored, now, ("judge",)):
        raise _not_its_own(run, details)


def _check_same_kind(run: Run, judge: str) -> None:
    """Refuse an A/A by a judge of another kind, which may know no seed to change.

    One of another package may record itself by another name than that of its kind.
    """
    if isinstance(kind_of(judge), EntryPoint):
        return
    own = run.record().judge.spec
    if judge.partition(":")[0] != own.partition(":")[0]:
        raise _not_its_own(run, f"spec: {own!r}, now {judge!r}")


def _not_its_own(run: Run, details: str) -> UserError:
    return UserError(
        f"{run.folder}: an A/A needs its own judge and options ({details});"
        " trace-eval show RUN --config writes them for --config"
    )


def _without_seed(spec: str, parameters: Mapping[str, Any]) -> RunRecord:
    """Make a record that says of a judge all but its seed."""
    judge = JudgeRecord(spec=spec, parameters=dict(parameters) | {"seed": None})
    return RunRecord(judge=judge)


def open_job(
    items: Manifest | ItemSource | Any,
    out: Path | str | None = None,
    options: Options | None = None,
    *,
    audio_root: Path | str | None = None,
    limit: int | None = None,
    shard: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Job:
    """Read the items and say where their results go; nothing is judged yet.

    Args:
        items: a manifest, its file, folder or URL, or a table at hand (see
            :func:`trace_eval.data.sources.source_of`): pairs, and with rubrics single
            answers.
        out: the run folder; None: see :func:`~trace_eval.runs.folders.default_out`.
        options: how; recordings that are bytes go to the folder of their cache.
        audio_root: folder of relative audio paths, or its URL; None: the manifest's
            own.
        limit: read this many records at most.
        shard: ``I/N``: part I of N of the items.
        columns: field -> column of the file, for fields that are called otherwise
            there.

    Raises:
        UserError: a name is unknown, the file cannot be read or has no record, the
            shard is none, or what is to be judged by turn is no pair of conversations.
    """
    options = options or Options()
    layout = options.extract.layout
    by_turn = options.extract.by_turn
    if by_turn and options.rubrics:
        raise UserError(
            "by_turn: is for pairs; to score turns, use a rubric such as conciseness"
        )
    part = Shard.parse(shard) if shard else None
    if not isinstance(items, Manifest):
        _check_names(options)
        reading = InputOptions(audio_root, columns or {}, limit)
        items = _read(source_of(items), options, reading, layout)
    if by_turn:
        items = replace(items, items=pairs_by_turn(items.pairs))
    if part:
        items = items.shard(part)
    words = [Path(rubric).stem for rubric in options.rubrics]
    for judge in options.judges:
        words.append(judge if isinstance(judge, str) else judge.spec)
    if by_turn:
        words.append("by-turn")
    name = "-".join(words)
    return Job(items, location(out) if out else default_out(items, name), options)


def _check_names(options: Options) -> None:
    """Refuse unknown names before anything is read, as reading calls takes a while."""
    for rubric in options.rubrics:
        load_rubric(rubric)
    for judge in options.judges:
        if isinstance(judge, str):
            kind_of(judge, "single" if options.rubrics else "pair")
    if options.extract.overrides:
        plan_extractors(options.extract.profile, options.extract.overrides)


def _read(
    source: ItemSource,
    options: Options,
    reading: InputOptions,
    layout: str | None = None,
) -> Manifest:
    """Read the items of an input, or with rubrics the conversations of any layout."""
    where = location(source) if isinstance(source, Path | str) else None
    extract = options.extract
    calls = ReadOptions(
        agent_channel=extract.agent_channel,
        agent_voice=extract.agent_voice,
        kept=conversations_folder(extract.cache),
    )
    if (
        options.rubrics
        and isinstance(where, Path)
        and (layout or holds_conversations(where))
    ):
        return conversations_manifest(where, reading.limit, layout, calls)
    read = read_items if options.rubrics else read_manifest
    return read(
        source,
        reading.audio_root,
        spill_into(options.extract.cache),
        reading.limit,
        columns=reading.columns,
        conversations=partial(one_conversation, options=calls, layout=layout),
    )


def judge_manifest(
    manifest: Manifest | ItemSource | Any,
    out: Path | str | None = None,
    options: Options | None = None,
    listener: Listener | None = None,
) -> Summary:
    """Judge a manifest into a run folder; continues a run that is already there.

    Args:
        manifest, out, options: as of :func:`open_job`, which takes more.
        listener: told of every finished clip and pair.

    Raises:
        UserError: see :class:`~trace_eval.runs.session.Session`.
    """
    return open_job(manifest, out, options).judge(listener)


def rate_manifest(
    manifest: Manifest | ItemSource | Any,
    out: Path | str | None = None,
    options: Options | None = None,
    listener: Listener | None = None,
) -> Summary:
    """Score a manifest of single answers, by :func:`judge_manifest` and defaults.

    The defaults are those of scores.
    """
    return judge_manifest(manifest, out, options or RateOptions(), listener)


def open_again(
    run: Path | str,
    out: Path | str | None = None,
    options: Options | None = None,
    items: int | None = None,
    repeat: bool = False,
) -> Job:
    """Say what :func:`judge_again` would judge and write to; judge nothing.

    Raises:
        UserError: no such run, one of the other command, the output is the run itself,
            or fewer than one item is wanted.
    """
    source = Run.open(run)
    options = options or Options()
    if items is not None and items < 1:
        raise UserError(f"--aa {items}: judge at least one item again")
    every = source.stored_items()
    notes: tuple[Problem, ...] = ()
    if items is not None and items < len(every):
        some = f"{items} of its {counted(len(every), 'item')} again, evenly spaced"
        notes = (Problem(str(source.folder), f"judges {some}"),)
        every = [every[number * len(every) // items] for number in range(items)]
    if out is None:
        judge = options.judges[0]
        name = judge if isinstance(judge, str) else judge.spec
        ending = "aa" if repeat else re.sub(r"[^\w.]+", "-", name).strip("-")
        out = source.folder.with_name(f"{source.folder.resolve().name}-{ending}")
    out = location(out)
    if isinstance(out, Path) and source.folder.resolve() == out.resolve():
        raise UserError(f"{out}: is the run that is judged again; name another --out")
    if source.holds_scores != bool(options.rubrics):
        how = "rate" if source.holds_scores else "judge"
        raise UserError(
            f"{source.folder}: is a run of {how}; judge it again with trace-eval {how}"
        )
    if repeat:
        judge = options.judges[0]
        if isinstance(judge, str) and not options.rubrics:
            _check_same_kind(source, judge)
        judging = options.judging
        step = judging.samples if "seed" in source.record().judge.parameters else 0
        options = replace(
            options, judging=replace(judging, cache=None, seed=judging.seed + step)
        )
    return Job(
        manifest=Manifest(source.folder, every, notes=notes),
        out=out,
        options=options,
        source=source,
        repeat=repeat,
    )


def judge_again(
    run: Path | str,
    out: Path | str | None = None,
    options: Options | None = None,
    items: int | None = None,
    repeat: bool = False,
    listener: Listener | None = None,
) -> Summary:
    """Judge a finished run's items again on its stored evidence, extracting nothing.

    A run that is there already is continued. What has no stored blueprint is unscored.
    The new run's blueprints are those of the old one, byte for byte, so that a
    comparison of both (``compare --judge-change``, ``gate --aa``) can prove that only
    the judge differs.

    Args:
        out: folder of the new run; None: beside the old one.
        options: of the new judge; :class:`RateOptions` for a run of single answers.
        items: judge so many only, at even distances.
        repeat: A/A: the run's own judge once more, with the next seed, past the reply
            cache.
        listener: called for every finished item.

    Raises:
        UserError: no such run, or see :class:`trace_eval.runs.session.Session`.
    """
    return open_again(run, out, options=options, items=items, repeat=repeat).judge(
        listener
    )
