"""Do margins beat the trivial rules, on the labelled pairs at hand?

Run: TRACE_EVAL_DATA=... python -m benchmarks.margins

Two embedded judges: `rules` on the five SpeakBench pairs that have recordings, and `lexical` on
the pairs of answers to one question in ORCA's dev and test splits, people's preference being the
higher mean rating. A rule has credit 1 for the right answer and 1/2 where it, or people, tie.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import save, table
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.options import PairOptions, RateOptions
from trace_eval.runs.job import judge_manifest, rate_manifest
from trace_eval.runs.score_pairs import write_pairs
from trace_eval.stats.agreement.baselines import RULES
from trace_eval.stats.agreement.interval import exact_interval
from trace_eval.stats.agreement.number_rules import NumberRule
from trace_eval.stats.agreement.source import read_source
from trace_eval.stats.inference.calibrate import calibrate
from trace_eval.stats.inference.labelled_run import LabelledRun, gather


def spoken(data: Path, folder: Path) -> LabelledRun:
    """The judge `rules` on the SpeakBench pairs."""
    judge_manifest(read_manifest(data / "speakbench_pairs" / "pairs.jsonl"), folder / "spoken")
    return gather(read_source(folder / "spoken"), None)


def written(data: Path, folder: Path) -> LabelledRun:
    """The judge `lexical` on ORCA's answers that it was not trained on."""
    lines = (data / "orca" / "ratings.jsonl").read_text().splitlines(keepends=True)
    held = folder / "held.jsonl"
    held.write_text("".join(line for line in lines if json.loads(line)["split"] != "train"))
    rate_manifest(read_items(held), folder / "written", RateOptions(rubrics=("correctness",)))
    write_pairs(folder / "written", folder / "pairs.csv", PairOptions())
    return gather(read_source(folder / "pairs.csv"), None)


def few(run: LabelledRun) -> list[dict[str, Any]]:
    """Right on how many of the pairs where people name a winner; too few to fit anything."""
    facts, truth = run.table.facts, run.truth
    winner = (truth == 0) | (truth == 1)
    margin = np.where(facts["margin"] > 0, 0, 1)
    said = {"sign of the summed margins": margin, "judge's own label": run.codes}
    for rule in RULES:
        if (codes := rule.codes(facts)) is not None:
            said[rule.name] = codes
    rows = []
    for name, codes in said.items():
        right, number = int((codes == truth)[winner].sum()), int(winner.sum())
        low, high = exact_interval(right, number, 0.95)
        rows.append({"rule": name, "right": right, "of": number, "low": low, "high": high})
    return rows


def many(run: LabelledRun) -> list[dict[str, Any]]:
    """Held-out probabilities against rules that need no fit, with intervals over questions."""
    found = calibrate(run, baselines=(NumberRule("longer answer", "tokens"),))
    rows = [
        {
            "rule": f"calibrated, {m.method}",
            "accuracy": m.accuracy.value,
            "interval": m.accuracy.interval,
        }
        for m in (found.chosen, *found.methods)
    ]
    for rule in found.rules:
        rows.append(
            {
                "rule": rule.name,
                "accuracy": rule.accuracy.value,
                "interval": rule.accuracy.interval,
                "best minus rule": rule.difference.value,
                "of difference": rule.difference.interval,
            }
        )
    return rows


def _shown(cell: Any) -> str:
    if isinstance(cell, tuple):
        return f"{cell[0]:.3f} to {cell[1]:.3f}"
    return "-" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def main() -> None:
    """Measure, print both tables and save them."""
    data = Path(os.environ["TRACE_EVAL_DATA"])
    with tempfile.TemporaryDirectory() as name:
        answers = many(written(data, Path(name)))
        pairs = few(spoken(data, Path(name)))
    table(
        "lexical on ORCA's held-out pairs",
        list(answers[-1]),
        [[_shown(row.get(key)) for key in answers[-1]] for row in answers],
    )
    table("rules on SpeakBench, winners", list(pairs[0]), [list(row.values()) for row in pairs])
    save("margins", {"lexical": answers, "rules": pairs})


if __name__ == "__main__":
    main()
