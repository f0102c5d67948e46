"""Tasks of Inspect by its own command line: scores, unscored samples, logs as items."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.cli import ROOT, trace_eval
from tests.support.processes import run_python
from trace_eval.data.inspect_logs import record_of
from trace_eval.data.tables import records

inspect_log = pytest.importorskip("inspect_ai.log", reason="pip install '.[inspect]'")

(TASK,) = re.findall(
    r"```python\n# spoken.py\n(.*?)```",
    (ROOT / "docs" / "how-to" / "python.md").read_text(),
    re.S,
)


def evaluated(folder: Path, task: str, cache: Path) -> Path:
    """Type ``inspect eval``; returns the log."""
    (folder / "spoken.py").write_text(task)
    (folder / "examples").symlink_to(ROOT / "examples")
    words = ["eval", "spoken.py", "--model", "none/none", "--display", "none"]
    code = "from inspect_ai._cli.main import main; main()"
    variables = {
        "INSPECT_LOG_DIR": str(folder / "logs"),
        "TRACE_EVAL_CACHE": str(cache),
    }
    done = run_python("-c", code, *words, cwd=folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (folder / "logs").glob("*.eval")
    return log


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, examples_cache: Path) -> Path:
    return evaluated(tmp_path_factory.mktemp("task"), TASK, examples_cache)


def scores(log: Path, name: str) -> dict[str, Any]:
    samples = inspect_log.read_eval_log(str(log)).samples
    return {sample.id: sample.scores[name] for sample in samples}


def test_the_task_of_the_docs_is_scored(log: Path) -> None:
    preferred = scores(log, "preferred")
    # README's demo: content prefers 1 for refusal, 2 for off-topic.
    values = {name: score.value for name, score in preferred.items()}
    assert values == {"refusal": 1.0, "off-topic": 0.0}
    lost = preferred["off-topic"]
    assert "content prefers 2 (1: the answer, 2: the baseline)" in lost.explanation
    assert lost.metadata["policy"] == "content_first"
    rated = scores(log, "rated")
    assert 1 <= rated["refusal"].value <= 5
    results = {
        score.name: score
        for score in inspect_log.read_eval_log(str(log)).results.scores
    }
    assert results["preferred"].metrics["mean"].value == 0.5


def test_a_finished_log_is_a_list_of_single_answers(log: Path, tmp_path: Path) -> None:
    trace_eval("rate", log, "--judge", "lexical", "--out", tmp_path / "run", ends=0)
    rows = map(json.loads, (tmp_path / "run" / "scores.jsonl").read_text().splitlines())
    again = {row["item"]: row["value"] for row in rows}
    assert again == {name: score.value for name, score in scores(log, "rated").items()}


def test_what_cannot_be_scored_says_why_and_counts_in_no_mean(
    tmp_path: Path, examples_cache: Path
) -> None:
    broken = TASK.replace('"baseline": str', '"other": str').replace(
        'state.metadata["sound"]', '"gone.wav"'
    )
    log = evaluated(tmp_path, broken, examples_cache)
    preferred, rated = scores(log, "preferred"), scores(log, "rated")
    assert all(
        math.isnan(score.value) for score in (*preferred.values(), *rated.values())
    )
    assert "metadata has no 'baseline'" in preferred["refusal"].explanation
    assert re.match(r"clip_failed: .*gone\.wav", rated["refusal"].explanation)
    assert rated["refusal"].reason == "scoring_failed"


def test_a_damaged_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "done.eval"
    path.write_bytes(b"PK\x03\x04 no zip file")
    with pytest.raises(UserError, match=r"done\.eval: is not a log of Inspect"):
        list(records(path))


def test_messages_of_the_user_are_the_question() -> None:
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        ContentAudio,
        ModelOutput,
    )

    given = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="What is it?"),
    ]
    record = record_of(
        given, ModelOutput.from_content("m", "A river."), ["", "the Seine"]
    )
    assert record["instruction"]["text"] == "What is it?"
    assert record["answer"] == {"text": "A river.", "audio": None}
    assert record["references"] == ["the Seine"]
    broken = [
        ChatMessageUser(
            content=[ContentAudio(audio="data:audio/wav;base64,%", format="wav")]
        )
    ]
    with pytest.raises(
        UserError, match=r"expected base64 of a recording .*write it again"
    ):
        record_of(broken, ModelOutput.from_content("m", "A river."), "")
