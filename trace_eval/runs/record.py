"""The record of a run: what was judged, by whom and how, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from blueprints import FiniteJson, Provenance
from fusion import DEFAULT_POLICY
from trace_eval.judges.options.judge_options import MAY_CHANGE

#: Version of the record's JSON; a change that an old reader would misread raises it.
SCHEMA_VERSION = "1"

#: Parts that decide the judgements: those of one run are made with equal ones, except
#: for the parameters in :data:`trace_eval.judges.options.MAY_CHANGE`.
DECIDING = ("extractors", "rubrics", "judge", "max_seconds")


class RecordSection(BaseModel):
    """A frozen section of a record, lenient to newer and older versions.

    What a newer version wrote is kept, and what an older one left out is empty.
    """

    model_config = ConfigDict(extra="allow", allow_inf_nan=False, frozen=True)


class JudgeRecord(RecordSection):
    """The judge of a run."""

    spec: str = "unknown"
    parameters: dict[str, FiniteJson] = Field(
        default_factory=dict, description="everything that decides its output"
    )
    condition: str | None = Field(None, description="of an ablation: what was left out")


class ShardRecord(RecordSection):
    """Which part of an input, see :class:`trace_eval.data.shards.Part`."""

    index: int
    of: int
    pairs: int = Field(description="items of the whole input")
    digest: str = Field(description="SHA-256 of the ids of all items of the input")


class SessionRecord(RecordSection):
    """One sitting: from the start of a command to its end."""

    started: str = Field("", description="UTC, ISO 8601")
    ended: str | None = Field(None, description="null: it was killed")
    seconds: float | None = None
    clips: int | None = Field(
        None, description="recordings extracted, or read from the cache"
    )
    extracted_s: dict[str, float] = Field(
        default_factory=dict, description="extractor -> seconds of compute"
    )


class EnvironmentRecord(RecordSection):
    """What it ran on."""

    trace_eval: str = Field("", description="version of this distribution")
    git_revision: str | None = Field(
        None, description="of a clone; + where files were changed"
    )
    python: str = ""
    platform: str = ""
    packages: dict[str, str] = Field(
        default_factory=dict, description="distribution -> version"
    )


class CoverageRecord(RecordSection):
    """How much was scored."""

    total: int = Field(description="records of the input")
    scored: int
    unscored: dict[str, int] = Field(
        default_factory=dict, description="reason -> items"
    )


class OriginRecord(RecordSection):
    """One of the runs that a merged run was made of."""

    run: str
    shard: ShardRecord | None = None
    environment: dict[str, FiniteJson] = Field(default_factory=dict)


class RunRecord(RecordSection):
    """What ``manifest.json`` of a run folder holds; ablations' runs have one too."""

    schema_version: str = SCHEMA_VERSION
    input: str = Field(
        "", description="path or URL of the pairs; several after a merge"
    )
    input_sha256: str | None = Field(
        None, description="of that file; null: unknown, or several"
    )
    shard: ShardRecord | None = Field(None, description="null: the whole input")
    tag: str | None = Field(None, description="name by which the user finds it again")
    extractors: dict[str, Provenance] = Field(
        default_factory=dict, description="blueprint group -> what filled it"
    )
    judge: JudgeRecord = JudgeRecord()
    rubrics: dict[str, dict[str, FiniteJson]] = Field(
        default_factory=dict,
        description="of rate: rubric -> everything it says, and its SHA-256",
    )
    judge_observed: dict[str, FiniteJson] = Field(
        default_factory=dict,
        description="what turned out and decides nothing: prices, limits",
    )
    profile: str | None = None
    max_seconds: float | None = Field(
        None, description="longer recordings were refused"
    )
    policy: str = Field(DEFAULT_POLICY, description="that fused overall.jsonl")
    policies: tuple[str, ...] = Field((), description="all that the run was fused with")
    seed: int | None = None
    options: dict[str, FiniteJson] = Field(
        default_factory=dict, description="as a file for --config holds them"
    )
    environment: EnvironmentRecord = EnvironmentRecord()
    sessions: tuple[SessionRecord, ...] = ()
    coverage: CoverageRecord | None = Field(
        None, description="null: no session has ended"
    )
    merged: tuple[OriginRecord, ...] = ()
    unused_labels: tuple[str, ...] = Field(
        (), description="columns of labels of which some values could not be read"
    )

    @property
    def started(self) -> str:
        """When its first session began, ISO 8601; empty where that is unknown."""
        return self.sessions[0].started if self.sessions else ""

    def continuing(self, before: RunRecord) -> RunRecord:
        """Return the record of a session that goes on where others ended."""
        policies = dict.fromkeys((self.policy, *before.policies, before.policy))
        return self.model_copy(
            update={
                "sessions": before.sessions + self.sessions,
                "policies": tuple(policies),
                "tag": self.tag or before.tag,
            }
        )


#: Extractors that a message names, of those that differ.
_NAMED = 3

#: Part of a record -> what to call another one of it.
_ANOTHER = {
    "shard": "another shard",
    "extractors": "other extractors",
    "rubrics": "other rubrics",
    "judge": "another judge",
    "max_seconds": "another limit max_seconds",
    "policy": "another policy",
    "seed": "another seed",
}


def another(part: str, details: str, than: object = None) -> str:
    """Name what two records differ in, e.g. ``another judge than RUN (spec: ...)``."""
    compared = "" if than is None else f" than {than}"
    return f"{_ANOTHER[part]}{compared} ({details})"


def differences(
    stored: RunRecord, new: RunRecord, parts: Iterable[str], word: str = "now"
) -> Iterator[tuple[str, str]]:
    """Return the parts in which two records differ, with the first place of each.

    Of extractors each one that differs is named, because each may be why.
    """
    one = comparable(stored)
    other = comparable(new)
    for part in parts:
        if one.get(part) == other.get(part):
            continue
        if part == "extractors":
            yield part, _of_each(one[part], other[part], word)
        else:
            yield part, _difference(one.get(part), other.get(part), word)


def comparable(record: RunRecord) -> dict[str, Any]:
    """Return the record as JSON, without what may change when a run is continued."""
    values = record.model_dump(mode="json")
    for name in MAY_CHANGE:
        values["judge"]["parameters"].pop(name, None)
    return values


def _of_each(stored: Mapping[str, Any], new: Mapping[str, Any], word: str) -> str:
    """Name the first place in which each of several extractors differs."""
    places: list[str] = []
    for group in dict.fromkeys(chain(stored, new)):
        if stored.get(group) != new.get(group):
            place = _difference(stored.get(group), new.get(group), word, group)
            places.append(place)
    more = len(places) - _NAMED
    rest = [f"{more} more"] if more > 0 else []
    return "; ".join(places[:_NAMED] + rest)


def _difference(stored: Any, new: Any, word: str, path: str = "") -> str:
    if isinstance(stored, dict) and isinstance(new, dict):
        for key in chain(stored, new):
            if stored.get(key) != new.get(key):
                below = f"{path}.{key}".lstrip(".")
                return _difference(stored.get(key), new.get(key), word, below)
    return f"{path}: {stored!r:.80}, {word} {new!r:.80}".removeprefix(": ")
