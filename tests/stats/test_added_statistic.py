"""A statistic that is added by the letter of CONTRIBUTING, in a copy of the tree."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.imports import PACKAGES, ROOT
from trace_eval.opinions.codes import TYPED, UNTYPED
from trace_eval.stats.agreement.metrics import METRICS, Metric, measures_of

#: Draws worlds of known truth in the copy, and prints how often the limits of a
#: statistic hold.
DRAW = """
import json
import numpy as np
from trace_eval.estimate.measures import estimates
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.units import Units
from trace_eval.opinions.codes import TYPED
from trace_eval.stats.agreement.counts import matthews
from trace_eval.stats.agreement.metrics import measures_of

SHARES, DRAWS = np.array([0.4, 0.4, 0.1, 0.1]), 400
measure = {"matthews": measures_of(TYPED)["matthews"]}


def held(items, right, copies):
    joint = (1 - right) * np.outer(SHARES, SHARES) + right * np.diag(SHARES)
    truth = float(matthews(joint))
    limits = []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        own = rng.choice(16, items, p=joint.ravel())
        first = np.repeat(own[::copies], copies)
        cells = np.where(rng.random(items) < 0.5, first, own) if copies > 1 else own
        units = Units.of(cells, 16, np.arange(items) // copies)
        result = estimates(units, measure, IntervalOptions())["matthews"]
        limits.append((*(result.interval or (np.nan, np.nan)), result.method))
    known = [(low, high) for low, high, _ in limits if not np.isnan(low)]
    inside = sum(low <= truth <= high for low, high in known)
    outside = sum(low < -1 or high > 1 for low, high in known)
    methods = sorted({str(method) for *_, method in limits if method})
    return {"held": inside / len(known), "n": len(known), "outside": outside, "methods": methods}


print(json.dumps([held(30, 0.7, 1), held(100, 0.7, 1), held(120, 0.7, 4)]))
"""


def _blocks() -> tuple[str, str]:
    """Return the function and the row that CONTRIBUTING adds."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("### A statistic")[2].partition("\n### ")[0]
    function, row = re.findall(r"```python\n(.*?)```", section, re.S)
    return function, row


def _with_statistic(tree: Path) -> None:
    """Copy the packages to a folder, and add the statistic as CONTRIBUTING says."""
    for package in PACKAGES:
        unread = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tree / package, ignore=unread)
    function, row = _blocks()
    folder = tree / "trace_eval" / "stats" / "agreement"
    counts, metrics = folder / "counts.py", folder / "metrics.py"
    counts.write_text(f"{counts.read_text('utf-8')}\n\n{function}", "utf-8")
    table, start, end = metrics.read_text("utf-8"), "METRICS: tuple", "\n)\n"
    head, opening, rest = table.partition(start)
    rows, closing, tail = rest.partition(end)
    head = head.replace("    macro_f1,\n", "    macro_f1,\n    matthews,\n")
    metrics.write_text(
        f"{head}{opening}{rows}\n{row.rstrip()},{closing}{tail}", "utf-8"
    )


def test_its_limits_hold_and_no_second_list_knows_of_it(tmp_path: Path) -> None:
    _with_statistic(tmp_path)
    line = [sys.executable, "-c", DRAW]
    done = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    few, many, clustered = json.loads(done.stdout)
    for world in (few, many, clustered):
        # 400 draws of limits that hold in 95 %: fewer than .925 come once in 60 studies
        assert world["held"] >= 0.925, world
        assert world["n"] == 400
        assert world["outside"] == 0
        assert world["methods"] == ["jackknife limits, moved by skewness"]


@pytest.mark.parametrize("labels", [TYPED, UNTYPED])
@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.shape and not m.corrects], ids=lambda m: m.name
)
def test_a_shape_is_what_the_statistic_is_the_mean_of(
    metric: Metric[object], labels: tuple[str, ...]
) -> None:
    """One that is not would have the limits of another figure."""
    if labels not in metric.scales:
        return
    measure = measures_of(labels)[metric.name]
    for seed in range(5):
        counts = np.random.default_rng(seed).integers(1, 20, len(labels) ** 2)
        means = []
        for part in measure.parts:
            counted = counts * part.counted
            means.append(part.curve(float(counted @ part.credit / counted.sum())))
        assert float(measure.statistic(counts)) == pytest.approx(
            np.mean(means), abs=1e-12
        )
