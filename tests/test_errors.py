"""Errors that a Python user can catch by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trace_eval as te
from tests.support.audio import tone, write
from tests.support.servers import unused_url


def pairs(folder: Path) -> list[dict[str, Any]]:
    """Return one pair of tones as records."""
    a, b = (write(folder / f"{hertz}.wav", tone(hz=hertz)) for hertz in (200.0, 300.0))
    return [{"id": "p", "instruction": "Say it.", "a": str(a), "b": str(b)}]


def test_a_manifest_that_is_missing_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(te.InputError, match=r"nowhere\.jsonl"):
        te.read_manifest(tmp_path / "nowhere.jsonl")


def test_a_table_without_answers_is_an_input_error() -> None:
    with pytest.raises(te.InputError):
        te.judge([{"id": "p", "question": "Why?"}], progress=False)


def test_a_recording_that_is_none_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("<html></html>")
    with pytest.raises(te.InputError, match="HTML"):
        te.blueprint(tmp_path / "a.wav")


def test_a_folder_without_a_run_is_a_run_folder_error(tmp_path: Path) -> None:
    with pytest.raises(te.RunFolderError, match="no run here"):
        te.Run.open(tmp_path)


def test_a_damaged_run_is_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(te.DamagedFile, match=r"manifest\.json"):
        te.Run.open(tmp_path).record()


def test_a_judge_that_does_not_exist_is_a_judge_error(tmp_path: Path) -> None:
    with pytest.raises(te.JudgeError, match="oracle"):
        te.judge(pairs(tmp_path), judge="oracle", progress=False)


def test_a_key_that_is_not_set_is_a_judge_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(te.JudgeError, match="OPENAI_API_KEY"):
        te.judge(pairs(tmp_path), judge="openai:gpt-4.1-mini", progress=False)


def test_a_server_that_nobody_serves_is_a_server_error(tmp_path: Path) -> None:
    url = f"{unused_url()}/v1"
    with pytest.raises(te.ServerError, match="no attempt was answered"):
        te.judge(
            pairs(tmp_path),
            judge="openai:m",
            out=tmp_path / "run",
            base_url=url,
            retries=0,
            progress=False,
        )


def test_a_limit_of_spending_without_a_price_is_a_budget_error(tmp_path: Path) -> None:
    with pytest.raises(te.BudgetError, match="no price is known"):
        te.judge(
            pairs(tmp_path),
            judge="openai:m",
            base_url="http://198.51.100.1/v1",
            max_cost=1.0,
            progress=False,
        )


@pytest.mark.parametrize(
    "kind",
    [
        te.InputError,
        te.RunFolderError,
        te.DamagedFile,
        te.JudgeError,
        te.ServerError,
        te.BudgetError,
    ],
)
def test_every_kind_is_a_user_error(kind: type[Exception]) -> None:
    assert issubclass(kind, te.UserError)
