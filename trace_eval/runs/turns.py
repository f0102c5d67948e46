"""What was measured of the conversations of a run: a line each, beside judgements or scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.conversations.findings import find, turn_blueprints
from trace_eval.data import jsonl
from trace_eval.data.files import write_all
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.run import Run


def write_turns(run: Run) -> None:
    """Replace ``turns.jsonl``: turns, events, ratios and findings of every conversation."""
    write_all(run.path("turns.jsonl"), map(jsonl.canonical, _records(run)))


def _records(run: Run) -> Iterator[dict[str, Any]]:
    cases = CaseReader(run)
    for item in run.items():
        available = {role: cases.blueprint(one) for role, one in item.recordings().items()}
        measured = {role: blueprint for role, blueprint in available.items() if blueprint}
        for side, answer in item.sides.items():
            if answer.conversation is None:
                continue
            findings = find(answer.conversation, turn_blueprints(side, measured))
            yield {
                "item": item.id,
                "side": side,
                "definitions": TRACE_EVAL.name,
                "turns": [
                    turn.model_dump(
                        mode="json", include={"speaker", "start_s", "end_s", "segments"}
                    )
                    for turn in answer.conversation.turns
                ],
                "events": [asdict(event) for event in findings.measured.events],
                "ratios": {name: list(ratio) for name, ratio in findings.measured.ratios.items()},
                "findings": [asdict(result) for result in findings.results],
                "caveats": list(findings.measured.caveats),
            }
