"""A scorer as transformers' Trainer trains it: loss, order of rows, checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import Trainer, TrainerCallback
from transformers.trainer_callback import TrainerState
from transformers.trainer_pt_utils import LengthGroupedSampler

from blueprints import JudgeError
from extractors import one_line
from trace_eval.judges.scorer import resume
from trace_eval.judges.scorer.heads import nll
from trace_eval.judges.scorer.model import Scorer
from trace_eval.judges.scorer.options import Progress

_WEIGHTS = "trainable.safetensors"

#: Transformers' own record in a checkpoint.
_STATE = "trainer_state.json"


class ScorerModule(torch.nn.Module):  # type: ignore[misc]
    """A scorer that gives its loss; its backbone and head are trained in place.

    ``weight`` is ``rows`` or ``ratings``, see :class:`TrainOptions`.
    """

    def __init__(self, scorer: Scorer, weight: str) -> None:
        super().__init__()
        self.backbone = scorer.backbone
        self.head = scorer.head
        self._scorer = scorer
        self._by_rows = weight == "rows"

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        ratings: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        """Return the loss of a batch, and the head's outputs."""
        outputs = self._scorer.outputs(input_ids, attention_mask)
        losses = nll(self._scorer.kind, outputs, ratings)
        of_rows = losses.sum(-1)
        if self._by_rows:
            return {
                "loss": (of_rows / (ratings >= 0).sum(-1)).mean(),
                "outputs": outputs,
            }
        return {"loss": of_rows.sum(), "outputs": outputs}

    def trainable(self) -> dict[str, torch.Tensor]:
        """Return the weights that training changes."""
        return {n: p.detach() for n, p in self.named_parameters() if p.requires_grad}


class BatchOrder(LengthGroupedSampler):  # type: ignore[misc]
    """Rows of like length together, in an order that seed and epoch alone decide.

    transformers draws the order from torch's global generator: a training that goes on
    in its second epoch would draw that of the first. ``batch`` is rows per step,
    ``epoch`` gives the present one, from 0.
    """

    def __init__(
        self, batch: int, lengths: list[int], seed: int, epoch: Callable[[], int]
    ) -> None:
        super().__init__(batch, lengths=lengths, generator=torch.Generator())
        self._seed, self._epoch = seed, epoch

    def __iter__(self) -> Iterator[int]:
        self.generator.manual_seed(self._seed + self._epoch())
        return super().__iter__()  # type: ignore[no-any-return]


class ScorerTrainer(Trainer):  # type: ignore[misc]
    """A Trainer whose checkpoints are complete or absent; see :mod:`~.scorer.resume`.

    They hold the trained weights only: a frozen base is not copied at each of them.
    """

    @property
    def _root(self) -> Path:
        return Path(self.args.output_dir)

    def go_on(self, start: resume.Checkpoint | None) -> None:
        """Train from a checkpoint on, or from the start; then load the best weights."""
        if start is None or not start.ended:
            self.train(resume_from_checkpoint=str(start.folder) if start else None)
            return
        self.state = TrainerState.load_from_json(str(start.folder / _STATE))
        self._read(start.best)

    def _get_train_sampler(self, train_dataset: Any = None) -> BatchOrder:
        lengths = [len(row["input_ids"]) for row in self.train_dataset]
        batch = self.args.train_batch_size
        steps = -(-len(lengths) // batch)
        return BatchOrder(
            batch, lengths, self.args.seed, lambda: self.state.global_step // steps
        )

    def _get_output_dir(self, trial: Any) -> str:
        """Return where checkpoints are written before they get their name."""
        return str(self._root / resume.PART)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        part, step, best = self._root / resume.PART, self.state.global_step, self._best
        try:
            shutil.rmtree(part, ignore_errors=True)
            # a path, which another run may not have
            self.state.best_model_checkpoint = None
            super()._save_checkpoint(model, trial)
            written = resume.place(part, step)
            self.state.best_model_checkpoint = None
            self.state.save_to_json(str(written / _STATE))
            resume.finish(written, self._root, best, self.control.should_training_stop)
        except (OSError, RuntimeError, SafetensorError) as error:
            raise JudgeError(
                f"{self._root}: the checkpoint of step {step} cannot be written"
                f" ({one_line(error)}); mend that, then run the same command again"
            ) from error
        self._name_best()

    @property
    def _best(self) -> int | None:
        """Step of the best checkpoint so far."""
        return self.state.best_global_step or None

    def _name_best(self) -> None:
        """Return where the best checkpoint is: what transformers loads in the end."""
        if self._best is not None:
            self.state.best_model_checkpoint = str(resume.place(self._root, self._best))

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        weights: dict[str, Any] = {}
        for name, parameter in self.model.trainable().items():
            weights[name] = parameter.contiguous().cpu()
        save_file(weights, folder / _WEIGHTS)

    def _load_from_checkpoint(
        self, resume_from_checkpoint: str, model: Any = None
    ) -> None:
        self._read(Path(resume_from_checkpoint))

    def _load_callback_state(self) -> None:
        super()._load_callback_state()
        self._name_best()

    def _load_best_model(self) -> None:
        self._read(Path(self.state.best_model_checkpoint))

    def _read(self, folder: Path) -> None:
        weights = load_file(folder / _WEIGHTS)
        wanted = self.model.trainable()
        if weights.keys() != wanted.keys():
            raise ValueError(f"{folder}: holds the weights of another training")
        with torch.no_grad():
            for name, value in self.model.named_parameters():
                if name in weights:
                    value.copy_(weights[name])


class ProgressCallback(TrainerCallback):  # type: ignore[misc]
    """Tells a listener how training goes."""

    def __init__(
        self, listener: Callable[[Progress], None], clock: Callable[[], float]
    ) -> None:
        self._listener = listener
        self._clock = clock
        self._began = clock(), 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Start the clock."""
        self._began = self._clock(), state.global_step

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any
    ) -> None:
        """Hand on what the Trainer logs."""
        seconds, first = self._clock() - self._began[0], self._began[1]
        pace = seconds / max(1, state.global_step - first)
        left = pace * (state.max_steps - state.global_step)
        values = {}
        for name, value in (logs or {}).items():
            if name in ("loss", "eval_crps", "eval_rho", "eval_nll", "eval_mae"):
                values[name.removeprefix("eval_")] = float(value)
        if values:
            self._listener(Progress(state.global_step, state.max_steps, values, left))
