"""Train a small scorer on shared ratings; compare it with what needs no training.

    TRACE_EVAL_DATA=... python -m benchmarks.scorer [--steps N]

The base is a Llama of about 330,000 random parameters: it has read nothing but the
training rows, so the figures are a floor for real bases, not a forecast of them.
Everything goes through the commands as a user types them: train scorer, train clamp,
rate, agree. Wants the extra ``scorer``.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.report import arguments, command, data_folder, save, stored, table_of
from tests.support.tiny_llama import write_base

#: What the base is trained with, beside the number of steps.
TRAINING = (
    *("--head", "multinomial", "--learning-rate", 1e-3, "--batch", 16),
    *("--evaluate-every", 50, "--patience", 8, "--device", "cpu"),
)


def run(*arguments: object) -> float:
    """Run a command; return how long it took, seconds."""
    line, started = command(*arguments), time.monotonic()
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(line)}\n{done.stderr[-2000:]}")
    print(done.stdout if "train" in line else done.stderr[-300:], flush=True)
    return time.monotonic() - started


def train(folder: Path, source: Path, steps: int) -> float:
    """Make a base, train it and its clamp in a folder; return training seconds."""
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    fields = ("rationale", "question", "reference", "candidate")
    texts = [
        f"{row[name]}" for row in rows if row["split"] == "train" for name in fields
    ]
    for split in ("test", "dev"):
        own = (json.dumps(row) + "\n" for row in rows if row["split"] == split)
        (folder / f"{split}.jsonl").write_text("".join(own))
    base, out = (
        write_base(folder / "base", texts=texts, positions=1024),
        folder / "scorer",
    )
    trained = (
        "train",
        "scorer",
        source,
        "--base",
        base,
        "--out",
        out,
        "--steps",
        steps,
    )
    seconds = run(*trained, *TRAINING)
    run("train", "clamp", out, folder / "dev.jsonl", "--device", "cpu")
    return seconds


def rate(folder: Path) -> tuple[dict[str, dict[str, float]], float]:
    """Return figures of the scorer and ``lexical`` on test rows, and its seconds."""
    test = ("rate", folder / "test.jsonl", "--rubric", "correctness-brief")
    test = (*test, "--cache", folder / "cache")
    run(*test, "--judge", "lexical", "--out", folder / "lexical")
    scorer = ("--judge", f"scorer:{folder / 'scorer'}", "-X", "device=cpu")
    seconds = run(*test, *scorer, "--out", folder / "trained")
    out = folder / "agree.json"
    run("agree", folder / "trained", folder / "lexical", "--json", out)
    return collect(json.loads(out.read_text())), seconds


def main() -> None:
    """Train, rate, compare, save."""
    steps = arguments(__doc__, steps=1200).steps
    with tempfile.TemporaryDirectory() as name:
        trained_s = train(Path(name), data_folder() / "orca" / "ratings.jsonl", steps)
        figures, seconds = rate(Path(name))
    judges = list(dict.fromkeys(judge for own in figures.values() for judge in own))
    rows = {}
    for name, by_judge in figures.items():
        rows[name] = {judge: by_judge.get(judge, "-") for judge in judges}
    table_of("Shared test rows", "figure", rows)
    print(f"\ntrained in {trained_s:.0f} s; rated {seconds:.1f} s with start-up")
    save("scorer", {**stored("scorer"), "test": figures})


def collect(report: Any) -> dict[str, dict[str, float]]:
    """Group and figure -> judge or baseline -> value of agree's JSON."""
    results: dict[str, dict[str, float]] = defaultdict(dict)
    for row in report["figures"]:
        if row["estimate"] and (value := row["estimate"]["value"]) is not None:
            own = results[f"{row['group']}: {row['name']}"]
            own[row["who"].split("/")[-1]] = round(value, 4)
    return dict(results)


if __name__ == "__main__":
    main()
