"""What transformers' Trainer needs to know of a scorer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file
from transformers import Trainer, TrainerCallback

from trace_eval.scorer.heads import nll
from trace_eval.scorer.model import Scorer

if TYPE_CHECKING:
    from trace_eval.scorer.train import Progress

_WEIGHTS = "trainable.safetensors"


class ScorerModule(torch.nn.Module):  # type: ignore[misc]
    """A scorer that gives its loss.

    Args:
        scorer: backbone and head are trained in place.
        weight: ``rows`` or ``ratings``, see :class:`TrainOptions`.
    """

    def __init__(self, scorer: Scorer, weight: str) -> None:
        super().__init__()
        self.backbone = scorer.backbone
        self.head = scorer.head
        self._scorer = scorer
        self._by_rows = weight == "rows"

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, ratings: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        """Loss of a batch, and the head's outputs."""
        outputs = self._scorer.outputs(input_ids, attention_mask)
        losses = nll(self._scorer.kind, outputs, ratings)
        of_rows = losses.sum(-1)
        if self._by_rows:
            return {"loss": (of_rows / (ratings >= 0).sum(-1)).mean(), "outputs": outputs}
        return {"loss": of_rows.sum(), "outputs": outputs}

    def trainable(self) -> dict[str, torch.Tensor]:
        """The weights that training changes."""
        return {n: p.detach() for n, p in self.named_parameters() if p.requires_grad}


class ScorerTrainer(Trainer):  # type: ignore[misc]
    """Saves and loads the trained weights only: a frozen base is not copied at each checkpoint."""

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {n: p.contiguous().cpu() for n, p in self.model.trainable().items()}
        save_file(weights, folder / _WEIGHTS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        self._read(Path(resume_from_checkpoint))

    def _load_best_model(self) -> None:
        if self.state.best_model_checkpoint:
            self._read(Path(self.state.best_model_checkpoint))

    def _read(self, folder: Path) -> None:
        weights = load_file(folder / _WEIGHTS)
        wanted = self.model.trainable()
        if weights.keys() != wanted.keys():
            raise ValueError(f"{folder}: holds other weights than this training")
        with torch.no_grad():
            for name, value in self.model.named_parameters():
                if name in weights:
                    value.copy_(weights[name])


class Teller(TrainerCallback):  # type: ignore[misc]
    """Tells a listener how training goes."""

    def __init__(self, listener: Callable[[Progress], None], clock: Callable[[], float]) -> None:
        self._listener = listener
        self._clock = clock
        self._began: tuple[float, int] | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Start the clock."""
        self._began = self._clock(), state.global_step

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
        """Pass on what the Trainer logs."""
        from trace_eval.scorer.train import Progress

        assert self._began is not None
        seconds, first = self._clock() - self._began[0], self._began[1]
        pace = seconds / max(1, state.global_step - first)
        left = pace * (state.max_steps - state.global_step)
        values = {
            name.removeprefix("eval_"): float(value)
            for name, value in (logs or {}).items()
            if name in ("loss", "eval_crps", "eval_rho", "eval_nll", "eval_mae")
        }
        if values:
            self._listener(Progress(state.global_step, state.max_steps, values, left))
