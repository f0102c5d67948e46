"""Rated answers and a released checkpoint, for tests of trained scorers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.tiny_llama import sentences

torch = pytest.importorskip("torch")


peft = pytest.importorskip("peft", reason="pip install '.[scorer]'")


def rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Answers that are right or wrong, with unanimous or divided raters."""
    rng = random.Random(seed)
    rows = []
    for number, text in enumerate(sentences(count, seed)):
        right = rng.random() < 0.5
        ratings = [5 if right else 1] * 2 + (
            [4 if right else 2] if number % 3 == 0 else []
        )
        rows.append(
            {
                "id": f"r{number}",
                "question_id": f"q{number}",
                "question": f"What happens in {text.split()[0]}?",
                "reference": text,
                "candidate": text if right else "nothing at all",
                "rationale": " ".join(text.split()[:3]),
                "transcription": "",
                "ratings": ratings,
                "feedback": [None] * len(ratings),
                "split": "dev" if number % 5 == 0 else "train",
            }
        )
    return rows


def released(folder: Path, base: Path, head: str = "multinomial") -> Path:
    """Write a checkpoint like the authors': around a model with its vocabulary head."""
    import yaml
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(7)
    lm = AutoModelForCausalLM.from_pretrained(base)
    config = peft.LoraConfig(
        r=2, lora_alpha=2, target_modules=["q_proj", "v_proj", "up_proj"]
    )
    adapted = peft.get_peft_model(lm, config)
    for name, value in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(value, std=0.05)
    (folder / "model" / "lm").mkdir(parents=True)
    adapted.save_pretrained(folder / "model" / "lm")
    AutoTokenizer.from_pretrained(base).save_pretrained(folder / "tokenizer")
    outputs = {"multinomial": 5, "beta": 2}.get(head, 2)
    state = {
        "linear.weight": torch.randn(outputs, 64).to(torch.bfloat16),
        "linear.bias": torch.randn(outputs).to(torch.bfloat16),
    }
    torch.save(state, folder / "model" / "model_minus_lm.pt")
    (folder / "model" / "config.yaml").write_text(
        yaml.safe_dump(
            {"score_type": head, "use_cls_token": False, "init_type": "xavier_normal"}
        )
    )
    return folder
