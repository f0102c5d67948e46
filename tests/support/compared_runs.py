"""What the tests of compare and others share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fusion import DIMENSIONS
from trace_eval.compare.options import CompareOptions
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.estimate.options import BootstrapOptions

OPTIONS = CompareOptions(BootstrapOptions(50))


#: pair -> human label, the judge that reads (typed ties), the one that listens (plain); None:
#: unscored.
VERDICTS: dict[str, tuple[str, str | None, str | None]] = {
    "p0": ("1", "1", "1"),
    "p1": ("2", "1", "2"),
    "p2": ("tie", "both_bad", "tie"),
    "p3": ("1", "2", "1"),
    "p4": ("2", "both_good", None),
    "p5": ("1", "1", "2"),
}


def judged(pair: str, label: str | None, plain: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"pair": pair, "judge": "j", "status": "scored"}
    if label is None:
        return {**made, "status": "unscored", "reason": "filtered", "detail": "withheld"}
    about = ["overall"] if plain else DIMENSIONS
    verdict = {"rating": label, "reasoning": f"because of {pair}"}
    usage = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.01 if plain else 0.001}
    opinions = [
        {
            "order": order,
            "ratings": dict.fromkeys(about, label),
            "usage": usage,
            "seconds": 2.0 if plain else 0.5,
            "cached": order == "ba",
            **({"sent": {"parts": 2, "seconds": 30.0, "sha256": "0"}} if plain else {}),
        }
        for order in ("ab", "ba")
    ]
    label_set = {"label_set": "plain"} if plain else {}
    return {**made, **label_set, "dimensions": dict.fromkeys(about, verdict), "opinions": opinions}


def run(folder: Path, sounds: Path, plain: bool, prefix: str = "") -> Path:
    """A run of the verdicts above."""
    folder.mkdir(parents=True)
    pairs, judgements, overall = [], [], []
    for bare, (people, read, heard) in VERDICTS.items():
        name = prefix + bare
        label = heard if plain else read
        pair = Pair(
            id=name,
            instruction=Instruction(text=f"<b>say {name}</b>"),
            a=Answer(audio=sounds, system="x"),
            b=Answer(audio=sounds, system="y"),
            labels=Labels(preference=people),  # type: ignore[arg-type]
        )
        pairs.append(pair)
        judgements.append(Judgement.model_validate(judged(name, label, plain)))
        fused = {"pair": name, "policy": "content_first", "rating": label, "why": "x"}
        overall.append(Overall.model_validate(fused))
    for file, records in (("pairs", pairs), ("judgements", judgements), ("overall", overall)):
        lines = (record.model_dump_json(exclude_none=True) for record in records)
        (folder / f"{file}.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "overall.jsonl").write_text("".join(o.model_dump_json() + "\n" for o in overall))
    spec = "audio:openai:m" if plain else "openai:m"
    record = {
        "judge": {"spec": spec, "parameters": {}},
        "sessions": [{"started": "2026-01-01T00:00:00", "extracted_s": {"signal": 3.0}}],
    }
    (folder / "manifest.json").write_text(json.dumps(record))
    return folder
