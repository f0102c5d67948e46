"""What commands on verdicts, scores and calls write stays what it is, figure by figure.

``stored/`` holds the ``--json`` of each line of :data:`COMMANDS`. After a change that
is meant to change figures, say why in the changelog, run

    python -m tests.golden.test_golden

and read the difference.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.support import golden_runs as runs
from tests.support.cli import trace_eval
from trace_eval import __version__

STORED = Path(__file__).with_name("stored")

#: Name -> what is typed; the first of ``FOLDER/...`` are made by :func:`make`.
COMMANDS = {
    "agree_tables": "agree judges.csv --labels human.csv --missing drop --learn-policy --folds 2"
    " --policy all --beat mos:higher --calibrated",
    "agree_clusters": "agree reader listener --labels human.csv --missing drop --cluster",
    "agree_run": "agree reader --against reader --missing drop",
    "agree_scores": "agree first second --missing drop",
    "agree_score_tables": "agree scores.csv --labels ratings.csv --rubric correctness"
    " --missing drop",
    "rank_run": "rank reader --labels human.csv --missing drop --resamples 200",
    "rank_plain": "rank listener --cluster --baseline x --orders separate --resamples 200"
    " --missing drop",
    "rank_typed": "rank judges.csv --judge reader --labels human.csv --missing drop --typed"
    " --prior 1 --resamples 200",
    "rank_scores": "rank scores.csv --judge ann --rubric correctness --labels ratings.csv"
    " --resamples 200",
    "compare_runs": "compare reader listener --labels human.csv",
    "compare_scores": "compare first second",
    "compare_change": "compare reader again --judge-change",
    "gate_labels": "gate reader again --side a",
    "gate_scores": "gate first second",
    "screen_run": "screen reader --agree 0.6 --confidence 0.8",
    "screen_table": "screen judges.csv --judge listener --labels human.csv --agree 0.5"
    " --confidence 0.8 --independent",
    "plan_run": "plan reader --width 0.2",
    "plan_table": "plan judges.csv --judge reader --labels human.csv --for accuracy --cluster",
    "card": "card reader listener --out page",
    "turns": "turns fast/items.jsonl --min-events 2",
    "turns_against": "turns slow/items.jsonl --against fast/items.jsonl --min-events 2",
}

#: Keys of what a resampling may move, and by how much.
_RESAMPLED, _MOVES = re.compile(r"(^|_)(low|high|interval)$"), 0.005


def make(folder: Path) -> Path:
    """Make the runs and tables that the commands are about."""
    runs.human_table(folder / "human.csv")
    runs.judge_table(folder / "judges.csv")
    runs.pair_run(folder / "reader", "reader", 0.8)
    runs.pair_run(folder / "again", "reader", 0.6)
    runs.pair_run(folder / "listener", "listener", 0.6, plain=True)
    runs.score_run(folder / "first", "one", 0.8)
    runs.score_run(folder / "second", "two", 0.5)
    runs.score_table(folder / "scores.csv")
    runs.score_table(folder / "ratings.csv", ratings=True)
    runs.calls(folder / "fast", 0.4)
    runs.calls(folder / "slow", 1.2)
    return folder


def written(folder: Path, name: str) -> Any:
    """Return what a command writes, without paths of this machine and our version."""
    out = folder / f"{name}.json"
    done = trace_eval(*COMMANDS[name].split(), "--json", out, cwd=folder)
    assert out.exists(), done.err
    text = (
        out.read_text("utf-8").replace(f"{folder}/", "").replace(__version__, "VERSION")
    )
    result = json.loads(text)
    return {"exit": done.code} | (
        result if isinstance(result, dict) else {"list": result}
    )


def in_twelve_digits(value: Any) -> Any:
    """Round the numbers of a result, whose last digits differ between machines."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [in_twelve_digits(one) for one in value]
    if isinstance(value, dict):
        return {key: in_twelve_digits(one) for key, one in value.items()}
    return value


def lines_of(result: dict[str, Any]) -> str:
    """Write the result as JSON, each figure of the top on its own line."""
    lines = {
        key: json.dumps(in_twelve_digits(value), sort_keys=True)
        for key, value in result.items()
    }
    return (
        "{\n" + ",\n".join(f'"{key}": {line}' for key, line in lines.items()) + "\n}\n"
    )


def differences(
    old: Any, new: Any, where: str = "", resampled: bool = False
) -> list[str]:
    """Where two results differ by more than they may."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [
            line
            for key in old
            for line in differences(
                old[key],
                new[key],
                f"{where}.{key}",
                resampled or bool(_RESAMPLED.search(key)),
            )
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [
            x for n, two in pairs for x in differences(*two, f"{where}[{n}]", resampled)
        ]
    if isinstance(old, float) and isinstance(new, float | int):
        half_a_digit = 5e-12 * abs(
            old
        )  # the most that storing twelve digits moves a value
        room = _MOVES if resampled else 1e-12 * max(1.0, abs(old)) + half_a_digit
        return (
            []
            if math.isclose(old, new, rel_tol=0, abs_tol=room)
            else [f"{where}: {old}, {new}"]
        )
    return [] if old == new else [f"{where}: {old!r:.300}, {new!r:.300}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_writes_is_what_it_wrote(name: str, folder: Path) -> None:
    stored = json.loads((STORED / f"{name}.json").read_text("utf-8"))
    assert not differences(stored, written(folder, name))


def test_what_is_written_is_the_same_on_another_machine() -> None:
    """A sum in another order differs in its last digit."""
    here = {"rates": [0.1 + 0.2 + 0.3], "p": {"value": 1.1e-20}}
    there = {"rates": [0.3 + 0.2 + 0.1], "p": {"value": 1.1000000000000002e-20}}
    assert here != there
    assert lines_of(here) == lines_of(there)


def test_a_moved_figure_is_seen() -> None:
    old = {"rate": 0.5, "interval": {"low": 0.4}}
    assert not differences(old, {"rate": 0.5, "interval": {"low": 0.404}})
    assert differences(old, {"rate": 0.5, "interval": {"low": 0.41}})
    assert differences(old, {"rate": 0.500001, "interval": {"low": 0.4}})
    assert differences(old, {"rate": 0.5})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        made = make(Path(name))
        for command in COMMANDS:
            (STORED / f"{command}.json").write_text(
                lines_of(written(made, command)), "utf-8"
            )
