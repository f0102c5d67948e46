"""False weights are refused in one line of ours by every loader, and never run."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blueprints import UserError
from extractors.weights import read_state
from tests.support.scorer_rows import released, rows
from tests.support.tiny_llama import write_base
from trace_eval.commands.cli import app

torch = pytest.importorskip("torch")
peft = pytest.importorskip("peft", reason="pip install '.[scorer]'")


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("causal") / "base", causal=True)


class _Runs:
    def __init__(self, touched: Path) -> None:
        self.touched = touched

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.touched),)


def _code(path: Path) -> None:
    torch.save({"weight": _Runs(path.with_name("run"))}, path)


def _old_code(path: Path) -> None:
    path.write_bytes(pickle.dumps(_Runs(path.with_name("run"))))


def _script(path: Path) -> None:
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), str(path))


def _text(path: Path) -> None:
    path.write_text("hello")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


#: What may stand where weights should.
NONE = (_code, _old_code, _script, _text, _empty)


def _told(error: UserError, path: Path) -> None:
    """Check that one line says which file and what is allowed, not how to run it."""
    words = str(error)
    assert str(path) in words
    assert "\n" not in words
    assert not path.with_name("run").exists()
    for advice in ("weights_only", "Weights only", "torch.load", "trusted source"):
        assert advice not in words, words


def _read(path: Path, causal: Path) -> None:
    read_state(path, "fetch it again")


def _reward_head(path: Path, causal: Path) -> None:
    from trace_eval.judges.scorer.model import read_head

    read_head(path, 1, 64)


def _scorer_base(path: Path, causal: Path) -> None:
    from trace_eval.judges.scorer.model import open_base

    (path.parent / "config.json").write_bytes((causal / "config.json").read_bytes())
    path.rename(path.with_name("pytorch_model.bin"))
    open_base(path.parent, "cpu")


def _adapter(path: Path, causal: Path) -> None:
    from transformers import AutoModel

    from trace_eval.judges.scorer import adapters

    peft.LoraConfig(r=2, target_modules=["q_proj"]).save_pretrained(path.parent)
    path.rename(path.with_name("adapter_model.bin"))
    adapters.with_adapter(AutoModel.from_pretrained(causal), path.parent)


@pytest.mark.parametrize("load", [_read, _reward_head, _scorer_base, _adapter])
@pytest.mark.parametrize("write", NONE)
def test_weights_that_are_none_are_refused_in_words_of_ours(
    write: Callable[[Path], None],
    load: Callable[[Path, Path], None],
    causal: Path,
    tmp_path: Path,
) -> None:
    path = tmp_path / "weights.pt"
    write(path)
    with pytest.raises(UserError) as refused:
        load(path, causal)
    _told(refused.value, tmp_path)
    if write in (_code, _old_code, _script):
        assert "safetensors, or a torch file of tensors only, is allowed" in str(
            refused.value
        )


def test_a_scorer_that_does_not_load_ends_the_command_before_any_work(
    causal: Path,
    tmp_path: Path,
) -> None:
    folder = released(tmp_path / "released", causal)
    _code(folder / "model" / "model_minus_lm.pt")
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in rows(3)))
    out = tmp_path / "out"
    typed = [
        "rate",
        str(items),
        "--rubric",
        "correctness-brief",
        "--judge",
        f"scorer:{folder}",
    ]
    done = CliRunner().invoke(app, [*typed, "--out", str(out), "-X", "device=cpu"])
    assert done.exit_code == 2, done.output
    told = " ".join(done.output.split())
    assert "model_minus_lm.pt: cannot be read as a checkpoint" in told
    assert "weights_only" not in told
    assert not list(out.glob("*.jsonl"))
