"""The page of timed calls: what ``turns`` printed, and every call's lanes and sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trace_eval.data.conversation import ConversationItem
from trace_eval.data.files import encoded, make_folder
from trace_eval.data.outputs import refuse_url, write_file
from trace_eval.report.audio import AudioAssets
from trace_eval.report.lanes import lanes_of
from trace_eval.report.page import pieces
from trace_eval.report.timing import timing_of
from trace_eval.turns.everything import TurnsResult
from trace_eval.turns.report import TurnsReport


def write_calls(
    result: TurnsResult, out: Path | str, audio: bool = False, name: str | None = None
) -> Path:
    """Write the result of ``turns`` as one HTML file; only waveforms are measured.

    Args:
        out: the file to write.
        audio: copy the recordings into ``<page>_audio/`` beside it, so that both can be
            sent.
        name: what the page is called; None: as the folder or file that was timed.

    Raises:
        UserError: the file cannot be written.
    """
    path = Path(out)
    refuse_url(path)
    make_folder(path.parent)
    items = _items_of(result)
    timing = timing_of(items, _address)
    comparison = result.against
    title = result.report.source
    if comparison:
        title = f"{comparison.first} against {comparison.second}"
    if timing and comparison:
        # The same difference as on the terminal, not the one back in time.
        timing["sentence"] = comparison.sentence()
    order = [item.id for item in items]
    if timing:
        order = [call["id"] for call in timing["calls"]]
    calls = _calls(
        items=items,
        order=order,
        timing=timing,
        assets=AudioAssets(path, audio),
        voices=_voices(result),
    )
    page = pieces(
        "calls.html.j2",
        "scores.js",
        "lanes.js",
        css="scores.css",
        name=name or title or "calls",
        timing=timing,
        limits=[row for row in result.limits if row.verdict != "pass"],
        unread=[str(one) for one in result.report.unread],
        calls=calls,
        number=len(items),
        tables=[table for table in result.tables(None) if table.rows],
    )
    write_file(path, map(encoded, page))
    return path


def _address(name: str) -> str:
    return f"call-{quote(name)}"


def _items_of(result: TurnsResult) -> list[ConversationItem]:
    """Return the calls of a system, or of two by name, the earlier release first."""
    comparison, other = result.against, result.other
    if comparison is None or other is None:
        return [timed.item for timed in result.report.conversations]
    items = list(_named(other, comparison.second))
    items.extend(_named(result.report, comparison.first))
    return items


def _named(report: TurnsReport, system: str) -> Iterator[ConversationItem]:
    """Yield a system's calls under its name; they keep the scenario they pair by."""
    for timed in report.conversations:
        item = timed.item
        scenario = item.question_id or item.id
        yield item.model_copy(
            update={
                "id": f"{system}/{item.id}",
                "system": system,
                "question_id": scenario,
            }
        )


def _voices(result: TurnsResult) -> dict[str, str]:
    """Return what is known of the agent's voice in each call, by its name here."""
    system = f"{result.against.first}/" if result.against else ""
    return {f"{system}{one.conversation}": one.sentence for one in result.voices}


def _calls(
    items: Sequence[ConversationItem],
    order: Sequence[str],
    timing: Mapping[str, Any] | None,
    assets: AudioAssets,
    voices: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """Yield each call with its line of the table and its lanes, the worst first."""
    lines = {line["id"]: line for line in timing["calls"]} if timing else {}
    by_id = {item.id: item for item in items}
    for number, name in enumerate(order):
        item = by_id[name]
        caveats = list(item.caveats)
        if name in voices:
            caveats.append(voices[name])
        yield {
            "number": number,
            "id": name,
            "system": item.system or "",
            "line": lines.get(name),
            "lanes": lanes_of(item.conversation, {}, assets),
            "caveats": caveats,
        }
