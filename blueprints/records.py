"""The parts of every group of a blueprint: values with units, or why they are missing.

A group is either present (``status`` is ``"ok"``) or :class:`Absent` with one of six
statuses and a reason. Numbers are finite; what is unknown inside a present group is
null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import (
    VERSION,
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

from blueprints.notation import COMPACT_POINTS, label, quoted, shortened

_PYDANTIC = tuple(map(int, VERSION.split(".")[:2]))


class Strict(BaseModel):
    """Base of every record: no unknown fields, no NaN or infinity, immutable."""

    model_config = ConfigDict(
        extra="forbid",
        allow_inf_nan=False,
        frozen=True,
        # Most processes use few of the records. Before 2.14 two threads that used one
        # for the first time could take its base class's fields for its own.
        defer_build=_PYDANTIC >= (2, 14),
    )


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers must be finite; give null where one is unknown")
    below: Iterable[JsonValue] = ()
    if isinstance(value, dict):
        below = value.values()
    elif isinstance(value, list):
        below = value
    for item in below:
        _finite(item)
    return value


#: Any JSON value but NaN and infinity, which pydantic takes for one where it reads
#: JSON.
FiniteJson = Annotated[JsonValue, AfterValidator(_finite)]


class Status(StrEnum):
    """Why a group is absent."""

    NOT_REQUESTED = "not_requested"  # no extractor was asked for it
    UNAVAILABLE = "unavailable"  # a package or a model is not installed
    TOO_SHORT = "too_short"  # the clip is shorter than the measure needs
    SILENT = "silent"  # nothing but digital or near silence
    NO_SPEECH = "no_speech"  # sound, but no speech in it
    FAILED = "failed"  # the extractor raised; the reason says what


class Absent(Strict):
    """A group that has no values."""

    status: Status
    reason: str = Field(min_length=1, description="one sentence for people")


class Fact(NamedTuple):
    """One printed value of a group."""

    name: str
    value: JsonValue  # text: formatted, with its unit
    word: str = ""  # from the published norms


class Present(Strict):
    """Base of the groups that have values."""

    status: Literal["ok"] = "ok"

    #: Steps of the group's contour in a prompt, and what they count where it is not the
    #: group.
    contour_steps: ClassVar[int] = COMPACT_POINTS
    contour_of: ClassVar[str] = ""
    #: Unit of the contour where people are shown a drawing of it.
    contour_unit: ClassVar[str] = ""

    def render(self, clip_s: float | None) -> str:
        """Print the values in few tokens, for a prompt.

        ``clip_s`` is the clip's length in seconds.
        """
        return quoted(self.model_dump(mode="json", exclude={"status"}))

    #: Units of :meth:`brief`, and what it leaves out of this group, in words.
    brief_units: ClassVar[str] = ""
    brief_without: ClassVar[str] = ""

    def brief(self, clip_s: float | None) -> str:
        """Print the values in fewest tokens, see :func:`blueprints.render_brief`."""
        return self.render(clip_s)

    @classmethod
    def legend(cls) -> str:
        """Explain :meth:`render`, for the prompt's static part; without a full stop."""
        fields = (
            (name, field)
            for name, field in cls.model_fields.items()
            if name != "status"
        )
        return "JSON; " + "; ".join(
            f"{name}: {field.description}" for name, field in fields
        )

    def facts(self, group: str) -> Iterator[Fact]:
        """Yield single printed values; ``group``: the name of this group."""
        for name, value in self.model_dump(mode="json", exclude={"status"}).items():
            if not isinstance(value, list | dict):
                yield Fact(f"{group} {name}", value)


class Span(Strict):
    """A stretch of the clip."""

    start_s: float = Field(ge=0, description="seconds from the start of the clip")
    end_s: float = Field(ge=0, description="seconds from the start of the clip")

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s


class Event(Span):
    """Something that happens in a stretch of the clip, or at a moment of it."""

    kind: str
    strength: float = Field(1.0, description="times the least that counts")

    def __str__(self) -> str:
        moments = dict.fromkeys(f"{at:.1f}" for at in (self.start_s, self.end_s))
        return f"{label(self.kind.replace('_', ' '))} {'-'.join(moments)} s"


class Contour(Strict):
    """A quantity over the clip's own time axis, in equal steps."""

    start_s: float = Field(ge=0, description="time of the first value, seconds")
    step_s: float = Field(gt=0, description="time between two values, seconds")
    values: list[float | None] = Field(description="null where unvoiced or silent")


_EVENTS = TypeAdapter(list[Event])


class Extension(Present):
    """A group of a third-party extractor: any JSON values."""

    values: dict[str, FiniteJson]
    shown: bool = Field(
        True,
        description="whether renderings for judges and reports have its values; false for"
        " what means nothing in words, e.g. an embedding. Its events are always shown",
    )

    @property
    def events(self) -> list[Event] | None:
        """The list under ``events``; None where it holds no events of ours."""
        try:
            return _EVENTS.validate_python(self.values.get("events"))
        except ValidationError:
            return None

    def render(self, clip_s: float | None) -> str:
        """Print the events, or the values as JSON, with as many digits as ours have."""
        if self.events is None:
            return quoted(shortened(self.values))
        return ", ".join(map(str, self.events)) or "none"

    def facts(self, group: str) -> Iterator[Fact]:
        """Yield all values, lists included; none of a group that is not shown."""
        for name, value in self.values.items() if self.shown else ():
            yield Fact(f"{group} {name}", value)


class Provenance(Strict):
    """Where a group's values come from; with the clip it decides them completely."""

    extractor: str = Field(description="registered name")
    version: str = Field(description="version of the extractor's own code")
    packages: dict[str, str] = Field(
        default_factory=dict, description="package -> version"
    )
    revision: str | None = Field(None, description="SHA-256 of the model files, if any")
    parameters: dict[str, FiniteJson] = Field(default_factory=dict)
