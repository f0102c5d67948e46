"""Recordings to blueprints in one process: decode once, ask the cache, run the rest."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from threadpoolctl import ThreadpoolController

from blueprints import (
    Absent,
    Blueprint,
    Present,
    Provenance,
    Signal,
    Status,
    UserError,
    counted,
)
from extractors import MAX_SECONDS, Clip, Extractor, Item
from trace_eval.data.urls import redact_urls
from trace_eval.extracting.cache import Cache, group_key, lasting
from trace_eval.extracting.source import ClipSource

#: Recordings of a batch are decoded up to this much sound, then measured before the
#: next ones, seconds: a batch of eight answers of half an hour would take gigabytes.
HELD_S = 120.0


@dataclass(frozen=True)
class Extracted:
    """The outcome of the extraction of one recording."""

    source: str
    blueprint: Blueprint | None = None
    error: str | None = None
    audio_s: float = 0.0
    work: dict[str, float] = field(default_factory=dict)
    """Extractor name -> seconds it took here; empty when everything came from the cache."""
    cache_problem: str | None = None
    """Why the cache was of no use."""

    def after(self, earlier: Extracted) -> Extracted:
        """Add an earlier stage's work to this outcome of a later one."""
        return replace(self, work={**earlier.work, **self.work})


class _ForLanguage(NamedTuple):
    """An extractor set to a clip's language, or the reason why it cannot be."""

    extractor: Extractor | Absent
    provenance: Provenance


class ClipExtractor:
    """Runs a plan of extractors over recordings, through the cache.

    Args:
        plan: in dependency order.
        max_seconds: longer recordings are refused.
        keep_models: hold every model; else each is released before the next one is
            loaded.
    """

    def __init__(
        self,
        plan: Sequence[Extractor],
        cache: Cache,
        max_seconds: float = MAX_SECONDS,
        keep_models: bool = True,
    ) -> None:
        self.plan = list(plan)
        self.cache = cache
        self.max_seconds = max_seconds
        self._keep_models = keep_models
        self._blocked: dict[str, Absent] = {}
        self._loaded: set[str] = set()
        self._loading: dict[str, Future[str | None]] = {}
        self._provenance = {
            extractor.group: extractor.provenance() for extractor in self.plan
        }
        self._for_language: dict[tuple[str, str | None, str | None], _ForLanguage] = {}
        self._libraries = ThreadpoolController()
        #: How many modules there were when libraries were looked for; None: a model was
        #: loaded since.
        self._modules_then: int | None = len(sys.modules)

    def run(
        self,
        sources: Sequence[ClipSource],
        before: Sequence[Blueprint | None] = (),
        groups: Collection[str] | None = None,
    ) -> list[Extracted]:
        """Extract blueprints of some recordings, in order; never raise for a recording.

        Args:
            before: the blueprint of each by an earlier stage of the same plan.
            groups: fill these only; default: all that the plan has.
        """
        jobs = map(_Job, sources, before or [None] * len(sources))
        return [
            outcome for part in self._parts(jobs) for outcome in self._run(part, groups)
        ]

    def _parts(self, jobs: Iterable[_Job]) -> Iterator[list[_Job]]:
        """Hand on identified recordings, as many together as may be held decoded."""
        part: list[_Job] = []
        for job in jobs:
            job.identify(self.cache, self.max_seconds)
            part.append(job)
            held_s = sum(one.clip.seconds for one in part if one.clip)
            if held_s >= HELD_S and self._keep_models:
                yield part
                part = []
        if part:
            yield part

    def _run(
        self, jobs: Sequence[_Job], groups: Collection[str] | None
    ) -> list[Extracted]:
        available = [job for job in jobs if job.blueprint is not None]
        claimed = self.cache.claim(*(job.partial.clip for job in available))
        with claimed, self._one_thread():
            if available and not self._loading:
                self._load_beside(available[0], groups)
            for extractor in self.plan:
                if groups is not None and extractor.group not in groups:
                    self._name(extractor, available)
                    continue
                self._fill(extractor, available)
                if not self._keep_models and extractor.group in self._loaded:
                    extractor.close()
                    self._loaded.discard(extractor.group)
        return [job.outcome(self.cache.problem) for job in jobs]

    def _one_thread(self) -> AbstractContextManager[object]:
        """Limit BLAS libraries to one thread.

        Products differ by rounding with the number of threads, and words with them. To
        look for libraries takes longer than a short clip, so that is done again only
        where a module or a model was loaded.
        """
        modules = len(sys.modules)
        if modules != self._modules_then:
            self._libraries = ThreadpoolController()
            self._modules_then = modules
        limit: AbstractContextManager[object] = self._libraries.limit(
            limits=1, user_api="blas"
        )
        return limit

    def stored(self, source: ClipSource) -> Extracted | None:
        """Return the blueprint that the cache holds; None if something is to measure.

        No model is loaded and nothing is decoded; what is behind a URL is not asked
        for.
        """
        stamp = source.stamp() if source.path is not None else None
        clip = self.cache.clip_of(stamp) if stamp else None
        if clip is None:
            return None
        job = _Job(source, Blueprint(clip=clip))
        for extractor in self.plan:
            self._name(extractor, [job])
            chosen = self._for(extractor, source)
            value = self.cache.get(job.keys[extractor.group], extractor.group)
            if value is None or isinstance(chosen.extractor, Absent):
                return None
            job.put(extractor.group, value, chosen.provenance)
        return job.outcome(self.cache.problem)

    def _name(self, extractor: Extractor, jobs: Sequence[_Job]) -> None:
        """Compute every job's key of this extractor's group, for later groups' keys."""
        used = self._used(extractor)
        for job in jobs:
            needs = {name: job.keys[name] for name in used}
            source = self._for(extractor, job.source).provenance
            job.keys[extractor.group] = group_key(job.partial.clip, source, needs)

    def _for(self, extractor: Extractor, source: ClipSource) -> _ForLanguage:
        """Return the extractor for a clip, whose language may be stated."""
        group, language, assumed = extractor.group, source.language, source.assumed
        own = self._provenance[group]
        if language is None and assumed is None:
            return _ForLanguage(extractor, own)
        key = (group, language, assumed)
        if key not in self._for_language:
            try:
                chosen = extractor.for_language(language, assumed)
                provenance = own if chosen is extractor else chosen.provenance()
                self._for_language[key] = _ForLanguage(chosen, provenance)
            except UserError as error:
                named = {**own.parameters, "language": language}
                provenance = own.model_copy(update={"parameters": named})
                self._for_language[key] = _ForLanguage(
                    failure(extractor, error), provenance
                )
        return self._for_language[key]

    def _fill(self, extractor: Extractor, jobs: Sequence[_Job]) -> None:
        """Give every job this extractor's group, those of one language together."""
        self._name(extractor, jobs)
        alike: dict[int, tuple[_ForLanguage, list[_Job]]] = {}
        for job in jobs:
            chosen = self._for(extractor, job.source)
            alike.setdefault(id(chosen.extractor), (chosen, []))[1].append(job)
        for chosen, some in alike.values():
            if isinstance(chosen.extractor, Absent):
                for job in some:
                    job.put(extractor.group, chosen.extractor, chosen.provenance)
            else:
                self._fill_alike(chosen.extractor, chosen.provenance, some)

    def _fill_alike(
        self, extractor: Extractor, source: Provenance, jobs: Sequence[_Job]
    ) -> None:
        """Fill a group from the cache, else by measuring."""
        group = extractor.group
        missing: dict[str, list[_Job]] = {}
        for job in jobs:
            value = self.cache.get(job.keys[group], group)
            if value is not None:
                job.put(group, value, source)
            elif job.needs_audio(self.max_seconds):
                missing.setdefault(job.keys[group], []).append(job)
        equal = list(missing.values())  # one recording may come under several names
        for start in range(0, len(equal), extractor.batch_size):
            batch = equal[start : start + extractor.batch_size]
            values = self._measure(extractor, [first for first, *_ in batch])
            for (first, *others), value in zip(batch, values, strict=True):
                # What was derived from a failed group may be better next time.
                if all(
                    lasting(first.partial.group(name)) for name in self._used(extractor)
                ):
                    self.cache.put(first.keys[group], group, value)
                for job in (first, *others):
                    job.put(group, value, source)

    def _used(self, extractor: Extractor) -> list[str]:
        """Return the groups an extractor reads: needed ones and planned wanted ones."""
        wanted = [name for name in extractor.wants if name in self._provenance]
        return list(extractor.needs) + wanted

    def _measure(
        self, extractor: Extractor, jobs: Sequence[_Job]
    ) -> list[Present | Absent]:
        if blocked := self._ready(extractor):
            return [blocked for _ in jobs]
        items = [
            Item(job.clip, job.blueprint) for job in jobs if job.clip and job.blueprint
        ]
        started = time.perf_counter()
        try:
            values = extractor.extract_batch(items)
            if not isinstance(values, list) or len(values) != len(items):
                what = f"{values!r:.80} for {counted(len(items), 'clip')}"
                raise TypeError(f"{extractor.name} returned {what}")
            for value in values:
                if not isinstance(value, Present | Absent):
                    raise TypeError(
                        f"{extractor.name} returned {value!r:.80}, no blueprint group"
                    )
        except Exception as error:
            if len(jobs) > 1:  # one bad clip must not cost its neighbours
                return [self._measure(extractor, [job])[0] for job in jobs]
            values = [failure(extractor, error)]
        share = (time.perf_counter() - started) / len(jobs)
        for job in jobs:
            job.work[extractor.name] = job.work.get(extractor.name, 0.0) + share
        return list(values)

    def _load_beside(self, first: _Job, groups: Collection[str] | None) -> None:
        """Begin to load models that the first recording lacks, in a thread.

        They load while earlier groups are measured. Where models are released one by
        one, nothing is loaded ahead.
        """
        if not self._keep_models or not any(one.loads_beside for one in self.plan):
            return
        lacking: list[Extractor] = []
        for extractor in self.plan:
            self._name(extractor, [first])
            group = extractor.group
            if group in self._loaded or (groups is not None and group not in groups):
                continue
            chosen = self._for(extractor, first.source).extractor
            if isinstance(chosen, Absent) or not chosen.loads_beside:
                continue
            if self.cache.get(first.keys[group], group) is None:
                lacking.append(chosen)
        if not lacking:
            return
        thread = ThreadPoolExecutor(1, "trace-eval-load")
        for extractor in lacking:
            self._loading[extractor.group] = thread.submit(_load, extractor)
        thread.shutdown(wait=False)  # it ends behind the last model

    def _ready(self, extractor: Extractor) -> Absent | None:
        """Load the extractor on its first clip; why it cannot run, or None."""
        group = extractor.group
        if group not in self._loaded:
            self._loaded.add(group)
            self._modules_then = None
            loading = self._loading.get(group)
            reason = _load(extractor) if loading is None else loading.result()
            if reason is not None:
                self._blocked[group] = Absent(status=Status.UNAVAILABLE, reason=reason)
        return self._blocked.get(group)

    def close(self) -> None:
        """Release the models and the cache."""
        for group, loading in self._loading.items():
            loading.result()
            self._loaded.add(group)
        for extractor in self.plan:
            if extractor.group in self._loaded:
                extractor.close()
        self.cache.close()


def _load(extractor: Extractor) -> str | None:
    """Load an extractor's models; why it cannot run, or None."""
    if reason := extractor.unavailable():
        return reason
    try:
        extractor.load()
    except Exception as error:
        return _named(extractor, error)
    return None


class _Job:
    """One recording on its way through the plan."""

    def __init__(self, source: ClipSource, blueprint: Blueprint | None = None) -> None:
        self.source = source
        self.clip: Clip | None = None
        self.blueprint = blueprint
        self.error: str | None = None
        self.keys: dict[str, str] = {}
        self.work: dict[str, float] = {}

    @property
    def partial(self) -> Blueprint:
        """The blueprint so far; only of a recording that was identified."""
        assert self.blueprint is not None
        return self.blueprint

    def put(self, group: str, value: Present | Absent, source: Provenance) -> None:
        self.blueprint = self.partial.with_group(group, value, source)

    def identify(self, cache: Cache, max_seconds: float) -> None:
        """Find the clip hash, by the cache if the file is unchanged, or by decoding."""
        if self.blueprint is not None:
            return
        try:
            stamp = self.source.stamp()
        except UserError as error:
            self.error = str(error)
            return
        clip = cache.clip_of(stamp) if stamp else None
        if clip is None:
            if not self.needs_audio(max_seconds) or self.clip is None:
                return
            clip = self.clip.sha256
            if stamp:
                cache.remember_clip(stamp, clip)
        self.blueprint = Blueprint(clip=clip)

    def needs_audio(self, max_seconds: float) -> bool:
        """Decode unless that was done; return False, and keep the error, on failure."""
        if self.clip is None and self.error is None:
            try:
                self.clip = self.source.decode(max_seconds)
            except UserError as error:
                self.error = str(error)
            except Exception as error:  # a decoder bug costs one clip, not the run
                self.error = (
                    f"{self.source.id}: cannot be decoded ({error_text(error)})"
                )
            if self.clip and self.blueprint and self.clip.sha256 != self.blueprint.clip:
                # Values of the new recording must not be kept under the old one's hash.
                self.clip = None
                self.error = (
                    f"{self.source.id}: has changed while it was worked on; run again"
                )
        return self.error is None

    def outcome(self, cache_problem: str | None) -> Extracted:
        signal = self.blueprint.signal if self.blueprint else None
        stored_s = signal.duration_s if isinstance(signal, Signal) else 0.0
        return Extracted(
            source=self.source.id,
            blueprint=None if self.error else self.blueprint,
            error=self.error,
            audio_s=self.clip.seconds if self.clip else stored_s,
            work=self.work,
            cache_problem=cache_problem,
        )


def failure(extractor: Extractor, error: Exception) -> Absent:
    """Return the group of an extractor that raised, as a blueprint holds it."""
    return Absent(status=Status.FAILED, reason=_named(extractor, error))


def _named(extractor: Extractor, error: Exception) -> str:
    """Put the extractor's name before an error, unless it is there already."""
    details, name = error_text(error), f"{extractor.name}: "
    return details if details.startswith(name) else f"{name}{details}"


def error_text(error: Exception) -> str:
    """Describe an error in one line without secrets, its type first.

    Errors that a user caused go without their type.
    """
    text = redact_urls(" ".join(str(error).split()))[:300]
    if isinstance(error, UserError):
        return text
    return f"{type(error).__name__}: {text}".rstrip(": ")
