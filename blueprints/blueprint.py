"""The blueprint: everything the extractors know of one clip, as strict JSON."""

from __future__ import annotations

from pydantic import Field

from blueprints.groups import (
    Absent,
    Accent,
    Emotion,
    Extension,
    Loudness,
    Pitch,
    Present,
    Provenance,
    Quality,
    Rate,
    Signal,
    Status,
    Strict,
    Transcript,
)

#: Version of the blueprint's JSON; a change that an old reader would misread raises it.
SCHEMA_VERSION = "1"

#: The groups of every blueprint and the model of each, in rendering order.
GROUPS: dict[str, type[Present]] = {
    "signal": Signal,
    "transcript": Transcript,
    "quality": Quality,
    "pitch": Pitch,
    "loudness": Loudness,
    "rate": Rate,
    "emotion": Emotion,
    "accent": Accent,
}

NOT_REQUESTED = Absent(status=Status.NOT_REQUESTED, reason="no extractor was asked for it")


class Blueprint(Strict):
    """What is known of one clip; every group is present or says why it is not."""

    schema_version: str = Field(SCHEMA_VERSION, description="version of this record's schema")
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
        default_factory=dict, description="groups of third-party extractors, by group name"
    )
    provenance: dict[str, Provenance] = Field(
        default_factory=dict, description="group -> extractor, version, model, parameters"
    )

    def group(self, name: str) -> Present | Absent:
        """A group by name, extensions included; ``not_requested`` when nobody filled it."""
        if name in GROUPS:
            found: Present | Absent = getattr(self, name)
            return found
        return self.extensions.get(name, NOT_REQUESTED)

    def with_group(self, name: str, value: Present | Absent, source: Provenance) -> Blueprint:
        """A copy in which group ``name`` has this value and provenance."""
        provenance = {**self.provenance, name: source}
        if name in GROUPS:
            return self.model_copy(update={name: value, "provenance": provenance})
        extensions = {**self.extensions, name: value}
        return self.model_copy(update={"extensions": extensions, "provenance": provenance})
