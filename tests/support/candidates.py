"""What the tests of best and others share."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.audio import tone, write


def candidates(folder: Path, *peaks: float, **labels: float) -> Path:
    """One group ``g`` of tones with these peaks."""
    lines = []
    for number, peak in enumerate(peaks):
        name = f"c{number:02}"
        write(folder / f"{name}.wav", tone(peak=peak, seconds=0.5))
        line = {"group": "g", "candidate": name, "text": "Hello.", "audio": f"{name}.wav"}
        if name in labels:
            line["scores"] = {"anna": labels[name]}  # type: ignore[assignment]
        lines.append(json.dumps(line))
    path = folder / "items.jsonl"
    path.write_text("\n".join(lines))
    return path
