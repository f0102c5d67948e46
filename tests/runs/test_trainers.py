"""What trainers make of exported preferences, by their code where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fusion import Rating
from tests.support.preferred import judged_run
from trace_eval.runs.preferences import export_preferences

#: Marks the speakers, and asks for the assistant.
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture
def rows(tmp_path: Path) -> Any:
    """Read an exported file as trainers do: B wins the second pair, with no margin."""
    datasets = pytest.importorskip("datasets")
    rated = [(Rating.A, 1.0, None), (Rating.B, None, Rating.B)]
    path = export_preferences(judged_run(tmp_path / "run", rated))
    return datasets.load_dataset(
        "json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )


@pytest.fixture
def tokenizer() -> Any:
    """Make a tokenizer of one word with a chat template."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers", reason="trainers bring it")
    model = tokenizers.models.WordLevel({"?": 0}, unk_token="?")
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(model), unk_token="?", eos_token="?"
    )
    fast.chat_template = TEMPLATE
    return fast


def test_trl_reads_them(tokenizer: Any, rows: Any) -> None:
    reader = pytest.importorskip(
        "trl.data_utils", reason="make test brings it, in a folder of its own"
    )
    first, second = rows
    assert reader.is_conversational(first)
    told = [reader.maybe_apply_chat_template(row, tokenizer) for row in (first, second)]
    assert told[0]["prompt"] == "<user>Question 0?</user><assistant>"
    assert told[0]["chosen"] == "A says 0.</assistant>"
    assert told[0]["rejected"] == "B says 0.</assistant>"
    assert told[1]["chosen"] == "B says 1.</assistant>"


def test_axolotl_reads_them(tokenizer: Any, rows: Any) -> None:
    """As ``type: chat_template.default`` with ``field_messages: prompt``."""
    reader = pytest.importorskip(
        "axolotl.prompt_strategies.dpo.chat_template",
        reason="make test-models brings it, in a folder of its own",
    )
    chosen = {"field_messages": "prompt", "chat_template": "jinja"}
    config = {"datasets": [chosen | {"chat_template_jinja": TEMPLATE}]}
    transform, _ = reader.default(config)
    told = [transform(row, tokenizer) for row in rows]
    assert told[0]["prompt"] == "<user>Question 0?</user><assistant>"
    assert told[0]["chosen"].startswith("A says 0.")
    assert told[0]["rejected"].startswith("B says 0.")
    assert told[1]["chosen"].startswith("B says 1.")


def test_openrlhf_reads_them(tokenizer: Any, rows: Any) -> None:
    """With its chat template; a pair without a margin has none for its loss either."""
    reader = pytest.importorskip(
        "openrlhf.datasets.reward_dataset",
        reason="make test-models brings it, in a folder of its own",
    )
    apply = tokenizer.apply_chat_template
    prompt, chosen, rejected, margin = reader.preprocess_data(
        rows[1], prompt_key="prompt", apply_chat_template=apply, is_dpo=True
    )
    assert prompt == "<user>Question 1?</user><assistant>"
    assert chosen == "B says 1.</assistant>"
    assert rejected == "A says 1.</assistant>"
    assert margin == 0
