"""Timing of conversations as one result: timelines, events and figures."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from blueprints import counted
from trace_eval.conversations.definitions import definition_set
from trace_eval.conversations.definitions.base import DefinitionSet, Measured
from trace_eval.conversations.items import holds_conversations
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.layouts.base import Unread
from trace_eval.conversations.sound.mono import EDGE_ERROR_MS, EDGE_ERROR_P95_MS
from trace_eval.data.conversation import ConversationItem, Turn
from trace_eval.show.lists import listed
from trace_eval.show.records import plain
from trace_eval.show.table import Table, grid
from trace_eval.turns.against_log import EdgeError, edge_errors, log_tables
from trace_eval.turns.failed import fault_table
from trace_eval.turns.figures import (
    TOO_FEW_CONVERSATIONS,
    TurnFigure,
    brackets,
    counts_of,
    few,
    figures_of,
    limits_text,
)
from trace_eval.turns.options import FigureOptions, TurnsOptions
from trace_eval.turns.timed import Timed, clock, timeline


class TurnsRecord(TypedDict):
    """The content of ``turns --json``: figures by name, overall and of each call.

    ``against``, ``limits``, ``agreement``, ``speech_fidelity``, ``voices`` and
    ``corrected`` are there where they were asked for.
    """

    layout: str
    definitions: str
    thresholds: Any
    figures: dict[str, Any]
    estimates: dict[str, TurnFigure]
    few_events: list[str]
    each: dict[str, Any]
    conversations: list[dict[str, Any]]
    unread: list[Unread]
    audit: dict[str, dict[str, Any]]
    log_against_sound: list[EdgeError]
    against: NotRequired[Any]
    limits: NotRequired[list[Any]]
    agreement: NotRequired[list[Any]]
    speech_fidelity: NotRequired[dict[str, Any]]
    voices: NotRequired[list[dict[str, Any]]]
    corrected: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class TurnsReport:
    """Conversations under one definition set."""

    layout: str
    definitions: DefinitionSet
    figures: dict[str, TurnFigure]
    conversations: tuple[Timed, ...]
    unread: tuple[Unread, ...]
    options: FigureOptions
    source: str = ""

    def record(self) -> TurnsRecord:
        """Return everything as JSON values.

        ``figures`` and ``each`` hold plain numbers by name.
        """
        values = values_of(self)
        return {
            "layout": self.layout,
            "definitions": self.definitions.name,
            "thresholds": plain(self.definitions.thresholds),
            "figures": values["figures"],
            "estimates": values["estimates"],
            "few_events": few(self.definitions, self.figures, self.options),
            "each": values["each"],
            "conversations": [_conversation(timed) for timed in self.conversations],
            "unread": list(map(plain, self.unread)),
            "audit": {
                audited.id: {"verdict": audited.verdict, "faults": audited.faults}
                for audited in self._audited()
            },
            "log_against_sound": list(map(plain, edge_errors(self.conversations))),
        }

    @property
    def is_unusable(self) -> bool:
        """Whether no call has a recording or a log in which anything can be timed."""
        unusable = sum(audited.is_unusable for audited in self._audited())
        return unusable == len(self.conversations)

    def tables(self, shown: int | None = 3) -> Iterator[Table]:
        """Yield a timeline of each of the first ``shown`` calls, then the figures.

        None: no timeline, and no word that there are any.
        """
        unusable = {one.id for one in self._audited() if one.is_unusable}
        # the fault of an unusable one stands below, once for all that share it
        timed = [one for one in self.conversations if one.item.id not in unusable]
        yield from map(timeline, timed[: shown or 0])
        left = 0 if shown is None else len(timed) - shown
        note = ""
        if left > 0:
            note = f"{counted(left, 'more timeline')} with --json or --shown"
        yield self._figures(note)
        yield from log_tables(self.conversations)
        yield from fault_table(self.conversations)
        rows = list(self._lost_entities())
        if rows:
            yield grid(
                "Words that did not come through (intended, and as heard); listen to"
                " them",
                ("conversation", "turn", "start", "what", "kind", "intended", "heard"),
                rows,
                "rules for English; a recogniser that mishears is no error of who"
                " speaks",
            )

    def _lost_entities(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each entity that did not come through."""
        for timed in self.conversations:
            for entity in timed.entities:
                if entity.status == "kept":
                    continue
                yield (
                    timed.item.id,
                    entity.turn,
                    clock(entity.start_s),
                    entity.status,
                    entity.kind,
                    entity.intended,
                    entity.heard,
                )

    def audit(self) -> Table:
        """Whether each recording can be timed, and where its faults are."""
        rows: list[tuple[str, ...]] = []
        for audited in self._audited():
            verdict = audited.verdict
            for fault in audited.faults:
                row = (
                    audited.id,
                    verdict,
                    fault.get("detail") or fault["name"],
                    fault["channel"] or "both",
                    " ".join(_spans(fault)[:5]) or "everywhere",
                    fault["spoils"],
                )
                rows.append(row)
                verdict = ""  # it stands beside the first fault alone
            if not audited.faults:
                rows.append((audited.id, verdict, "", "", "", ""))
        heads = ("recording", "can it be timed", "fault", "channel", "where", "spoils")
        note = "" if rows else "no sound was heard"
        return grid("Audit of recordings", heads, rows, note)

    def _audited(self) -> Iterator[_Audited]:
        """Yield the verdict and the faults of each recording."""
        for timed in self.conversations:
            meta: Any = timed.item.conversation.meta
            if isinstance(meta.get("audit"), str):
                yield _Audited(timed.item.id, meta["audit"], meta["faults"])

    def _audit_line(self) -> Iterator[str]:
        recordings = list(self._audited())
        usable = 0
        others: Counter[str] = Counter()
        first_places: dict[str, str] = {}
        for audited in recordings:
            verdict = audited.verdict
            usable += verdict.partition(" (")[0] == "usable"
            if verdict != "usable":
                others[verdict] += 1
                first_places.setdefault(verdict, _where(audited))
        if recordings:
            yield f"audit: {usable} of {counted(len(recordings), 'recording')} usable"
        odd = [verdict for verdict in others if verdict.startswith("usable (")]
        for verdict in odd:  # right behind those whom "of them" means
            oddity = verdict.removeprefix("usable (").removesuffix(")")
            yield f"{others[verdict]} of them: {oddity}{first_places[verdict]}"
        for verdict, number in others.items():
            if verdict not in odd:
                yield f"{number} {verdict}{first_places[verdict]}"

    def _figures(self, note: str) -> Table:
        shown = [figure for figure in self.figures.values() if figure.reason != "none"]
        of_few_events = few(self.definitions, self.figures, self.options)
        rows: list[tuple[Any, ...]] = []
        for figure in shown:
            why = "few" if figure.name in of_few_events else figure.reason or ""
            row = (
                figure.name,
                figure.text,
                limits_text(figure.interval),
                figure.events or None,
                figure.conversations,
                why.replace(TOO_FEW_CONVERSATIONS, ""),
            )
            rows.append(row)
        notes: list[str] = []
        if any(figure.reason == TOO_FEW_CONVERSATIONS for figure in shown):
            notes.append(TOO_FEW_CONVERSATIONS)
        notes += self._audit_line()
        notes += filter(None, [note, brackets(shown)])
        notes += mixed_channels([timed.item for timed in self.conversations])
        if not rows:
            caveats: dict[str, None] = {}
            for timed in self.conversations:
                caveats.update(dict.fromkeys(timed.measured.caveats))
            notes = [f"no figures: {'; '.join(caveats) or 'no events'}"]
        level = f"{self.options.level:.0%}"
        calls = counted(len(self.conversations), "conversation")
        return grid(
            f"{self.definitions.name}: {calls}, layout {self.layout}",
            ("figure", "value", level, "events", "conversations", "why"),
            rows,
            "; ".join(notes),
        )


def unread_by_reason(unread: Iterable[Unread]) -> list[str]:
    """Say once for each reason how many could not be read, and which."""
    names_by_reason: dict[str, list[str]] = {}
    for one in unread:
        names_by_reason.setdefault(one.reason, []).append(one.name)
    lines: list[str] = []
    for reason, names in names_by_reason.items():
        if len(names) == 1:
            lines.append(f"{names[0]}: {reason}")
        else:
            lines.append(f"{len(names)} not read ({listed(names)}): {reason}")
    return lines


def mixed_channels(items: Sequence[ConversationItem]) -> Iterator[str]:
    """Say how far gaps of one channel are off, and that both kinds are mixed."""
    mono = sum(bool(item.conversation.meta.get("one_channel")) for item in items)
    if not mono:
        return
    number = "all"
    remedy = ""
    if mono < len(items):
        number = f"{mono} of {len(items)}"
        remedy = "; time them by themselves"
    yield (
        f"calls of one channel: {number}; their gaps are {EDGE_ERROR_MS} ms off in the"
        f" median and {EDGE_ERROR_P95_MS} ms at p95, and replies that begin early are"
        f" not among them{remedy}"
    )


def time_turns(path: Path | str, options: TurnsOptions | None = None) -> TurnsReport:
    """Read conversations of any layout and measure their timing; nothing is judged.

    Works without text, without an LLM and without a network.

    Raises:
        UserError: nothing can be read, or there is no such layout or definition set.
    """
    options = options or TurnsOptions()
    definitions = definition_set(options.definitions)
    read = dataclasses.replace(options.read, by_log=definitions.on_log)
    reading = read_conversations(path, options.layout, read)
    report = measure_items(reading.items, definitions, options.figures, options.names)
    name = Path(path).resolve().name
    return dataclasses.replace(
        report, layout=reading.layout, unread=reading.unread, source=name
    )


def time_folder(folder: Path) -> TurnsReport | None:
    """Time the turns of a folder as :func:`time_turns` does; None: it holds no call."""
    if not folder.is_dir() or not holds_conversations(folder):
        return None
    return time_turns(folder)


def measure_items(
    items: Sequence[ConversationItem],
    definitions: DefinitionSet,
    options: FigureOptions | None = None,
    names: tuple[str, ...] = (),
) -> TurnsReport:
    """Measure conversations that are there already, as :func:`time_turns` does."""
    measured = [definitions.measure(item.conversation) for item in items]
    empty = TurnsReport(
        layout="given",
        definitions=definitions,
        figures={},
        conversations=(),
        unread=(),
        options=options or FigureOptions(),
    )
    return report_of(items, measured, empty, names)


def report_of(
    items: Sequence[ConversationItem],
    measured: Sequence[Measured],
    like: TurnsReport,
    names: tuple[str, ...] = (),
) -> TurnsReport:
    """Report conversations as they were measured, by the rules of another report."""
    definitions = like.definitions
    alone = dataclasses.replace(like.options, intervals=False, min_events=0)
    timed: list[Timed] = []
    for item, call in zip(items, measured, strict=True):
        figures = figures_of(definitions, [call], ["1"], options=alone)
        timed.append(Timed(item, call, figures, names))
    figures = figures_of(
        definitions,
        measured,
        clusters=[item.question_id or item.id for item in items],
        domains=[str(item.conversation.meta.get("domain", "")) for item in items],
        options=like.options,
    )
    return dataclasses.replace(like, figures=figures, conversations=tuple(timed))


def values_of(report: TurnsReport) -> dict[str, Any]:
    """Return the figures as JSON values, pooled and of each conversation."""
    definitions = report.definitions
    each: dict[str, Any] = {}
    for timed in report.conversations:
        details = plain(timed.measured.details)
        if not details:
            details = _values(definitions, timed.figures, [timed.measured])
        each[timed.item.id] = details
    measured = [timed.measured for timed in report.conversations]
    return {
        "figures": _values(definitions, report.figures, measured),
        "estimates": {name: plain(figure) for name, figure in report.figures.items()},
        "each": each,
    }


def _values(
    definitions: DefinitionSet,
    figures: dict[str, TurnFigure],
    measured: Sequence[Measured],
) -> dict[str, Any]:
    values: dict[str, Any] = {name: figure.value for name, figure in figures.items()}
    values["counts"] = counts_of(definitions, measured)
    return values


class _Audited(NamedTuple):
    """A recording, whether it can be timed, and its faults."""

    id: str
    verdict: str
    faults: list[dict[str, Any]]

    @property
    def is_unusable(self) -> bool:
        """Say whether nothing in it can be timed."""
        return self.verdict.startswith("not usable")


def _spans(fault: Mapping[str, Any]) -> list[str]:
    return [f"{start:.2f}-{end:.2f}" for start, end in fault["spans"]]


def _where(audited: _Audited) -> str:
    """Name the first stretches of a recording's faults, for the line of a report."""
    spans: list[str] = []
    for fault in audited.faults:
        spans += _spans(fault)
    if not spans:
        return ""
    if len(spans) > 3:
        spans[3:] = ["..."]
    return f" ({audited.id}: {', '.join(spans)} s)"


def _filled_fields(turn: Turn) -> dict[str, Any]:
    """Return the fields of a turn that say something."""
    fields = plain(turn).items()
    return {name: value for name, value in fields if value not in (None, [], False)}


def _conversation(timed: Timed) -> dict[str, Any]:
    item = timed.item
    result = item.conversation
    fault = timed.fault
    return {
        "id": item.id,
        "question_id": item.question_id,
        "system": item.system,
        "clock": plain(result.clock),
        "speakers": plain(list(result.speakers)),
        "end": plain(result.end),
        "turns": list(map(_filled_fields, result.turns)),
        "events": list(map(plain, timed.measured.events)),
        "source_events": list(map(plain, result.events)),
        "entities": list(map(plain, timed.entities)),
        "caveats": list(timed.caveats),
        "log": result.meta.get("log"),
        "fault": plain(fault) if fault else None,
    }
