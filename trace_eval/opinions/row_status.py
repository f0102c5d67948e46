"""Columns in which somebody decided whether rows count, such as a status."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from blueprints import counted
from trace_eval.data import names
from trace_eval.opinions.survey_cells import PREFIX

#: What a column of decisions about rows is called, as
#: :func:`trace_eval.data.names.bare` leaves it.
_STATUS = frozenset((
    "status", "assignmentstatus", "approvalstatus", "reviewstatus", "submissionstatus", "state",
    "approval", "decision", "attentioncheck", "attention", "qc", "qualitycheck", "check", "passed",
    "accepted", "valid", "finished", "quality",
))  # fmt: skip

#: Columns of yes and no in which one of the two throws a row out.
_IN = frozenset((
    "valid", "isvalid", "include", "included", "keep", "kept", "accepted", "approved", "passed",
    "passedcheck", "passedattention", "attentionpassed", "attentioncheckpassed", "usable",
    "finished", "complete", "completed",
))  # fmt: skip
_OUT = frozenset((
    "excluded", "exclude", "isexcluded", "rejected", "isrejected", "discard", "discarded", "spam",
    "isspam", "invalid", "isinvalid", "flagged", "isflagged", "failedcheck", "failedattention",
    "bot", "isbot",
))  # fmt: skip
_YES = frozenset(
    ("yes", "y", "true", "t", "1", "1.0", "x", "\u2713", "\u2714", "ja", "oui", "si")
)
_NO = frozenset(("no", "n", "false", "f", "0", "0.0", "nein", "non"))

#: What it says of a row that somebody threw out.
_THROWN_OUT = frozenset((
    "rejected", "reject", "excluded", "exclude", "invalid", "discarded", "discard", "spam",
    "failed", "fail", "returned", "timed-out", "timed out", "abandoned", "expired", "screened out",
    "incomplete", "survey preview", "survey test",
    "abgelehnt", "ungültig", "rejeté", "refusé", "rechazado", "rifiutato",
    "rejeitado", "отклонено", "отклонён",
))  # fmt: skip


#: Columns in which MTurk and others give the reason why a row was thrown out.
_REASONS = frozenset(
    ("reject", "rejectreason", "rejectionreason", "reasonforrejection")
)

#: Columns that may say of a row that raters only learned by it.
_PHASES = frozenset((
    "trialid", "trial", "phase", "block", "part", "stage", "section", "page", "trialtype", "task",
))  # fmt: skip

#: What they say then.
_LEARNED = re.compile(
    r"(?:[^\W_]{1,20}[_\s-])?(?:training|practi[cs]e|warm[\s-]?up)(?:[_\s-]?\w{1,9})?"
)


def thrown_out(columns: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """Say which rows still count although a column marks them as thrown out.

    Args:
        columns: those that :func:`is_status` names.
    """
    for name, values in columns.items():
        texts = [str(value).strip() for value in values if value is not None]
        if _bare(name) in _REASONS:
            yield from _reasons(name, texts)
            continue
        says_so = _says_thrown_out(name)
        for value, rows in Counter(texts).items():
            if says_so(value.casefold()):
                yield _counts(name, value, rows)


def _says_thrown_out(name: str) -> Callable[[str], object]:
    """Return the test of a column's texts for what says that a row was thrown out."""
    if _bare(name) in _PHASES:
        return _LEARNED.fullmatch
    return _thrown_by(name).__contains__


def _counts(name: str, value: str, rows: int) -> str:
    return (
        f"column {name} says {value} of {counted(rows, 'row')}, which all count; leave"
        f" them out by --where {shlex.quote(f'{name}!={value}')}"
    )


def _reasons(name: str, texts: Sequence[str]) -> Iterator[str]:
    """Say how many rows have a reason why they were thrown out."""
    rows = sum(bool(text) for text in texts)
    if rows:
        yield (
            f"column {name} has a reason in {counted(rows, 'row')}, which all count;"
            f" leave them out by --where {shlex.quote(f'{name}=')}"
        )


def _thrown_by(name: str) -> frozenset[str]:
    """Return what a column of decisions says of a row that somebody threw out."""
    values = _THROWN_OUT
    if _bare(name) in _IN:
        values |= _NO
    if _bare(name) in _OUT:
        values |= _YES
    return values


def is_status(name: str) -> bool:
    """Whether a column may say which rows were thrown out."""
    return _bare(name) in _STATUS | _IN | _OUT | _REASONS | _PHASES


def _bare(name: str) -> str:
    return names.bare(PREFIX.sub("", name, count=1))
