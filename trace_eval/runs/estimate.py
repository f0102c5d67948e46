"""What judging a manifest would send and cost; no run is made.

Nothing is sent but, to a model that its judge serves, a few calls that tell the hours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from blueprints import (
    Blueprint,
    Contour,
    Loudness,
    Pitch,
    Present,
    Quality,
    Rate,
    Signal,
    Span,
    Transcript,
    UserError,
    Word,
    counted,
)
from extractors import seconds_of, stamp_of
from trace_eval.data.answers import Recording
from trace_eval.data.items import Item
from trace_eval.data.manifests import Manifest
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.start import extractors_of
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.estimate import CostEstimate, estimate, total
from trace_eval.judges.ask.speed import (
    MOST_CALLS,
    ROUNDS,
    first_requests,
    measured,
)
from trace_eval.judges.base import Case
from trace_eval.judges.combine.panel import Panel
from trace_eval.judges.registry.create import panel_of
from trace_eval.runs.events import Listener
from trace_eval.runs.options import Options
from trace_eval.runs.pipeline import decode_recording, recordings_needed
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session, chat_judges

if TYPE_CHECKING:
    from trace_eval.judges.ask.judge import LLMJudge

#: Words per second of a fast conversation, 200 words a minute, so that guesses lie high
#: rather than low: conversational English has about 160 (Yuan, Liberman & Cieri 2006).
WORDS_PER_S = 200 / 60

#: A word of usual length, letters: English text has 4.7 on average.
_WORD = "words"

#: Step of the imagined contours, seconds: that of the extractors.
_STEP_S = 0.1


def estimate_manifest(
    manifest: Manifest,
    options: Options,
    out: Path | None = None,
    listener: Listener | None = None,
) -> CostEstimate:
    """Estimate calls, tokens and cost of unscored pairs from their very prompts.

    Clips are extracted, through the cache, so a run afterwards does not extract them
    again.

    Args:
        options: as for :func:`trace_eval.judge_manifest`; no key is needed.
        out: run whose scored pairs are left out; it is only read.

    Raises:
        UserError: the judge sends nothing, or options contradict each other.
    """
    with tempfile.TemporaryDirectory(prefix="trace-eval-estimate-") as folder:
        offline = _offline(options, Path(folder))
        left = _unscored(manifest, out, options)
        run = Path(folder) / "run"
        with Session(left, run, offline, listener) as session:
            result = session.estimate()
            chats = chat_judges(session.judge, "estimate")
            return _timed(result, chats, session.pending_cases, options)


def quick_estimate(
    manifest: Manifest, options: Options, out: Path | None = None
) -> CostEstimate:
    """Estimate within seconds, from the durations in files' headers alone.

    Nothing is extracted.

    Prompts are rendered from imagined blueprints with speech at :data:`WORDS_PER_S`. A
    recording whose duration is unknown counts as the mean of the others, and in
    ``guessed``.

    Raises:
        UserError: as :func:`estimate_manifest`; or no duration is known.
    """
    todo = _unscored(manifest, out, options)
    with tempfile.TemporaryDirectory(prefix="trace-eval-estimate-") as folder:
        offline = _offline(options, Path(folder))
        rubrics = [load_rubric(name) for name in options.rubrics]
        judge = panel_of(offline.judges, rubrics, offline.judging)
        chats = chat_judges(judge, "estimate")
        groups = frozenset(
            extractor.group for extractor in extractors_of(options.extract)
        )
        durations = _durations(todo.items, judge, options.extract.cache)
        available = [seconds for seconds in durations.values() if seconds is not None]
        if durations and not available:
            raise UserError(
                "estimate: the duration of none of"
                f" {counted(len(durations), 'recording')} is known before they are"
                " fetched or decoded; use --estimate without --quick"
            )
        mean = sum(available) / len(available) if available else 0.0

        def cases() -> Iterator[Case]:
            for item in todo.items:
                blueprints = {}
                for role, recording in recordings_needed(item, judge).items():
                    seconds = durations[recording.source_id]
                    # Whole seconds, so that few blueprints are built for many items.
                    whole = ceil(mean if seconds is None else seconds) or 1
                    blueprints[role] = _blueprint(whole, groups)
                yield Case(item, blueprints, decode_recording)

        result = total(estimate(chat, cases()) for chat in chats)
        result = replace(result, guessed=len(durations) - len(available))
        return _timed(result, chats, cases, options)


def _timed(
    result: CostEstimate,
    chats: Sequence[LLMJudge],
    cases: Callable[[], Iterable[Case]],
    options: Options,
) -> CostEstimate:
    """Add the hours of models that judges serve, timed by a few calls sent to them.

    Args:
        chats: judges that send nothing, which write the requests.
    """
    if (
        not result.calls
        or options.judging.offline
        or not all(one.client.brings_server for one in chats)
    ):
        return result
    rubrics = [load_rubric(name) for name in options.rubrics]
    try:
        asking_judges = panel_of(options.judges, rubrics, options.judging).chats
        speeds = []
        for writing, asking in zip(chats, asking_judges, strict=True):
            number = min(MOST_CALLS, ROUNDS * asking.sender.concurrency)
            speeds.append(measured(asking, first_requests(writing, cases(), number)))
    except (UserError, CallFailed, TimeoutError) as error:
        return replace(
            result, no_hours=str(error) or "the first call was not answered in time"
        )
    share = ceil(result.calls / len(speeds))
    seconds = sum(speed.seconds for speed in speeds)
    return replace(
        result,
        hours=sum(speed.hours(share) for speed in speeds),
        measured_calls=sum(speed.calls for speed in speeds),
        measured_s=float(f"{seconds:.3g}"),
        in_flight=max(speed.in_flight for speed in speeds),
    )


def _offline(options: Options, folder: Path) -> Options:
    judging = options.judging
    cache = judging.cache or folder / "replies.sqlite"
    return replace(options, judging=replace(judging, offline=True, cache=cache))


def _unscored(manifest: Manifest, out: Path | None, options: Options) -> Manifest:
    if out is None or not Run(out).exists:
        return manifest
    done = Run(out).scored([load_rubric(name).name for name in options.rubrics] or [""])
    left = [item for item in manifest.items if item.id not in done]
    # What is all done is no input of which nothing can be read.
    problems = manifest.problems if left else []
    return replace(manifest, items=left, part=None, problems=problems)


def _durations(
    items: Iterable[Item], judge: Panel, folder: Path | None
) -> dict[str, float | None]:
    """Return all recordings' durations by id, without opening files seen before."""
    cache = Cache(folder)
    durations: dict[str, float | None] = {}
    try:
        for item in items:
            for recording in recordings_needed(item, judge).values():
                if recording.source_id not in durations:
                    durations[recording.source_id] = _known_seconds(recording, cache)
    finally:
        cache.close()
    return durations


def _known_seconds(recording: Recording, cache: Cache) -> float | None:
    """Return a duration from the cache, else from the file's header."""
    whole = recording.cut is None and recording.audio is not None
    stamp = stamp_of(Path(str(recording.audio))) if whole else None
    seconds = cache.seconds_of(stamp) if stamp else None
    if seconds is not None:
        return seconds
    seconds = _seconds(recording)
    if stamp and seconds is not None:
        cache.remember_seconds(stamp, seconds)
    return seconds


def _seconds(recording: Recording) -> float | None:
    """Return the duration by the header of a file on this machine."""
    import soundfile

    if recording.cut is not None:
        return recording.cut.end_s - recording.cut.start_s
    if recording.audio is None:
        return None
    try:
        return float(soundfile.info(str(recording.audio)).duration)
    except (OSError, RuntimeError):  # soundfile's own errors are RuntimeErrors
        return seconds_of(recording.audio)


@lru_cache(maxsize=4096)
def _blueprint(seconds: int, groups: frozenset[str]) -> Blueprint:
    """Make up a clip of this length, spoken throughout, with a plan's groups."""
    count = max(1, round(seconds * WORDS_PER_S))
    steps = int(seconds / _STEP_S)
    wave = Contour(
        start_s=0.0, step_s=_STEP_S, values=[200.0 + i % 50 for i in range(steps)]
    )
    level = Contour(
        start_s=0.0, step_s=_STEP_S, values=[-20.0 - i % 9 for i in range(steps)]
    )
    gap = seconds / count
    words = [
        Word(text=_WORD, start_s=gap * i, end_s=gap * (i + 1)) for i in range(count)
    ]
    span = Span(start_s=0.0, end_s=float(seconds))
    made: dict[str, Present] = {
        "signal": Signal(
            duration_s=seconds,
            rate_hz=16_000,
            channels=1,
            peak_dbfs=-5.2,
            rms_dbfs=-26.1,
            clipping_ratio=0.0,
            bandwidth_hz=7_750.0,
            speech_s=seconds,
            speech=[span],
            pauses=[],
        ),
        "transcript": Transcript(
            text=" ".join([_WORD] * count),
            language="en",
            language_source="model",
            words=words,
        ),
        "quality": Quality(
            sig=4.03, bak=4.22, ovrl=3.61, p808=3.97, windows=seconds, level_dbfs=-26.1
        ),
        "pitch": Pitch(
            mean_hz=203.7,
            std_hz=49.8,
            median_hz=207.0,
            std_semitones=4.91,
            range_semitones=19.34,
            slope_semitones_per_s=-0.131,
            voiced_ratio=0.563,
            floor_hz=80,
            ceiling_hz=420,
            contour=wave,
        ),
        "loudness": Loudness(
            integrated_lufs=-24.07,
            std_lu=6.72,
            range_lu=5.23,
            slope_lu_per_s=-0.11,
            contour=level,
        ),
        "rate": Rate(
            wpm=WORDS_PER_S * 60,
            articulation_wpm=WORDS_PER_S * 60,
            syllables_per_s=4.12,
            words=count,
            syllables=count + count // 2,
            trend=1.07,
            contour=Contour(start_s=0.5, step_s=1.0, values=[4.1] * seconds),
        ),
    }
    return Blueprint.model_validate(
        {"clip": f"{seconds:064d}"}
        | {name: made[name] for name in made if name in groups}
    )
