"""Words follow tests, not the point."""

from __future__ import annotations

import numpy as np

from tests.support.cli import trace_eval
from trace_eval.stats.ranking.intervals import rank_sets


def test_a_better_rule_is_named(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    # The longer answer is right in 8 of 10, the judge in 6, always saying 1 in 5.
    labels, judged = ["id,overall,duration_a,duration_b"], ["id,judge,overall"]
    for n in range(10):
        truth = 1 if n < 5 else 2
        longer = truth if n % 5 else 3 - truth
        said = truth if n % 5 < 3 else 3 - truth
        sides = (9, 3) if longer == 1 else (3, 9)
        labels.append(f"{n},{truth},{sides[0]},{sides[1]}")
        judged.append(f"{n},m,{said}")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n")
    (folder / "judged.csv").write_text("\n".join(judged) + "\n")
    done = trace_eval("agree", folder / "judged.csv", "--labels", folder / "labels.csv", "--full")
    assert done.code == 0, done.err
    assert "not told apart from the majority class: 0.60 against 0.50" in done.out
    better = "does better: 0.80 against the judge's 0.60 on the same 10 items"
    assert f"{better} (paired test, p = 0.69)" in " ".join(done.out.split())


def test_rank_intervals_rest_on_half_of_the_resamples_at_least() -> None:
    rows, values, tested = np.full((2000, 2), np.nan), np.array([2.0, 1.0]), np.zeros((2, 2))
    rows[0] = values
    assert (found := rank_sets(values, rows, tested, 0.95)).ahead is None
    assert found.undefined == 1999
    rows[:1200] = values
    found = rank_sets(values, rows, tested, 0.95)
    assert found.ahead is not None
    assert (found.ahead.tolist(), found.undefined) == ([[False, True], [False, False]], 800)
