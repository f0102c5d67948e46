"""Label Studio's formats: parts of an interface, regions of sound, what annotations say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.review.checks import check_name
from trace_eval.review.protocol import COMMENT_LIMIT

#: Name of the field for free words.
COMMENT_FIELD = "comment"

#: How far an edge of a region may lie outside of its place, seconds: a click may nudge it.
SLACK_S = 0.25


@dataclass(frozen=True)
class Region:
    """A stretch of one channel of a task's sound.

    Attributes:
        id: tells nothing, and stays.
        label: one of the labels of the interface.
        start, end: seconds of the sound.
        channel: from 0, the left one.
        note: shown where the region is chosen.
        fixed: annotators can neither move nor delete it.
    """

    id: str
    label: str
    start: float
    end: float
    channel: int
    note: str = ""
    fixed: bool = False

    def record(self, labels: str, sound: str, length: float) -> dict[str, Any]:
        """As a result of a prediction.

        Args:
            labels, sound: names of the interface's labels and player.
            length: of the sound, seconds.
        """
        value = {"start": self.start, "end": min(self.end, length), "channel": self.channel}
        note = {"meta": {"text": [self.note]}} if self.note else {}
        return {
            "id": self.id,
            "from_name": labels,
            "to_name": sound,
            "type": "labels",
            "original_length": length,
            "value": value | {"labels": [self.label]},
            "readonly": self.fixed,
            **note,
        }

    def misplaced(self, value: Mapping[str, Any]) -> str | None:
        """What makes a result something else than this region's; None: it is this region's."""
        start, end = number_of(value.get("start")), number_of(value.get("end"))
        if start is None or end is None:
            return "its start and end are no times"
        if not self.start - SLACK_S <= start <= end <= self.end + SLACK_S:
            was = f"{self.start:g} to {self.end:g} s"
            return f"it was moved to {start:g} to {end:g} s, beyond its {was}"
        channel = value.get("channel", self.channel)
        if isinstance(channel, bool) or channel != self.channel:
            return f"it is on channel {channel!r:.40}, not {self.channel}"
        labels = value.get("labels", [self.label])
        return None if labels == [self.label] else f"its label is {labels!r:.40}, not {self.label}"


def number_of(value: Any) -> float | None:
    """A finite number; None: it is none."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else None


@dataclass(frozen=True)
class Result:
    """One entry of an annotation: what was said in a field of the interface.

    Attributes:
        field: name of the field.
        region: id of the region that it is about; of other fields an id of no meaning.
        value: as it stands there.
        bad: what is wrong with it as JSON.
    """

    field: str
    region: str
    value: Mapping[str, Any]
    bad: str = ""


def results_of(annotation: Mapping[str, Any]) -> list[Result]:
    """The entries of an annotation that say something, and those that cannot be read."""
    found = annotation.get("result")
    results = []
    for number, one in enumerate(found if isinstance(found, list) else (), start=1):
        if isinstance(one, strict_json.BadJson):
            results.append(Result("", "", {}, f"result {number}: {one}"))
        elif isinstance(one, Mapping) and one.get("from_name"):
            field, region, value = str(one["from_name"]), str(one.get("id") or ""), one.get("value")
            if isinstance(value, strict_json.BadJson):
                results.append(Result(field, region, {}, f"{field}: {value}"))
            elif isinstance(value, Mapping):
                results.append(Result(field, region, value))
    return results


def chosen(field: str, results: Iterable[Result], offered: Mapping[str, str]) -> str | None:
    """The one choice of a field; None: none was made.

    Args:
        field: its name.
        results: where it may stand.
        offered: choice -> its words; results may hold either.

    Raises:
        UserError: it is not one choice, or none of those; or one of the results is unreadable.
    """
    given = []
    for one in results:
        if one.bad:
            raise UserError(one.bad)
        if one.field == field:
            given.append(one.value.get("choices"))
    if not given:
        return None
    told = given if len(given) > 1 else given[0]
    if len(given) > 1 or not isinstance(told, list) or len(told) != 1:
        raise UserError(f"{field}: expected one choice, got {told!r:.60}")
    for choice, words in offered.items():
        if told[0] in (choice, words):
            return choice
    raise UserError(f"{field}: {told[0]!r:.60} is none of {', '.join(offered)}")


def comment_of(results: Iterable[Result]) -> str:
    """The free words of an annotation or a region."""
    found = ""
    for one in results:
        if one.field == COMMENT_FIELD:
            text = one.value.get("text")
            found = "\n".join(map(str, text)) if isinstance(text, list) else str(text or "")
    return found[:COMMENT_LIMIT]


def annotator(annotation: Mapping[str, Any]) -> str:
    """Who made an annotation, as a rater of the review.

    Raises:
        UserError: the name is too long, or cannot be read.
    """
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("id")
    return check_name(f"label-studio:{who or 'unknown'}")


# --- the interface -------------------------------------------------------------------


def header(words: str, size: int = 4) -> str:
    """A heading; 6 is the smallest size."""
    return f'  <Header value={quoteattr(words)} size="{size}"/>'


def player(name: str, split: bool = False) -> str:
    """A player of the sound in a task's field of that name; split: a lane for each channel."""
    lanes = ' splitchannels="true"' if split else ""
    return f'  <Audio name="{name}" value="${name}"{lanes}/>'


def choices(
    field: str,
    to: str,
    offered: Mapping[str, str],
    keys: Mapping[str, str] | None = None,
    each: str = "",
) -> list[str]:
    """One choice of several.

    Args:
        field: its name.
        to: name of what it is about.
        offered: choice -> its words.
        keys: choice -> the key that makes it; others get what Label Studio has left.
        each: label of the regions that are asked about one by one; empty: the task is.
    """
    return [
        f'  <Choices name="{field}" toName="{to}" choice="single" required="true"{_each(each)}>',
        *(
            f"    <Choice value={quoteattr(words)} alias={quoteattr(choice)}{_key(keys, choice)}/>"
            for choice, words in offered.items()
        ),
        "  </Choices>",
    ]


def labels(field: str, to: str, values: Iterable[str]) -> list[str]:
    """What a region of a player may be."""
    told = (f"    <Label value={quoteattr(value)}/>" for value in values)
    return [f'  <Labels name="{field}" toName="{to}">', *told, "  </Labels>"]


def comment(to: str, each: str = "") -> str:
    """A field for free words, see :func:`choices`."""
    what = f'name="{COMMENT_FIELD}" toName="{to}" placeholder="Comment" maxSubmissions="1"'
    return f"  <TextArea {what}{_each(each)}/>"


def _key(keys: Mapping[str, str] | None, choice: str) -> str:
    return f' hotkey="{keys[choice]}"' if keys and choice in keys else ""


def _each(label: str) -> str:
    return f' perRegion="true" whenLabelValue={quoteattr(label)}' if label else ""
