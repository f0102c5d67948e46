"""Timing of conversations as one result: timelines, events and figures."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from blueprints import counted
from trace_eval.conversations.definitions import definition_set
from trace_eval.conversations.definitions.base import DefinitionSet, Measured
from trace_eval.conversations.items import holds_conversations
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.layouts.base import Unread
from trace_eval.conversations.sound.mono import EDGE_ERROR_MS, EDGE_ERROR_P95_MS
from trace_eval.data.conversation import ConversationItem, Turn
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
            "unread": [plain(one) for one in self.unread],
            "audit": {
                name: {"verdict": v, "faults": f} for name, v, f in self._audited()
            },
            "log_against_sound": [
                plain(one) for one in edge_errors(self.conversations)
            ],
        }

    def tables(self, shown: int | None = 3) -> Iterator[Table]:
        """Yield a timeline of each of the first ``shown`` calls, then the figures.

        None: no timeline, and no word that there are any.
        """
        for timed in self.conversations[: shown or 0]:
            yield timeline(timed)
        left = 0 if shown is None else len(self.conversations) - shown
        yield self._figures(
            f"{counted(left, 'more timeline')} with --json or --shown"
            if left > 0
            else ""
        )
        yield from log_tables(self.conversations)
        yield from fault_table(self.conversations)
        rows = [
            (
                *(timed.item.id, one.turn, clock(one.start_s)),
                *(one.status, one.kind, one.intended, one.heard),
            )
            for timed in self.conversations
            for one in timed.entities
            if one.status != "kept"
        ]
        if rows:
            yield grid(
                (
                    "Words that did not come through (intended, and as heard); listen"
                    " to them"
                ),
                ("conversation", "turn", "start", "what", "kind", "intended", "heard"),
                rows,
                (
                    "rules for English; a recogniser that mishears is no error of who"
                    " speaks"
                ),
            )

    def audit(self) -> Table:
        """Whether each recording can be timed, and where its faults are."""
        rows = []
        for name, verdict, faults in self._audited():
            for fault in faults:
                what = fault.get("detail") or fault["name"]
                spans = [f"{start:.2f}-{end:.2f}" for start, end in fault["spans"][:5]]
                where = " ".join(spans) or "everywhere"
                shown = verdict if fault is faults[0] else ""
                rows.append(
                    (
                        name,
                        shown,
                        what,
                        fault["channel"] or "both",
                        where,
                        fault["spoils"],
                    )
                )
            if not faults:
                rows.append((name, verdict, "", "", "", ""))
        heads = ("recording", "can it be timed", "fault", "channel", "where", "spoils")
        return grid(
            "Audit of recordings", heads, rows, "" if rows else "no sound was heard"
        )

    def _audited(self) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
        """Yield (id, verdict, faults) of each recording."""
        for timed in self.conversations:
            meta: Any = timed.item.conversation.meta
            if isinstance(meta.get("audit"), str):
                yield timed.item.id, meta["audit"], meta["faults"]

    def _audit_line(self) -> Iterator[str]:
        audited = [*self._audited()]
        lines = [verdict for _, verdict, _ in audited]
        if lines:
            good = sum(one.partition(" (")[0] == "usable" for one in lines)
            yield f"audit: {good} of {counted(len(lines), 'recording')} usable"
        where = {
            verdict: _where(name, faults) for name, verdict, faults in reversed(audited)
        }
        for verdict, number in Counter(one for one in lines if one != "usable").items():
            yield f"{number} {verdict}{where[verdict]}"

    def _figures(self, note: str) -> Table:
        shown = [figure for figure in self.figures.values() if figure.reason != "none"]
        weak = dict.fromkeys(few(self.definitions, self.figures, self.options), "few")
        rows = [
            (
                *(one.name, one.text, limits_text(one.interval)),
                *(one.events or None, one.conversations),
                weak.get(one.name, one.reason or "").replace(TOO_FEW_CONVERSATIONS, ""),
            )
            for one in shown
        ]
        notes = [*self._audit_line(), *([note] if note else [])]
        notes += [made] if (made := brackets(shown)) else []
        notes += [*mixed_channels([timed.item for timed in self.conversations])]
        if any(one.reason == TOO_FEW_CONVERSATIONS for one in shown):
            notes.insert(0, TOO_FEW_CONVERSATIONS)
        if not rows:
            caveats = dict.fromkeys(
                c for one in self.conversations for c in one.measured.caveats
            )
            notes = [f"no figures: {'; '.join(caveats) or 'no events'}"]
        return grid(
            f"{self.definitions.name}:"
            f" {counted(len(self.conversations), 'conversation')}, layout"
            f" {self.layout}",
            (
                "figure",
                "value",
                f"{self.options.level:.0%}",
                "events",
                "conversations",
                "why",
            ),
            rows,
            "; ".join(notes),
        )


def mixed_channels(items: Sequence[ConversationItem]) -> Iterator[str]:
    """Say how far gaps of one channel are off, and that both kinds are mixed."""
    mono = sum(bool(item.conversation.meta.get("one_channel")) for item in items)
    if mono:
        which = f"{mono} of {len(items)}" if mono < len(items) else "all"
        apart = "; time them by themselves" if mono < len(items) else ""
        yield (
            f"calls of one channel: {which}; their gaps are {EDGE_ERROR_MS} ms off in"
            f" the median and {EDGE_ERROR_P95_MS} ms at p95, and replies that begin"
            f" early are not among them{apart}"
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
    return (
        time_turns(folder) if folder.is_dir() and holds_conversations(folder) else None
    )


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
    definitions, options = like.definitions, like.options
    alone = dataclasses.replace(options, intervals=False, min_events=0)
    timed = tuple(
        Timed(item, one, figures_of(definitions, [one], ["1"], options=alone), names)
        for item, one in zip(items, measured, strict=True)
    )
    domains = [str(item.conversation.meta.get("domain", "")) for item in items]
    clusters = [item.question_id or item.id for item in items]
    figures = figures_of(
        definitions, measured, clusters=clusters, domains=domains, options=options
    )
    return dataclasses.replace(like, figures=figures, conversations=timed)


def values_of(report: TurnsReport) -> dict[str, Any]:
    """Return the figures as JSON values, pooled and of each conversation."""
    measured = [timed.measured for timed in report.conversations]
    return {
        "figures": _values(report.definitions, report.figures, measured),
        "estimates": {name: plain(figure) for name, figure in report.figures.items()},
        "each": {
            timed.item.id: plain(timed.measured.details)
            or _values(report.definitions, timed.figures, [timed.measured])
            for timed in report.conversations
        },
    }


def _values(
    definitions: DefinitionSet,
    figures: dict[str, TurnFigure],
    measured: Sequence[Measured],
) -> dict[str, Any]:
    counts = counts_of(definitions, measured)
    return {name: figure.value for name, figure in figures.items()} | {"counts": counts}


def _where(name: str, faults: list[dict[str, Any]]) -> str:
    """Name the first stretches of a recording's faults, for the line of a report."""
    spans = [
        f"{start:.2f}-{end:.2f}" for fault in faults for start, end in fault["spans"]
    ]
    more = ", ..." if len(spans) > 3 else ""
    return f" ({name}: {', '.join(spans[:3])}{more} s)" if spans else ""


def _filled_fields(turn: Turn) -> dict[str, Any]:
    """Return the fields of a turn that say something."""
    fields = plain(turn).items()
    return {name: value for name, value in fields if value not in (None, [], False)}


def _conversation(timed: Timed) -> dict[str, Any]:
    item = timed.item
    result = item.conversation
    return {
        "id": item.id,
        "question_id": item.question_id,
        "system": item.system,
        "clock": plain(result.clock),
        "speakers": plain(list(result.speakers)),
        "end": plain(result.end),
        "turns": list(map(_filled_fields, result.turns)),
        "events": [plain(event) for event in timed.measured.events],
        "source_events": [plain(event) for event in result.events],
        "entities": [plain(one) for one in timed.entities],
        "caveats": list(timed.caveats),
        "log": result.meta.get("log"),
        "fault": plain(fault) if (fault := timed.fault) else None,
    }
