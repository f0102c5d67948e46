"""The interface of an extractor, and what every extractor may assume.

An extractor fills one group of the blueprint from a decoded clip. It says which groups
it needs first, which parameters and model files decide its values, and it returns the
group or an :class:`~blueprints.Absent` with a reason. Files, caching, batching over
clips, processes and failures are handled elsewhere, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar, NamedTuple

from pydantic import JsonValue

from blueprints import (
    Absent,
    Blueprint,
    Present,
    Provenance,
    Signal,
    Span,
    Status,
    install_line,
    is_installed,
)
from blueprints.decimals import written_apart
from extractors.audio import Clip, Samples
from extractors.contours import swing_dbfs
from extractors.vad import MIN_SPEECH_S

#: The limits of an extractor that states none.
UNKNOWN_LIMITS = "no statement of its limits is known; test it on clips like yours."

#: Peak level under which a clip counts as silent, dBFS: one step of 10-bit audio.
SILENCE_DBFS = -60.0


class Item(NamedTuple):
    """One unit of work: a clip, and the groups of its blueprint known so far."""

    clip: Clip
    known: Blueprint

    @property
    def speech(self) -> list[Span]:
        """Where speech is in a clip that has passed :func:`speech_gate`."""
        assert isinstance(self.known.signal, Signal)
        return self.known.signal.speech


def past_gate(
    items: Sequence[Item],
    gate: Callable[[Blueprint], Absent | None],
    measure: Callable[[list[Item]], Sequence[Present]],
) -> list[Present | Absent]:
    """Measure the clips that pass the gate; of others return why it holds them back.

    ``measure`` is given all clips that are left, at least one, and gives a group of
    each.
    """
    gates = [gate(item.known) for item in items]
    left = [item for item, absent in zip(items, gates, strict=True) if absent is None]
    result = iter(measure(left) if left else [])
    return [absent or next(result) for absent in gates]


@dataclass(frozen=True)
class Extractor:
    """A measurement of each recording, with options as dataclass fields.

    In Python one of your own is used at once::

        @dataclass(frozen=True)
        class Crest(trace_eval.Extractor):
            name = group = "crest"
            version = "1"  # raise it when the same clip would give another value

            def extract(self, clip, blueprint):
                peak = float(abs(clip.mono).max())
                return trace_eval.Extension(values={"peak": peak})

        trace_eval.judge({"new": "DIR", "old": "DIR"}, overrides={"crest": Crest()},
                         workers=0)

    For ``-x crest=crest`` an installed package offers the class, as an entry point in
    its ``pyproject.toml``::

        [project.entry-points."trace_eval.extractors"]
        crest = "my_module:Crest"

    Subclasses set the class variables and implement :meth:`extract`, or
    :meth:`extract_batch` when their model works on several clips at once. Instances are
    pickled to worker processes, so a model is loaded lazily and kept in a module-level
    cache or set by :meth:`load`.
    """

    #: Registered name, e.g. ``faster-whisper``.
    name: ClassVar[str]
    #: Blueprint group that it fills: a key of ``blueprints.GROUPS``, or a new name
    #: (then it returns ``blueprints.Extension``).
    group: ClassVar[str]
    #: Raise it whenever the same clip could give other values.
    version: ClassVar[str]
    #: What it does not measure well, in a sentence; cards of judges print it.
    limits: ClassVar[str] = UNKNOWN_LIMITS
    #: Groups that must be extracted before this one.
    needs: ClassVar[tuple[str, ...]] = ()
    #: Groups that it uses where the plan has them; they come first, and into the cache
    #: key.
    wants: ClassVar[tuple[str, ...]] = ()
    #: Import name -> distribution name of the packages that it needs.
    packages: ClassVar[dict[str, str]] = {}
    #: The command that installs a missing package.
    install: ClassVar[str] = install_line()
    #: False: its package has no wheel for some machines, or its weights come from an
    #: extra. There a profile does without the group, and says why; an extractor that
    #: the user named is refused.
    everywhere: ClassVar[bool] = True
    #: True: :meth:`load` may run in another thread than :meth:`extract`, while other
    #: extractors work.
    loads_beside: ClassVar[bool] = False
    #: The option that follows the colon of a spec ``NAME:VALUE``.
    argument: ClassVar[str] = "model"

    @property
    def runs_on(self) -> str:
        """Return ``gpu`` if its model may use one.

        Such extractors run in one process per device.
        """
        return "cpu"

    @property
    def batch_size(self) -> int:
        """Most clips that :meth:`extract_batch` takes at once."""
        return 1

    @property
    def named(self) -> str:
        """Return the spec that makes it, ``NAME`` or ``NAME:VALUE``.

        Its other options are not in it.
        """
        value = getattr(self, self.argument, None)
        return f"{self.name}:{value}" if isinstance(value, str | Path) else self.name

    def parameters(self) -> dict[str, JsonValue]:
        """Return all that decides the values beside clip, code and model.

        Default: all dataclass fields. Leave out what cannot change the output: device,
        path, threads.
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def revision(self) -> str | None:
        """Return the SHA-256 of the model files, or None where there is no model."""
        return None

    def unavailable(self) -> str | None:
        """Say why it cannot run here, with the remedy; None when it can."""
        missing = [
            dist for module, dist in self.packages.items() if not is_installed(module)
        ]
        if missing:
            return f"{self.name} needs {', '.join(missing)}; run: {self.install}"
        return None

    def provenance(self) -> Provenance:
        """Return the record for the blueprint and, with the clip, for the cache key."""
        return Provenance(
            extractor=self.name,
            version=self.version,
            packages={dist: package_version(dist) for dist in self.packages.values()},
            revision=None if self.unavailable() else self.revision(),
            parameters=self.parameters(),
        )

    def for_language(self, language: str | None, assumed: str | None) -> Extractor:
        """Return the extractor for clips whose language is known; by default this one.

        Args:
            language: in which the clip is spoken, as its manifest says.
            assumed: to be tried where the extractor is unsure of the language.

        Raises:
            UserError: it does not recognise that language.
        """
        return self

    def load(self) -> None:
        """Load models, once per process, before the first clip."""

    def close(self) -> None:
        """Release models and device memory."""

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Measure one clip.

        ``blueprint`` holds the groups of :attr:`needs` and :attr:`wants`.
        """
        if type(self).extract_batch is Extractor.extract_batch:
            raise NotImplementedError(
                f"{self.name} has neither extract nor extract_batch"
            )
        return self.extract_batch([Item(clip, blueprint)])[0]

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        """Measure several clips; default: one after the other."""
        return [self.extract(item.clip, item.known) for item in items]


def package_version(distribution: str) -> str:
    """Return the installed version of a distribution, or ``"missing"``."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"


def silent(samples: Samples) -> Absent | None:
    """Say why nothing is measured of silence, whatever its offset; None for sound."""
    level = swing_dbfs(samples)
    if level >= SILENCE_DBFS:
        return None
    if level == -math.inf:
        peak = "all samples are equal"
    else:
        peak = f"the peak is {written_apart(level, [SILENCE_DBFS], digits=1)} dBFS"
    reason = f"{peak}, silence is under {SILENCE_DBFS:g}"
    return Absent(status=Status.SILENT, reason=reason)


def speech_gate(blueprint: Blueprint, min_speech_s: float = 0.0) -> Absent | None:
    """Say why a speech measure makes no sense for this clip, or None when it does.

    Speech measures on silence invent numbers (DNSMOS gives 2.2 on digital silence) or
    words (Whisper), so every one of them comes here first.
    """
    signal = blueprint.signal
    if not isinstance(signal, Signal):
        return Absent(
            status=Status.FAILED, reason=f"needs group signal, which is {signal.status}"
        )
    if signal.peak_dbfs is None or signal.peak_dbfs < SILENCE_DBFS:
        zero = "all samples are zero"
        if signal.peak_dbfs is None:
            peak = zero
        else:
            peak = (
                "the peak is"
                f" {written_apart(signal.peak_dbfs, [SILENCE_DBFS], digits=1)} dBFS"
            )
        return Absent(
            status=Status.SILENT, reason=f"{peak}, silence is under {SILENCE_DBFS:g}"
        )
    if signal.duration_s < MIN_SPEECH_S:
        return Absent(
            status=Status.TOO_SHORT,
            reason=(
                f"{written_apart(signal.duration_s, [MIN_SPEECH_S], digits=3)} s long,"
                f" speech is at least {MIN_SPEECH_S:g} s"
            ),
        )
    if signal.speech_s <= 0:
        return Absent(
            status=Status.NO_SPEECH,
            reason="the voice activity detector found no speech",
        )
    if signal.speech_s < min_speech_s:
        return Absent(
            status=Status.TOO_SHORT,
            reason=(
                f"{written_apart(signal.speech_s, [min_speech_s], digits=2)} s of"
                f" speech, at least {min_speech_s:g} s are needed"
            ),
        )
    return None
