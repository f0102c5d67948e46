"""The streaming pipeline: pairs -> clips -> blueprints -> judge -> run folder.

A bounded number of pairs is in flight. Clips are extracted by the engine while earlier
pairs are at the judge; a clip that several pairs in flight share is asked for once, and its
blueprint is dropped with the last of them, so memory does not grow with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blueprints import Blueprint
from extractors.base import Extractor
from trace_eval.data.judgement import Judgement, Reason
from trace_eval.data.pairs import Pair, Recording
from trace_eval.extracting.clip import ClipSource, Extracted
from trace_eval.extracting.engine import Engine, each
from trace_eval.extracting.start import extractors_of, source_of
from trace_eval.judges.base import Activity, Case, Judge, JudgeGone
from trace_eval.measures import PairMeasures, measure_pair
from trace_eval.options import ExtractOptions
from trace_eval.runs.run import ClipRecord, Run

if TYPE_CHECKING:  # brings libsndfile, which runs without sound do not need
    from extractors.audio import Clip


@dataclass(frozen=True)
class Event:
    """Something finished: a clip or a pair; or work began.

    Attributes:
        clip: that is extracted.
        judgement: that is made.
        pending: pairs that are not scored yet, told once, before the first of them.
        activity: of the judge at that moment.
    """

    clip: Extracted | None = None
    judgement: Judgement | None = None
    pending: int | None = None
    activity: Activity = field(default_factory=Activity)


Listener = Callable[[Event], None]


def decode_recording(recording: Recording) -> Clip:
    """The samples of a recording, read now; for judges that listen.

    Raises:
        AudioError: it cannot be decoded (any more).
        UserError: it cannot be fetched.
    """
    from extractors.audio import decode

    source = source_of(recording)
    return decode(source.content, source.id)


def plan_for(judge: Judge, options: ExtractOptions) -> list[Extractor]:
    """The extractors that a judge needs: none for one that only listens, unless they are named.

    Raises:
        UserError: see :func:`trace_eval.extracting.start.extractors_of`.
    """
    reads = getattr(judge, "reads", Judge.reads)
    if "blueprint" not in reads and not options.overrides:
        return []
    return extractors_of(options)


def recordings_of(pair: Pair, judge: Judge) -> list[Recording]:
    """What a judge needs of a pair: A, B and maybe the instruction."""
    wanted: list[Recording] = [pair.a, pair.b]
    if pair.instruction.has_audio and judge.needs_instruction(pair):
        wanted.append(pair.instruction)
    return wanted


class ClipPool:
    """Recordings in flight, each asked for once and kept while somebody needs it."""

    def __init__(self, engine: Engine, on_clip: Callable[[Extracted], None]) -> None:
        self._engine = engine
        self._on_clip = on_clip
        self._tasks: dict[str, asyncio.Task[Extracted]] = {}
        self._users: dict[str, int] = {}

    def request(self, recording: Recording) -> asyncio.Task[Extracted]:
        """Ask for a recording; pair every call with one :meth:`release`. Await it shielded."""
        source = recording.source_id
        self._users[source] = self._users.get(source, 0) + 1
        if source not in self._tasks:
            self._tasks[source] = asyncio.create_task(self._extract(source_of(recording)))
        return self._tasks[source]

    async def _extract(self, source: ClipSource) -> Extracted:
        found = await self._engine.extract(source)
        self._on_clip(found)
        return found

    def release(self, recording: Recording) -> None:
        """One user less; the last one lets the blueprint go."""
        source = recording.source_id
        self._users[source] -= 1
        if not self._users[source]:
            del self._users[source], self._tasks[source]

    async def close(self) -> None:
        """Stop waiting for clips that nobody will use any more."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Pipeline:
    """Judges pairs into a run.

    Args:
        engine: where clips are extracted.
        judge: who judges.
        run: where outcomes are appended as soon as they are known; None keeps nothing.
        window: pairs in flight.
        listener: told of every finished clip and pair.
    """

    def __init__(
        self,
        engine: Engine,
        judge: Judge,
        run: Run | None = None,
        window: int = 8,
        listener: Listener | None = None,
    ) -> None:
        self._judge = judge
        self._run = run
        self._window = window
        self._listener = listener
        self._clips = ClipPool(engine, self._clip_done)
        self._judging = asyncio.Semaphore(judge.concurrency)
        self._sources = {s for s, r in run.clips().items() if r.clip} if run else set()
        self._blueprints = (
            {b.clip: hash(b.model_dump_json()) for b in run.blueprints()} if run else {}
        )

    async def judge_all(self, pairs: Iterable[Pair]) -> None:
        """Judge the pairs in order, a bounded window of them at a time."""
        await self._each(pairs, self.judge)

    async def extract_all(self, pairs: Iterable[Pair]) -> None:
        """Extract all recordings of the pairs in order, and judge nothing."""
        await self._each(pairs, self.extract)

    async def _each(self, pairs: Iterable[Pair], work: Callable[[Pair], Awaitable[object]]) -> None:
        try:
            await each(pairs, work, self._window)
        finally:
            await self._clips.close()

    async def judge(self, pair: Pair) -> Judgement:
        """Judge one pair. Whatever happens to it is its judgement, never an exception."""
        async with self._clips_of(pair) as clips:
            judgement = await self._judge_clips(pair, clips)
        if self._run:
            self._run.add_judgement(judgement)
        if self._listener:
            self._listener(Event(judgement=judgement, activity=self._judge.activity()))
        return judgement

    async def extract(self, pair: Pair) -> None:
        """Extract the recordings of one pair."""
        async with self._clips_of(pair):
            pass

    @asynccontextmanager
    async def _clips_of(self, pair: Pair) -> AsyncIterator[list[Extracted]]:
        """The clips of a pair, held while they are needed."""
        wanted = recordings_of(pair, self._judge)
        tasks = [self._clips.request(recording) for recording in wanted]
        try:
            yield [await asyncio.shield(task) for task in tasks]
        finally:
            for recording in wanted:
                self._clips.release(recording)

    async def _judge_clips(self, pair: Pair, clips: list[Extracted]) -> Judgement:
        a, b, *instruction = clips
        if a.blueprint is None or b.blueprint is None:
            detail = "; ".join(clip.error for clip in (a, b) if clip.error)
            return Judgement.unscored(pair.id, self._judge.spec, Reason.CLIP_FAILED, detail)
        asked = instruction[0].blueprint if instruction else None
        self._measure(pair, a.blueprint, b.blueprint, asked)
        async with self._judging:
            try:
                return await self._judge.judge(
                    Case(pair, a.blueprint, b.blueprint, asked, decode_recording)
                )
            except JudgeGone:
                raise
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
                return Judgement.unscored(pair.id, self._judge.spec, Reason.JUDGE_FAILED, told)

    def _measure(self, pair: Pair, a: Blueprint, b: Blueprint, asked: Blueprint | None) -> None:
        """Keep what can be measured beside the ratings: error rates, speaker similarity."""
        if self._run and (found := measure_pair(pair, a, b, asked)):
            self._run.add_measures(PairMeasures(pair=pair.id, measures=found))

    def _clip_done(self, clip: Extracted) -> None:
        if self._run:
            self._store(self._run, clip)
        if self._listener:
            self._listener(Event(clip=clip, activity=self._judge.activity()))

    def _store(self, run: Run, clip: Extracted) -> None:
        found = clip.blueprint
        if found and self._blueprints.get(found.clip) != (mark := hash(found.model_dump_json())):
            self._blueprints[found.clip] = mark
            run.add_blueprint(found)
        if clip.source not in self._sources:
            if found:
                self._sources.add(clip.source)
            name = found.clip if found else None
            run.add_clip(ClipRecord(source=clip.source, clip=name, error=clip.error))
