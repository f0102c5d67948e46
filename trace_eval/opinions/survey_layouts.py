"""Records of survey tools and of arenas -> one record for each opinion, under our names.

A layout is a row of :data:`LAYOUTS`. What differs in the names of its columns alone is none: those
names stand in :mod:`trace_eval.data.names`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from blueprints import InputError, counted
from fusion import DIMENSIONS
from trace_eval.data import names, strict_json
from trace_eval.data.spelling import PLAIN, is_missing, spelled
from trace_eval.opinions.cells import number_of

SurveyRecord = dict[str, Any]
Records = Sequence[Mapping[str, Any]]

#: A column of one rater, whatever it holds.
RATER = re.compile(
    r"(r|rater|annotator|listener|worker|participant|evaluator|subject|judge|assessor|user|p|l)"
    r"[\s_-]*\d+",
    re.I,
)

#: Records that are looked at for a layout.
_LOOKED_AT = 50


class SurveyLayout(NamedTuple):
    """One layout of many records."""

    fits: Callable[[Records], bool]  # of the first records
    ours: Callable[
        [Records, list[str]], Iterator[SurveyRecord]
    ]  # adds what a reader must know of it


def unfolded(records: Records, notes: list[str]) -> Records:
    """Unfold records to one for each opinion; ``notes`` takes what was understood or left out."""
    for layout in LAYOUTS:
        if layout.fits(records[:_LOOKED_AT]):
            records = list(layout.ours(records, notes))
    return records


def fits_any(records: Records) -> bool:
    """Whether the first records of a table are of one of these layouts."""
    return any(layout.fits(records) for layout in LAYOUTS)


def _columns(records: Records) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _cell(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return "" if value is None else str(value).strip()


# ---- Qualtrics: texts of questions and ids of imports stand in the first rows


def _is_qualtrics(records: Records) -> bool:
    return any(_is_import_row(record) for record in records[:2])


def _is_import_row(record: Mapping[str, Any]) -> bool:
    return any(str(value).startswith('{"ImportId"') for value in record.values())


def _qualtrics(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call a column by the text of its question, where its own name is a number of one."""
    above = next(n for n, record in enumerate(records[:2]) if _is_import_row(record))
    texts = records[0] if above else {}
    called = {
        name: str(texts[name]) if texts.get(name) and re.match(r"Q\d", name) else name
        for name in records[0]
    }
    for record in records[above + 1 :]:
        yield {called.get(name, name): value for name, value in record.items()}


# ---- MTurk and Toloka: what was shown, what was answered, and who answered


_PREFIX = re.compile(r"(?:Input|Answer)\.|(?:INPUT|OUTPUT|ASSIGNMENT):")


def _is_batch(records: Records) -> bool:
    return any(re.match(r"Answer\.|OUTPUT:", name) for name in _columns(records))


def _batch(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    columns = _columns(records)
    bare = {name: _PREFIX.sub("", name, count=1) for name in columns}
    twice = {name for name in bare.values() if [*bare.values()].count(name) > 1}
    bare = {name: name if short in twice else short for name, short in bare.items()}
    for record in records:
        ours: SurveyRecord = {}
        for name, value in record.items():
            ours |= _answers(value) or {bare[name]: value}
        yield ours


def _answers(cell: object) -> SurveyRecord:
    """Read a form's answers in one cell of JSON, ``[{"pref": {"A": true}}]``, by their places."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(("[{", "{")):
        return {}
    try:
        value = strict_json.loads(cell)
    except strict_json.BadJson:
        return {}
    parts = value if isinstance(value, list) else [value]
    every: SurveyRecord = {}
    for part in parts:
        if isinstance(part, dict):
            every |= _flat(part)
    return every


def _flat(record: Mapping[str, Any], stem: str = "") -> SurveyRecord:
    flat: SurveyRecord = {}
    for name, value in record.items():
        place = f"{stem}{name}"
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{place}.")
        else:
            flat[place] = value
    return flat


# ---- one column of flags for each choice


#: A table that has one of these needs no flags.
_LABEL_FIELDS = {*DIMENSIONS, "overall", "preference", "match", "score_a"}

_YES = frozenset(("true", "1", "yes", "x", "on", "checked", "✓", "1.0", "t", "y"))
_NO = frozenset(("false", "0", "no", "off", "unchecked", "", "0.0", "f", "n"))
_STEM = re.compile(r"\A(?P<stem>.+[.:_\s\-/\[])(?P<choice>[^.:]+?)\]?")


def _choices(records: Records) -> dict[str, str]:
    """Map columns of flags to the labels they stand for; empty: there are none of both sides."""
    groups: dict[str, dict[str, str]] = {}
    for name in _columns(records):
        cells = {_cell(record, name).casefold() for record in records}
        if names.bare(name) in names.KNOWN or not cells <= _YES | _NO or cells <= {""}:
            continue
        parts = _STEM.fullmatch(name)
        for stem, choice in (("", name), *([(parts["stem"], parts["choice"])] if parts else [])):
            label = _label(choice)
            if label is not None:
                groups.setdefault(stem, {})[name] = label
                break
    return next((of for of in groups.values() if {"1", "2"} <= {*of.values()}), {})


def _label(text: object) -> str | None:
    try:
        return spelled(text)
    except ValueError:
        return None


def _has_flags(records: Records) -> bool:
    if _LABEL_FIELDS & names.first_of(names.LABELS, _columns(records)).keys():
        return False
    choices = _choices(records)
    checks: list[int] = []
    for record in records:
        checks.append(sum(_cell(record, name).casefold() in _YES for name in choices))
    return any(checks) and max(checks) < 2


def _flags(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    choices = _choices(records)
    column = "overall" if {*choices.values()} - PLAIN else "preference"
    notes.append(f"the columns {', '.join(choices)} are read as one choice")
    for number, record in enumerate(records, start=1):
        chosen = [n for n in choices if _cell(record, n).casefold() in _YES]
        if len(chosen) > 1:
            raise InputError(
                f"record {number}: {' and '.join(chosen)} are both checked; keep one of them"
            )
        rest = {name: value for name, value in record.items() if name not in choices}
        yield {**rest, column: choices[chosen[0]] if chosen else None}


# ---- forms: a row for each rater, a column for each item


_IN_BRACKETS = re.compile(r"\A(?P<question>.*?\S)\s*\[(?P<item>[^\[\]]+)\]\s*")
_BEHIND_DASH = re.compile(r"\A(?P<question>.*\S)\s+[-–—]\s+(?P<item>[^\n]+?)\s*", re.S)
_BEFORE_COLON = re.compile(r"\A(?P<item>[^:\n]*[^:\s]):\s+(?P<question>[^\n]*\S)\s*")

#: A place on a scale with its word, as forms offer it: ``4 - Good``, ``4 (good)``, ``4: good``.
_PLACE_AND_WORD = re.compile(r"(?P<place>[+-]?\d+(?:\.\d+)?)\s*(?:[-–—:.)=(]\s*[^\W\d][^\d]*)")


def _questions(columns: Collection[str]) -> dict[str, dict[str, str]]:
    """Question -> item -> the column with its answers, of questions about several items."""
    for form in (_IN_BRACKETS, _BEHIND_DASH, _BEFORE_COLON):
        groups: dict[str, dict[str, str]] = {}
        for name in columns:
            if parts := form.fullmatch(name):
                groups.setdefault(parts["question"], {})[parts["item"]] = name
        several = {question: items for question, items in groups.items() if len(items) > 1}
        if several:
            return several
    return {}


def _is_form(records: Records) -> bool:
    columns = _columns(records)
    return bool(_questions(columns)) and not names.first_of({"id": names.NAMES["id"]}, columns)


def _form(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    columns = _columns(records)
    questions = _questions(columns)
    answers = {name for items in questions.values() for name in items.values()}
    only = next(iter(questions)) if len(questions) == 1 else None
    called = _called(records, questions[only].values()) if only else None
    who = names.first_of({"rater": names.LABELS["rater"]}, columns).get("rater")
    every = list(dict.fromkeys(item for items in questions.values() for item in items))
    by = f"the column {who}" if who else "their place"
    notes.append(
        f"each row is read as a rater, called by {by}, and {counted(len(every), 'column')} as"
        f" {counted(len(every), 'item')}, called by what stands beside the question"
    )
    for number, record in enumerate(records, start=1):
        shared = {name: value for name, value in record.items() if name not in answers}
        shared["rater"] = shared.pop(who, None) if who else f"row {number}"
        for item in every:
            given = {
                called or question: _place(record.get(items[item]))
                for question, items in questions.items()
                if item in items
            }
            yield {**shared, "id": item, **given}


def _place(answer: object) -> object:
    """Return the place on a scale of an answer that is one and its word; others as they are."""
    parts = _PLACE_AND_WORD.fullmatch(str(answer).strip())
    return parts["place"] if parts else answer


def _called(records: Records, columns: Collection[str]) -> str:
    """Name the answers' column: ``score`` where all are numbers but no labels, else a label's."""
    cells = {str(_place(_cell(record, name))) for record in records for name in columns}
    present = {cell for cell in cells if not is_missing(cell)}
    if present and all(number_of(cell) is not None for cell in present) and present - {"1", "2"}:
        return "score"
    labels = {_label(cell) for cell in present}
    return "overall" if labels & {"both_good", "both_bad"} else "preference"


# ---- Label Studio: JSON with annotations, and its smaller forms


def _is_studio(records: Records) -> bool:
    columns = {*_columns(records)}
    whole = bool(records) and all(
        isinstance(record.get("annotations"), list) and isinstance(record.get("data"), Mapping)
        for record in records
    )
    return whole or ("annotator" in columns and bool(columns & {"lead_time", "annotation_id"}))


def _studio(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    flat = [one for record in records for one in _annotations(record)]
    cancelled = sum(one.pop("was_cancelled", False) is True for one in flat)
    if cancelled:
        notes.append(
            f"{counted(cancelled, 'annotation')} skipped by their annotators count as none"
        )
    pairwise = {
        name
        for one in flat
        for name, value in one.items()
        if isinstance(value, Mapping) and "selected" in value
    }
    neither = 0
    for one in flat:
        neither += bool(pairwise) and not any(map(one.get, pairwise))
    if neither:
        notes.append(f"no side is selected in {counted(neither, 'annotation')}, which is a tie")
    ids = {*names.NAMES["id"]} - {"id"}
    for one in flat:
        if any(one.get(name) not in (None, "") for name in ids):
            one.pop("id", None)  # the number of the task; the item has an id of its own
        for name in sorted(pairwise):
            side = (one.pop(name, None) or {}).get("selected")
            one["preference" if len(pairwise) == 1 else name] = side or "tie"
        yield {name: _chosen(value) for name, value in one.items()}


def _annotations(record: Mapping[str, Any]) -> Iterator[SurveyRecord]:
    """Yield a record for each annotation of a task; those of the smaller forms are one already."""
    if not isinstance(record.get("annotations"), list):
        yield {name: _answer(value) for name, value in record.items()}
        return
    for annotation in record["annotations"]:
        who = annotation.get("completed_by")
        one: SurveyRecord = {**record["data"], "rater": _person(who)}
        one.setdefault("id", record.get("id"))
        one["was_cancelled"] = annotation.get("was_cancelled") is True
        for result in () if one["was_cancelled"] else annotation.get("result") or ():
            value = result.get("value")
            one[str(result.get("from_name", "choice"))] = value
        if not one["was_cancelled"] or len(record["annotations"]) == 1:
            yield one


def _person(who: object) -> object:
    if isinstance(who, Mapping):
        return who.get("email") or who.get("id")
    return who


def _answer(value: object) -> object:
    """Read a cell, where an answer may be JSON in text."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return strict_json.loads(value)
        except strict_json.BadJson:
            return value
    return value


def _chosen(value: object) -> object:
    """Return what an answer says: its one choice, or its rating."""
    inner = value
    if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], Mapping):
        inner = inner[0]
    if isinstance(inner, Mapping):
        for key in ("choices", "rating", "number", "selected"):
            if key in inner:
                inner = inner[key]
                break
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if not isinstance(inner, list | Mapping) else value


# ---- arenas: a log of chats and votes


#: What an event says -> the label.
_VOTES: Mapping[str, str] = {
    "leftvote": "1",
    "rightvote": "2",
    "tievote": "tie",
    "bothbad_vote": "both_bad",
    "bothbadvote": "both_bad",
    "bothgood_vote": "both_good",
}


def _models(record: Mapping[str, Any]) -> list[Any] | None:
    models = record.get("models")
    return models if isinstance(models, list) and len(models) == 2 else None


def _is_arena(records: Records) -> bool:
    return any(_models(record) and record.get("type") in _VOTES for record in records)


def _arena(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    votes = [record for record in records if record.get("type") in _VOTES and _models(record)]
    if len(votes) < len(records):
        others = sorted({str(record.get("type")) for record in records} - _VOTES.keys())
        left_out = len(records) - len(votes)
        notes.append(
            f"{counted(left_out, 'record is no vote', 'records are no votes')} and left out"
            f" (type {', '.join(others)})"
        )
    column = "overall" if any("both" in str(one["type"]) for one in votes) else "preference"
    for vote in votes:
        rest = {name: value for name, value in vote.items() if name not in ("type", "models")}
        a, b = _models(vote) or ("", "")
        yield {**rest, "system_a": a, "system_b": b, column: _VOTES[str(vote["type"])]}


# ---- the winner and the loser by their names


_DRAWS = ("draw", "tie", "is_draw", "is_tie", "drawn", "tied")


def _has_loser(records: Records) -> bool:
    columns = {*_columns(records)}
    sides = {*names.LABELS["system_a"], *names.LABELS["system_b"]}
    return {"winner", "loser"} <= columns and not columns & sides


def _won(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A and B by the alphabet, so that a system's place does not tell who won."""
    draw = next((name for name in _DRAWS if name in _columns(records)), None)
    for number, record in enumerate(records, start=1):
        rest = {n: v for n, v in record.items() if n not in ("winner", "loser", draw)}
        winner, loser = _cell(record, "winner"), _cell(record, "loser")
        if is_missing(winner) and is_missing(loser):
            yield rest
            continue
        if is_missing(winner) or is_missing(loser):
            raise InputError(f"record {number}: winner or loser is empty; name both systems")
        drawn = _cell(record, draw).casefold() if draw else ""
        if drawn not in _YES | _NO:
            raise InputError(f"record {number}: {draw} is {drawn!r}; write true or false")
        a, b = sorted((winner, loser))
        label = "tie" if drawn in _YES else "1" if winner == a else "2"
        yield {**rest, "system_a": a, "system_b": b, "preference": label}


# ---- sides by name: two columns of which each label names one


#: Pairs of names of columns whose order is A, B; others count as they stand in the table.
_LEFT_FIRST = ("left", "a", "1", "first")


def _is_text(column: str, records: Records) -> bool:
    """Tell whether every record has a text in a column."""
    return all(isinstance(record.get(column), str) for record in records)


def _named_sides(records: Records) -> tuple[str, str, str] | None:
    """Find columns of A, B and labels where each label is a tie or stands in one of the two."""
    columns = _columns(records)
    fields = names.first_of(names.LABELS, columns)
    if fields.keys() & {"system_a", "system_b", "system"}:
        return None
    label = fields.get("preference") or fields.get("overall")
    if label is None:
        return None
    texts = [name for name in columns if name != label and _is_text(name, records)]
    values = [(record, _cell(record, label)) for record in records]
    named = [(record, value) for record, value in values if _label(value) is None and value]
    if not named:
        return None
    for a, b in ((a, b) for a in texts for b in texts if a < b):
        sides = [(_cell(record, a), _cell(record, b), value) for record, value in named]
        hits = {x == value for x, _, value in sides if value in (x, _)}
        if all(value in (x, y) for x, y, value in sides) and hits == {True, False}:
            first = min((a, b), key=columns.index)
            return first, b if first == a else a, label
    return None


def _has_sides(records: Records) -> bool:
    return _named_sides(records) is not None


def _sides(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    a, b, _ = _named_sides(list(islice(records, _LOOKED_AT))) or ("", "", "")
    notes.append(f"the columns {a} and {b} are read as the systems of A and B, by the labels")
    for record in records:
        yield {**record, "system_a": record.get(a), "system_b": record.get(b)}


# ---- comparisons whose number is called a score


def _is_comparison(records: Records) -> bool:
    columns = _columns(records)
    fields = names.first_of(names.LABELS, columns)
    return (
        fields.keys() >= {"system_a", "system_b"}
        and not fields.keys() & _LABEL_FIELDS
        and _score_of_pair(columns) is not None
    )


def _score_of_pair(columns: Collection[str]) -> str | None:
    return next((name for name in columns if names.bare(name) in ("score", "rating")), None)


def _comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    score = _score_of_pair(_columns(records)) or ""
    notes.append(f"the column {score} is read as a comparison of A with B")
    for record in records:
        rest = {name: value for name, value in record.items() if name != score}
        yield {**rest, "preference": record.get(score)}


def _is_wide_comparison(records: Records) -> bool:
    """Whether columns of raters hold numbers, some of which are no labels."""
    columns = _columns(records)
    raters = [name for name in columns if RATER.fullmatch(name)]
    fields = names.first_of(names.LABELS, columns)
    if len(raters) < 2 or not fields.keys() >= {"system_a", "system_b"}:
        return False
    cells = {_cell(record, name) for record in records for name in raters}
    present = {cell for cell in cells if not is_missing(cell)}
    return all(number_of(cell) is not None for cell in present) and bool(present - {"1", "2"})


def _wide_comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    raters = [name for name in _columns(records) if RATER.fullmatch(name)]
    notes.append(
        f"each of the columns {', '.join(raters)} is read as a rater, and its numbers as"
        " comparisons of A with B"
    )
    for record in records:
        rest = {name: value for name, value in record.items() if name not in raters}
        for name in raters:
            yield {**rest, "rater": name, "preference": record.get(name)}


# ---- webMUSHRA's paired comparisons: an answer that names a column


_CHOICES = ("choice_reference", "choice_non_reference", "choice_answer")


def _is_choice(records: Records) -> bool:
    return {*_CHOICES} <= {*_columns(records)}


def _choice(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A the reference and B the other; an answer names one of the two columns."""
    labels = {"reference": "1", "non_reference": "2", "nonreference": "2"}
    for record in records:
        rest = {name: value for name, value in record.items() if name not in _CHOICES}
        first, second, answer = (_cell(record, name) for name in _CHOICES)
        label = labels.get(answer.casefold(), answer)
        yield {**rest, "system_a": first, "system_b": second, "preference": label}


#: Each is tried in turn; several may fit one table (a batch with a column of flags).
LAYOUTS: tuple[SurveyLayout, ...] = (
    SurveyLayout(_is_studio, _studio),
    SurveyLayout(_is_qualtrics, _qualtrics),
    SurveyLayout(_is_batch, _batch),
    SurveyLayout(_has_flags, _flags),
    SurveyLayout(_is_form, _form),
    SurveyLayout(_is_arena, _arena),
    SurveyLayout(_has_loser, _won),
    SurveyLayout(_has_sides, _sides),
    SurveyLayout(_is_choice, _choice),
    SurveyLayout(_is_comparison, _comparison),
    SurveyLayout(_is_wide_comparison, _wide_comparison),
)

#: What a column of decisions about rows is called, as :func:`trace_eval.data.names.bare` leaves it.
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
_YES = frozenset(("yes", "y", "true", "t", "1", "1.0", "x", "\u2713", "\u2714", "ja", "oui", "si"))
_NO = frozenset(("no", "n", "false", "f", "0", "0.0", "nein", "non"))

#: What it says of a row that somebody threw out.
_THROWN_OUT = frozenset((
    "rejected", "reject", "excluded", "exclude", "invalid", "discarded", "discard", "spam",
    "failed", "fail", "returned", "timed-out", "timed out", "abandoned", "expired", "screened out",
    "incomplete", "abgelehnt", "ungültig", "rejeté", "refusé", "rechazado", "rifiutato",
    "rejeitado", "отклонено", "отклонён",
))  # fmt: skip


def thrown_out(columns: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """Say which rows count although a column says that somebody threw them out.

    Args:
        columns: those that :func:`is_status` names.
    """
    for name, values in columns.items():
        texts = [str(value).strip() for value in values if value is not None]
        throws = _thrown_by(name)
        for value in dict.fromkeys(text for text in texts if text.casefold() in throws):
            rows = sum(text == value for text in texts)
            yield (
                f"column {name} says {value} of {counted(rows, 'row')}, which all count; leave"
                f" them out by --where {shlex.quote(f'{name}!={value}')}"
            )


def _thrown_by(name: str) -> frozenset[str]:
    """Return what a column of decisions says of a row that somebody threw out."""
    bare = _bare(name)
    answers = (_NO if bare in _IN else frozenset()) | (_YES if bare in _OUT else frozenset())
    return _THROWN_OUT | answers


def is_status(name: str) -> bool:
    """Whether a column may say which rows were thrown out."""
    return _bare(name) in _STATUS | _IN | _OUT


def _bare(name: str) -> str:
    return names.bare(_PREFIX.sub("", name, count=1))
