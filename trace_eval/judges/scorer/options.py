"""Options of training a scorer, and its progress events."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blueprints import JudgeError
from trace_eval.judges.scorer.heads import checked

#: How rows with many raters count.
WEIGHTS = ("rows", "ratings")


@dataclass(frozen=True)
class TrainOptions:
    """The options of training; defaults are those of ORCA's runs where it states them.

    Attributes:
        base: decoder language model: path or hub id.
        head: head of the scorer: multinomial or beta.
        lora: rank of LoRA (alpha is the same, no dropout); None: all weights are
            trained.
        start: folder of a scorer to go on from, with a fresh optimiser; None: a new
            head.
        dev_share: share of the questions that choose the checkpoint, where no row is in
            split dev.
        weight: what counts equally: rows, or ratings.
        steps: the most steps of AdamW, with a linear schedule.
        batch: rows per step.
        learning_rate: highest learning rate, after the warm-up.
        warmup: steps until the highest learning rate.
        evaluate_every: steps between two evaluations on the dev rows.
        patience: stop after so many evaluations without a better CRPS.
        transcription: show the transcript of the question's audio.
        seed: seed of the weights, the order and the split.
        device: device to train on: auto, cpu or cuda:N.
        data: what the ratings are called, for the card.
        licence: terms under which the ratings were used, for the card.
    """

    base: str
    head: str = "multinomial"
    lora: int | None = None
    start: Path | None = None
    dev_share: float = 0.1
    weight: str = WEIGHTS[0]
    steps: int = 4000
    batch: int = 8
    learning_rate: float = 5e-5
    warmup: int = 100
    evaluate_every: int = 100
    patience: int = 50
    transcription: bool = False
    seed: int = 108
    device: str = "auto"
    data: str | None = None
    licence: str | None = None

    def __post_init__(self) -> None:
        checked(self.head)
        if self.weight not in WEIGHTS:
            raise JudgeError(
                f"weight {self.weight!r} is unknown; use {' or '.join(WEIGHTS)}"
            )
        if not 0 < self.dev_share < 1:
            raise JudgeError(
                f"dev_share {self.dev_share:g}: give a share between 0 and 1"
            )
        for name in ("steps", "batch", "evaluate_every", "patience"):
            if getattr(self, name) < 1:
                raise JudgeError(f"{name} {getattr(self, name)}: give 1 or more")
        if self.lora is not None and self.lora < 1:
            raise JudgeError(f"lora {self.lora}: give a rank of 1 or more")

    def record(self) -> dict[str, Any]:
        """Record what decides the outcome: neither device nor places."""
        values = asdict(self) | {"start": str(self.start) if self.start else None}
        return {name: value for name, value in values.items() if name != "device"}


@dataclass(frozen=True)
class Progress:
    """The progress of a training run."""

    step: int  # done
    steps: int  # at most
    values: dict[str, float]  # loss of the last steps, or dev CRPS, rho, NLL
    seconds_left: float  # at the pace so far
