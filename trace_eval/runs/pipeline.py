"""The streaming pipeline: items -> clips -> blueprints -> judge -> run folder.

A bounded number of items is in flight: clips are extracted while earlier items are at
the judge. A clip that several of them share is asked for once, and its blueprint is
dropped with the last of them, so memory does not grow with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from blueprints import UserError
from extractors import AudioError, Extractor, one_line
from trace_eval.conversations.exchanges import not_parallel
from trace_eval.data.answers import Recording
from trace_eval.data.items import Item, Pair
from trace_eval.data.measures.language import is_unsure, requested_language
from trace_eval.data.measures.numbers import PairMeasures
from trace_eval.data.measures.pair import measure_item, pair_languages
from trace_eval.data.measures.whole import not_the_answer
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.engine import Engine, each
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.source import ClipSource, source_of
from trace_eval.extracting.start import extractors_of, with_needs
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.combine.panel import Panel
from trace_eval.runs.events import Listener, RunEvent
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run

if TYPE_CHECKING:  # brings libsndfile, which runs without sound do not need
    from extractors import Clip

#: What words alone need of a recording: its transcript, and whether anybody speaks.
_WORDS_NEED = frozenset({"transcript", "signal"})


def decode_recording(recording: Recording) -> Clip:
    """Read the samples of a recording now, for judges that listen.

    Raises:
        AudioError, UserError: see :meth:`ClipSource.decode`.
    """
    return source_of(recording).decode()


def plan_for(
    judge: Panel, options: ExtractOptions, items: Iterable[Item]
) -> list[Extractor]:
    """Plan the extractors that judges need of these items.

    Judges that only listen need none, unless extractors are named, nor do items without
    a needed recording. Scores of words alone need those that give words; judges that
    say which groups they read need those, and whatever was named.

    Raises:
        UserError: see :func:`trace_eval.extracting.start.extractors_of`.
    """
    if "blueprint" not in judge.reads and not (options.overrides and not judge.rubrics):
        return []
    if judge.rubrics and not any(judge.roles(item) for item in items):
        return []
    plan = extractors_of(options)
    need_words_alone = bool(judge.rubrics)
    for rubric in judge.rubrics:
        if rubric.needs_audio or rubric.of_conversations:
            need_words_alone = False
    if need_words_alone:
        return with_needs(plan, _WORDS_NEED)
    if judge.groups is None:
        return plan
    return with_needs(plan, set(judge.groups).union(options.overrides))


def recordings_needed(
    item: Item, judge: Panel, voices: bool = False
) -> dict[str, Recording]:
    """Return the recordings of an item that its judges need, by role.

    Args:
        voices: also that of a pair's voice, which no judge needs but the measures do.
    """
    recordings = item.recordings()
    roles = list(judge.roles(item))
    if voices:
        roles.append("voice")
    return {role: recordings[role] for role in roles if role in recordings}


def load_model(judge: Judge | Panel) -> None:
    """Load a judge's model before any work, so that it fails once, not at every item.

    Raises:
        UserError: it does not load.
    """
    try:
        judge.load()
    except UserError:
        raise
    except Exception as error:  # out of memory, or whatever a plugin raises
        message = f"{type(error).__name__}: {one_line(error)}"
        raise UserError(
            f"judge {judge.spec}: its model does not load ({message}); mend that,"
            " or name another"
        ) from error


class ClipPool:
    """Recordings in flight, each requested once and kept while it is needed."""

    def __init__(
        self, engine: Engine, on_clip: Callable[[Extracted, ClipSource], None]
    ) -> None:
        self._engine = engine
        self._on_clip = on_clip
        self._tasks: dict[ClipSource, asyncio.Task[Extracted]] = {}
        self._users: dict[ClipSource, int] = {}

    def request(self, source: ClipSource) -> asyncio.Task[Extracted]:
        """Ask for a recording, to await shielded; :meth:`release` it once per call."""
        self._users[source] = self._users.get(source, 0) + 1
        if source not in self._tasks:
            task = asyncio.create_task(self._extract(source))
            # Of two clips that fail, one is waited for; the other's error is the same
            # news.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._tasks[source] = task
        return self._tasks[source]

    async def _extract(self, source: ClipSource) -> Extracted:
        extracted = await self._engine.extract(source)
        self._on_clip(extracted, source)
        return extracted

    def release(self, source: ClipSource) -> None:
        """Release one user; the last one lets the blueprint go."""
        self._users[source] -= 1
        if not self._users[source]:
            del self._users[source], self._tasks[source]

    async def close(self) -> None:
        """Stop waiting for clips that are no longer needed."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Pipeline:
    """Judges items into a run.

    Args:
        run: where outcomes are appended as soon as they are known; None keeps nothing.
        voices: the plan embeds speakers, so that answers can be compared with a pair's
            voice.
    """

    def __init__(
        self,
        engine: Engine,
        judge: Panel,
        run: Run | None = None,
        listener: Listener | None = None,
        voices: bool = False,
    ) -> None:
        self._judge = judge
        self._voices = voices
        self._run = run
        self._engine = engine
        self._listener = listener
        self._clips = ClipPool(engine, self._clip_done)
        self._judging = asyncio.Semaphore(judge.concurrency)
        stored = run.clips().items() if run else ()
        self._sources = {
            source: record.clip for source, record in stored if record.clip
        }
        self._heard: dict[str, str] = {}
        self._blueprints = (
            {b.clip: hash(b.model_dump_json()) for b in run.blueprints()} if run else {}
        )

    async def judge_all(self, items: Iterable[Item]) -> None:
        """Judge the items in order, a bounded window of them at a time."""
        await self._each(items, self.judge)

    async def extract_all(self, items: Iterable[Item]) -> None:
        """Extract all recordings of the items in order, and judge nothing."""

        async def extract(item: Item) -> None:
            async with self._clips_of(item):
                pass

        await self._each(items, extract)

    async def _each(
        self, items: Iterable[Item], work: Callable[[Item], Awaitable[object]]
    ) -> None:
        try:
            await each(items, work, self._judge.concurrency + self._engine.capacity)
        finally:
            await self._clips.close()

    async def judge(self, item: Item) -> list[Outcome]:
        """Judge one item. Whatever happens to it is its outcome, never an exception."""
        async with self._clips_of(item) as clips:
            outcomes = await self._judge_clips(item, clips)
        if self._run:
            self._store_heard(self._run, item)
            for outcome in outcomes:
                self._run.add(outcome)
        if self._listener:
            self._listener(
                RunEvent(outcomes=tuple(outcomes), activity=self._judge.activity())
            )
        return outcomes

    @asynccontextmanager
    async def _clips_of(self, item: Item) -> AsyncIterator[dict[str, Extracted]]:
        """Yield the clips of an item by role, held while they are needed."""
        recordings = recordings_needed(item, self._judge, self._voices)
        sources: dict[str, ClipSource] = {}
        for role, recording in recordings.items():
            sources[role] = source_of(recording, item.language)
        held: list[ClipSource] = []
        try:
            clips = await self._held(sources, held)
            sources_again = _unsure(item, recordings, clips)
            clips_again = await self._held(sources_again, held)
            yield clips | clips_again
        finally:
            for source in held:
                self._clips.release(source)

    async def _held(
        self, requested: Mapping[str, ClipSource], held: list[ClipSource]
    ) -> dict[str, Extracted]:
        """Return clips by role; their sources join those that are to be released."""
        tasks = {
            role: self._clips.request(source) for role, source in requested.items()
        }
        held.extend(requested.values())
        return {role: await asyncio.shield(task) for role, task in tasks.items()}

    async def _judge_clips(
        self, item: Item, clips: Mapping[str, Extracted]
    ) -> list[Outcome]:
        answers = [clip for role, clip in clips.items() if role in item.answer_roles]
        failed = [clip for clip in answers if clip.blueprint is None]
        if failed:
            errors = "; ".join(clip.error for clip in failed if clip.error)
            return self._judge.unscored(item, Reason.CLIP_FAILED, errors)
        available = {
            role: clip.blueprint for role, clip in clips.items() if clip.blueprint
        }
        if isinstance(item, Pair) and (why := not_parallel(item, available)):
            return self._judge.unscored(item, Reason.NOT_PARALLEL, why)
        if why := not_the_answer(item, available):
            return self._judge.unscored(item, Reason.NOT_THE_ANSWER, why)
        measures = measure_item(item, available)
        languages = pair_languages(item, available)
        if self._run and (measures or languages):
            result = PairMeasures(pair=item.id, measures=measures, languages=languages)
            self._run.add_measures(result)
        async with self._judging:
            return await self._judge.outcomes(Case(item, available, self._decode))

    def _clip_done(self, clip: Extracted, source: ClipSource) -> None:
        if self._run:
            self._store(self._run, clip)
        if self._listener and source.assumed is None:  # else it is counted already
            self._listener(RunEvent(clip=clip, activity=self._judge.activity()))

    def _decode(self, recording: Recording) -> Clip:
        """Return the samples that a judge listens to, and remember which they were."""
        clip = decode_recording(recording)
        if clip.cut is not None:
            raise AudioError(
                f"{clip.name}: lacks the end of its file: {clip.cut}; copy it again"
            )
        self._heard[recording.source_id] = clip.sha256
        return clip

    def _store_heard(self, run: Run, item: Item) -> None:
        """Keep what identifies the recordings of an item that a judge listened to."""
        for recording in item.recordings().values():
            source = recording.source_id
            clip = self._heard.pop(source, None)
            if clip is not None and self._sources.get(source) != clip:
                self._sources[source] = clip
                run.add_clip(ClipRecord(source=source, clip=clip))

    def _store(self, run: Run, clip: Extracted) -> None:
        result = clip.blueprint
        if result and self._blueprints.get(result.clip) != (
            mark := hash(result.model_dump_json())
        ):
            self._blueprints[result.clip] = mark
            run.add_blueprint(result)
        name = result.clip if result else None
        if name is None or self._sources.get(clip.source) != name:
            if name is not None:
                self._sources[clip.source] = name
            run.add_clip(ClipRecord(source=clip.source, clip=name, error=clip.error))


def _unsure(
    item: Item, recordings: Mapping[str, Recording], results: Mapping[str, Extracted]
) -> dict[str, ClipSource]:
    """Return unsure answers, to be heard again in the language of the request."""
    request = results.get("instruction")
    recognised = request.blueprint if request else None
    requested = requested_language(item.instruction.text, recognised, item.language)
    if requested is None or item.language:  # what is given decides already
        return {}
    sources: dict[str, ClipSource] = {}
    for role, clip in results.items():
        if role in item.answer_roles and is_unsure(clip.blueprint):
            sources[role] = source_of(recordings[role], assumed=requested)
    return sources
