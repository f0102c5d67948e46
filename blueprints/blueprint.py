"""The blueprint: everything the extractors know of one clip, as strict JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import get_args

from pydantic import Field

from blueprints.errors import UserError
from blueprints.groups.accent import Accent
from blueprints.groups.emotion import Emotion
from blueprints.groups.loudness import Loudness
from blueprints.groups.pitch import Pitch
from blueprints.groups.quality import Quality
from blueprints.groups.rate import Rate
from blueprints.groups.signal import Signal
from blueprints.groups.transcript import Transcript
from blueprints.records import Absent, Extension, Present, Provenance, Status, Strict

#: A detected language is beyond doubt from this probability on, in so many seconds of
#: speech, because odd voices are taken for odd languages.
CERTAIN_PROBABILITY, CERTAIN_SPEECH_S = 0.85, 3.0

#: Version of the blueprint's JSON; a change that an old reader would misread raises it.
SCHEMA_VERSION = "1"

NOT_REQUESTED = Absent(
    status=Status.NOT_REQUESTED, reason="no extractor was asked for it"
)

#: A cell of :func:`flat`.
Value = str | float | bool | None


class Blueprint(Strict):
    """The measurements of one clip; every group is present or says why it is not."""

    schema_version: str = Field(
        SCHEMA_VERSION, description="version of this record's schema"
    )
    clip: str = Field(description="SHA-256 of the decoded samples, rate and channels")
    signal: Signal | Absent = NOT_REQUESTED
    transcript: Transcript | Absent = NOT_REQUESTED
    quality: Quality | Absent = NOT_REQUESTED
    pitch: Pitch | Absent = NOT_REQUESTED
    loudness: Loudness | Absent = NOT_REQUESTED
    rate: Rate | Absent = NOT_REQUESTED
    emotion: Emotion | Absent = NOT_REQUESTED
    accent: Accent | Absent = NOT_REQUESTED
    extensions: dict[str, Extension | Absent] = Field(
        default_factory=dict,
        description="groups of third-party extractors, by group name",
    )
    provenance: dict[str, Provenance] = Field(
        default_factory=dict,
        description="group -> extractor, version, model, parameters",
    )

    @property
    def clip_s(self) -> float | None:
        """Length of the clip, seconds; None where it was not measured or is 0."""
        if isinstance(self.signal, Absent):
            return None
        return self.signal.duration_s or None

    @property
    def certain_language(self) -> str | None:
        """Return the ISO 639-1 code of a language detected beyond doubt, else None."""
        if isinstance(self.transcript, Absent) or isinstance(self.signal, Absent):
            return None
        spoken = self.transcript.spoken
        if spoken is None or not spoken.sure or self.signal.speech_s < CERTAIN_SPEECH_S:
            return None
        return spoken.language if spoken.probability >= CERTAIN_PROBABILITY else None

    @property
    def names(self) -> list[str]:
        """All groups in rendering order; extensions come last, by name."""
        return list(GROUPS) + sorted(self.extensions.keys() - GROUPS.keys())

    def group(self, name: str) -> Present | Absent:
        """Return a group by name, extensions included.

        A group that nothing filled is absent as ``not_requested``.
        """
        if name in GROUPS:
            value: Present | Absent = getattr(self, name)
            return value
        return self.extensions.get(name, NOT_REQUESTED)

    def with_group(
        self, name: str, value: Present | Absent, source: Provenance
    ) -> Blueprint:
        """Return a copy in which group ``name`` has this value and provenance."""
        provenance = {**self.provenance, name: source}
        if name in GROUPS:
            return self.model_copy(update={name: value, "provenance": provenance})
        extensions = {**self.extensions, name: value}
        return self.model_copy(
            update={"extensions": extensions, "provenance": provenance}
        )


#: The groups of every blueprint and the model of each, in rendering order.
GROUPS: dict[str, type[Present]] = {
    name: model
    for name, field in Blueprint.model_fields.items()
    for model in get_args(field.annotation)
    if isinstance(model, type) and issubclass(model, Present)
}

#: Names that stand for several groups; ``properties`` is the TRACE paper's word.
ALIASES: dict[str, tuple[str, ...]] = {"properties": ("pitch", "loudness", "rate")}


def feature_groups(
    names: Collection[str], extensions: Iterable[str] = ()
) -> frozenset[str]:
    """Resolve names of groups and their aliases.

    Raises:
        UserError: a name is neither a group, nor an alias, nor one of ``extensions``.
    """
    if isinstance(names, str):
        raise UserError(f"drop {names!r}: give a list of groups, e.g. [{names!r}]")
    known = set(GROUPS) | set(ALIASES) | set(extensions)
    groups: set[str] = set()
    for name in names:
        if name not in known:
            offered = ", ".join(list(GROUPS) + list(ALIASES))
            raise UserError(f"drop {name!r}: no such feature group; use {offered}")
        groups.update(ALIASES.get(name, (name,)))
    return frozenset(groups)


def flat(blueprint: Blueprint) -> dict[str, Value]:
    """Return one row of a table: every group's status, and the values of present ones.

    Columns are ``group.status`` and ``group.field``; scores by label are
    ``group.field.label``. Contours, words and other lists are left out. Units are in
    the names of the fields.

    >>> from blueprints import Blueprint
    >>> flat(Blueprint(clip="c"))["pitch.status"]
    'not_requested'
    """
    row: dict[str, Value] = {}
    for name in list(GROUPS) + list(blueprint.extensions):
        group = blueprint.group(name)
        row[f"{name}.status"] = str(group.status)
        if not isinstance(group, Absent):
            _add(row, name, group.model_dump(mode="json", exclude={"status"}))
    return row


def _add(row: dict[str, Value], name: str, value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _add(row, f"{name}.{key}", item)
    elif value is None or isinstance(value, str | bool | int | float):
        row[name] = value
