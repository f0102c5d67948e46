"""The plan that workers get: extractors, limits, and in which stages they are run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from extractors import MAX_SECONDS, Extractor, Hashes, known_hashes
from trace_eval.data.access import UrlAccess, url_access
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor

#: Clips that each model sees before it makes room for the next one: loading takes
#: seconds.
BATCH_PER_MODEL = 32


@dataclass(frozen=True)
class Stage:
    """Extractors that run in one go, in one process, and fill some groups.

    Attributes:
        on_gpu: they need the process that holds the models of a GPU.
        batch_size: clips that are worth handing over at once.
    """

    groups: frozenset[str]
    on_gpu: bool
    batch_size: int


@dataclass(frozen=True)
class Plan:
    """The facts that a worker needs, pickled to each."""

    extractors: tuple[Extractor, ...]
    cache_folder: Path | None = None
    max_seconds: float = MAX_SECONDS
    one_model_at_a_time: bool = False
    hashes: Hashes = field(default_factory=known_hashes, compare=False, repr=False)
    """Hashes of model files, so that not every worker reads gigabytes for them."""
    access: UrlAccess = field(default_factory=url_access, compare=False)
    """What URLs may name, in every worker."""

    def build(self) -> ClipExtractor:
        """Build the extractor of one process."""
        return ClipExtractor(
            self.extractors,
            Cache(self.cache_folder),
            self.max_seconds,
            keep_models=not self.one_model_at_a_time,
        )

    def stages(self, split: bool) -> list[Stage]:
        """Return the stages in order; ``split`` gives GPU work a process of its own."""
        if not split:
            return [self._stage(self.extractors, on_gpu=False)]
        numbers = _stage_numbers(self.extractors)
        stages: list[Stage] = []
        for number in sorted(set(numbers.values())):
            members = [
                each for each in self.extractors if numbers[each.group] == number
            ]
            stages.append(self._stage(members, on_gpu=bool(number % 2)))
        return stages

    def _stage(self, extractors: Sequence[Extractor], on_gpu: bool) -> Stage:
        batch = max((extractor.batch_size for extractor in extractors), default=1)
        if self.one_model_at_a_time and (on_gpu or extractors == self.extractors):
            batch = BATCH_PER_MODEL
        return Stage(frozenset(e.group for e in extractors), on_gpu, batch)


def _stage_numbers(extractors: Sequence[Extractor]) -> dict[str, int]:
    """Map groups to stages: even numbers on the CPU, odd on a GPU, low as can be."""
    numbers: dict[str, int] = {}
    for extractor in extractors:  # those come first that others use
        on_gpu = extractor.runs_on == "gpu"
        read = chain(extractor.needs, extractor.wants)
        used = [numbers[group] for group in read if group in numbers]
        last = max(used, default=0)
        numbers[extractor.group] = last if last % 2 == on_gpu else last + 1
    return numbers
