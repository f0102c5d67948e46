"""Label Studio's formats: parts of an interface, and what annotations say."""

from __future__ import annotations

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


@dataclass(frozen=True)
class LabelStudioResult:
    """One entry of an annotation: what was said in a field of the interface.

    Attributes:
        field: name of the field.
        value: as it stands there.
        bad: what is wrong with it as JSON.
    """

    field: str
    value: Mapping[str, Any]
    bad: str = ""


def results_of(annotation: Mapping[str, Any]) -> list[LabelStudioResult]:
    """The entries of an annotation that say something, and those that cannot be read."""
    result = annotation.get("result")
    results = []
    for number, one in enumerate(result if isinstance(result, list) else (), start=1):
        if isinstance(one, strict_json.BadJson):
            results.append(LabelStudioResult("", {}, f"result {number}: {one}"))
        elif isinstance(one, Mapping) and one.get("from_name"):
            field, value = str(one["from_name"]), one.get("value")
            if isinstance(value, strict_json.BadJson):
                results.append(LabelStudioResult(field, {}, f"{field}: {value}"))
            elif isinstance(value, Mapping):
                results.append(LabelStudioResult(field, value))
    return results


def chosen(
    field: str, results: Iterable[LabelStudioResult], offered: Mapping[str, str]
) -> str | None:
    """The one choice of a field; None: none was made.

    Args:
        field: its name.
        results: where it may stand.
        offered: choice -> its words; results may hold either.

    Raises:
        UserError: it is not one choice, or none of those; or one of the results is unreadable.
    """
    provided = []
    for one in results:
        if one.bad:
            raise UserError(one.bad)
        if one.field == field:
            provided.append(one.value.get("choices"))
    if not provided:
        return None
    details = provided if len(provided) > 1 else provided[0]
    if len(provided) > 1 or not isinstance(details, list) or len(details) != 1:
        raise UserError(f"{field}: expected one choice, got {details!r:.60}")
    for choice, words in offered.items():
        if details[0] in (choice, words):
            return choice
    raise UserError(f"{field}: {details[0]!r:.60} is none of {', '.join(offered)}")


def comment_of(results: Iterable[LabelStudioResult]) -> str:
    """The free words of an annotation."""
    result = ""
    for one in results:
        if one.field == COMMENT_FIELD:
            text = one.value.get("text")
            result = "\n".join(map(str, text)) if isinstance(text, list) else str(text or "")
    return result[:COMMENT_LIMIT]


def annotator(annotation: Mapping[str, Any]) -> str:
    """The annotator of an annotation, as a rater of the review.

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
) -> list[str]:
    """One choice of several.

    Args:
        field: its name.
        to: name of what it is about.
        offered: choice -> its words.
        keys: choice -> the key that makes it; others get what Label Studio has left.
    """
    return [
        f'  <Choices name="{field}" toName="{to}" choice="single" required="true">',
        *(
            f"    <Choice value={quoteattr(words)} alias={quoteattr(choice)}{_key(keys, choice)}/>"
            for choice, words in offered.items()
        ),
        "  </Choices>",
    ]


def comment(to: str) -> str:
    """A field for free words."""
    what = f'name="{COMMENT_FIELD}" toName="{to}" placeholder="Comment" maxSubmissions="1"'
    return f"  <TextArea {what}/>"


def _key(keys: Mapping[str, str] | None, choice: str) -> str:
    return f' hotkey="{keys[choice]}"' if keys and choice in keys else ""
