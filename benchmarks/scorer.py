"""Train a small scorer on the shared ratings and measure it beside what needs no training.

    TRACE_EVAL_DATA=... python -m benchmarks.scorer [--steps N] [--head multinomial|beta]

The base is a Llama of about 330,000 random parameters: it has read nothing but the training
rows, so the figures are a floor for real bases, not a forecast of them. Everything goes through
the commands as a user types them: train scorer, train clamp, rate, agree. Wants the
extra ``scorer``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.report import save, table
from tests.support.tiny_llama import write_base


def run(*arguments: object) -> str:
    """A command; its output."""
    command = [sys.executable, "-m", "trace_eval", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr[-2000:]}")
    print(done.stdout if "train" in command else done.stderr[-300:], flush=True)
    return done.stdout


def split(rows: Iterable[dict[str, Any]], name: str, folder: Path) -> Path:
    """The rows of a split as a file of their own."""
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows if row["split"] == name))
    return path


def main() -> None:
    """Train, rate, compare, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--head", default="multinomial")
    parser.add_argument("--lora", type=int, default=None)
    options = parser.parse_args()
    source = Path(os.environ["TRACE_EVAL_DATA"]) / "orca" / "ratings.jsonl"
    rows = [json.loads(line) for line in source.open(encoding="utf-8")]
    texts = [
        f"{row[name]}"
        for row in rows
        if row["split"] == "train"
        for name in ("rationale", "question", "reference", "candidate")
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = write_base(folder / "base", texts=texts, positions=1024)
        test, dev = split(rows, "test", folder), split(rows, "dev", folder)
        started = time.monotonic()
        run(
            *("train", "scorer", source, "--base", base, "--out", folder / "scorer"),
            *(
                "--head",
                options.head,
                "--steps",
                options.steps,
                "--learning-rate",
                1e-3,
                "--batch",
                16,
            ),
            *("--evaluate-every", 50, "--patience", 8, "--device", "cpu"),
            *(("--lora", options.lora) if options.lora else ()),
        )
        seconds = time.monotonic() - started
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
        run("train", "clamp", folder / "scorer", dev, "--device", "cpu")
        rate = ("rate", test, "--rubric", "correctness-brief", "--cache", folder / "cache")
        run(*rate, "--judge", "lexical", "--out", folder / "lexical")
        started = time.monotonic()
        scorer = f"scorer:{folder / 'scorer'}"
        run(*rate, "--judge", scorer, "-X", "device=cpu", "--out", folder / "trained")
        rate_s = time.monotonic() - started
        run(
            *("agree", folder / "trained", folder / "lexical"),
            *("--json", folder / "agree.json"),
        )
        report = json.loads((folder / "agree.json").read_text())
        record = json.loads((folder / "scorer" / "scorer.json").read_text())
    figures = collect(report)
    names = list(dict.fromkeys(name for name, _ in figures))
    judges = list(dict.fromkeys(judge for _, judge in figures))
    table(
        "Shared test rows",
        ["figure", *judges],
        [[name, *(figures.get((name, judge), "-") for judge in judges)] for name in names],
    )
    print(
        f"\ntrained in {seconds:.0f} s, peak {memory:.0f} MiB; rated {rate_s:.1f} s with start-up"
    )
    save(
        "scorer",
        {
            "head": options.head,
            "train_s": round(seconds, 1),
            "peak_mib": round(memory),
            "metrics_dev": record["metrics"],
            "clamp": record["clamp"],
            "training": {k: v for k, v in record["training"].items() if k != "options"},
            "test": {
                name: {j: round(figures[name, j], 4) for j in judges if (name, j) in figures}
                for name in names
            },
        },
    )


def collect(report: Any) -> dict[tuple[str, str], float]:
    """(group and figure, judge or baseline) -> value of agree's JSON."""
    return {
        (f"{row['group']}: {row['name']}", row["who"].split("/")[-1]): row["estimate"]["value"]
        for row in report["figures"]
        if row["estimate"] and row["estimate"]["value"] is not None
    }


if __name__ == "__main__":
    main()
