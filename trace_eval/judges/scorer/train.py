"""Train a scorer on human ratings, with transformers' Trainer and this project's loss.

Each row weighs the same, whatever its number of raters (``weight="ratings"`` gives the
paper's sum). Dev rows choose the checkpoint by CRPS. The same command continues where a
killed one was; on a CPU it ends with the same weights as an uninterrupted one.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from blueprints import JudgeError
from extractors import resolve
from trace_eval.data.files import replace_file
from trace_eval.data.outputs import claimed
from trace_eval.judges.scorer import adapters, checkpoint, resume
from trace_eval.judges.scorer.checkpoint import (
    HEAD_FILE,
    ScorerRecord,
    base_folder,
    locate,
    model_sha256,
    write_scorer,
)
from trace_eval.judges.scorer.data import TrainingRow, read_ratings, train_and_dev
from trace_eval.judges.scorer.heads import NO_RATING, HeadKind, checked, dev_metrics
from trace_eval.judges.scorer.model import (
    Scorer,
    load,
    new_head,
    open_base,
    open_tokenizer,
    pad_id,
    padded,
    sizes,
    without_language_head,
)
from trace_eval.judges.scorer.options import Progress, TrainOptions

#: Layers that LoRA adapts.
LORA_TARGETS = (
    "q_proj",
    "k_proj",
    "v_proj",
    "o_proj",
    "gate_proj",
    "up_proj",
    "down_proj",
)

#: The learning rate ends at this share of its height.
LR_END = 0.01

#: Norm to which gradients are cut.
MAX_GRAD_NORM = 5.0

_OPTIONS = "training.json"
_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class Trained:
    """The outcome of a training run.

    Attributes:
        folder: of the scorer.
        rows: role -> rows used.
        dropped: reason -> rows left out.
        cut: rows whose rationale was cut to fit; too long: rows that cannot fit.
        metrics: of the chosen checkpoint on the dev rows.
        steps: done.
    """

    folder: Path
    rows: dict[str, int]
    dropped: dict[str, int]
    cut: int
    metrics: dict[str, float]
    steps: int


def train_scorer(
    ratings: Path,
    out: Path,
    options: TrainOptions,
    dev: Path | None = None,
    listener: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """Train a scorer into a folder; continues a training that was interrupted.

    Args:
        ratings: items with human ratings; test rows are left out.
        out: folder of the scorer.
        dev: rows that choose the checkpoint, instead of those of ``ratings``.
        listener: receives every look at the loss or the dev rows.

    Raises:
        UserError: a package, the base or a file is missing; rows leak between splits;
            ``out`` holds a finished scorer or a training with other options.
    """
    checkpoint.check_packages()
    of_file = read_ratings(ratings)
    dev_sha256 = None
    if dev is None:
        train, choose = train_and_dev(of_file.rows, options.dev_share, options.seed)
    else:
        train = [row for row in of_file.rows if row.split in (None, "train")]
        of_dev = read_ratings(dev)
        choose, dev_sha256 = of_dev.rows, of_dev.sha256
        _refuse_shared_questions(dev, train, choose)
    _claim(out, options, {"file_sha256": of_file.sha256, "dev_sha256": dev_sha256})
    scorer = _open(options)
    sets = {}
    dropped = dict(of_file.dropped)
    cut = 0
    for role, rows in (("train", train), ("dev", choose)):
        sets[role], cuts, long = _encoded(scorer, rows)
        cut += cuts
        if long:
            dropped[f"{role}: longer than the model takes"] = long
    metrics, steps = _run(scorer, sets, out=out, options=options, listener=listener)
    rows_by_role = {role: len(rows) for role, rows in sets.items()}
    packages = ("torch", "transformers", "peft")
    record = ScorerRecord(
        head=scorer.kind,
        transcription=options.transcription,
        base=options.base,
        base_sha256=model_sha256(base_folder(options.base)),
        training={
            "file_sha256": of_file.sha256,
            "dev_sha256": dev_sha256,
            "rows": rows_by_role,
            "options": options.record(),
            "steps": steps,
            "versions": {name: version(name) for name in packages},
        },
        metrics=metrics,
    )
    _save(scorer, out, record)
    return Trained(
        folder=out,
        rows=dict(rows_by_role),
        dropped=dropped,
        cut=cut,
        metrics=metrics,
        steps=steps,
    )


def _refuse_shared_questions(
    dev: Path, train: Sequence[TrainingRow], choose: Sequence[TrainingRow]
) -> None:
    """Raise JudgeError where rows that choose the checkpoint share a question."""
    of_train = {row.question for row in train}
    shared = sorted(of_train & {row.question for row in choose})
    if shared:
        raise JudgeError(
            f"{dev}: question {shared[0]!r} and {len(shared) - 1} more are among the"
            " training rows, too; the scorer would be chosen by what it has seen"
        )


def _claim(out: Path, options: TrainOptions, data: dict[str, str | None]) -> None:
    """Make the folder ours, or find that it is."""
    if (out / checkpoint.OWN_FILE).exists():
        raise JudgeError(f"{out}: holds a finished scorer; choose another --out")
    record = {"options": options.record(), "file_sha256": data}
    content = (json.dumps(record, indent=2) + "\n").encode()
    path = out / _OPTIONS
    if path.exists():
        if path.read_bytes() != content:
            raise JudgeError(
                f"{out}: a training with other options or rows is here; choose"
                " another --out"
            )
        return
    with claimed(out, "scorer"):
        replace_file(path, content)


def _open(options: TrainOptions) -> Scorer:
    """Open the model to train: a base with a new head, or a scorer to go on from."""
    from transformers import set_seed

    set_seed(options.seed)
    device = resolve("scorer", options.device)
    kind: HeadKind = checked(options.head)
    base = base_folder(options.base)
    backbone = open_base(base, device)
    hidden, limit = sizes(backbone)
    head = new_head(kind, hidden)
    if options.start is not None:
        files = locate(options.start, options.base)
        if files.record.head != kind:
            raise JudgeError(
                f"{options.start}: has a {files.record.head} head, not {kind}"
            )
        head.load_state_dict(load(files, "cpu").head.state_dict())
        if files.adapter is not None:
            backbone = adapters.with_adapter(
                backbone, files.adapter, without_language_head, trainable=True
            )
        else:
            backbone = open_base(files.base, device)
    if options.lora is not None and not hasattr(backbone, "peft_config"):
        backbone = _with_lora(backbone, options.lora)
    tokenizer = open_tokenizer(base)
    return Scorer(
        backbone=backbone,
        head=head,
        kind=kind,
        tokenizer=tokenizer,
        device=device,
        limit=limit,
        transcription=options.transcription,
    )


def _with_lora(backbone: Any, rank: int) -> Any:
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=rank,
        lora_alpha=rank,
        lora_dropout=0.0,
        target_modules=list(LORA_TARGETS),
        bias="none",
    )
    try:
        return get_peft_model(backbone, config)
    except ValueError as error:
        raise JudgeError(
            f"lora: this base has no {', '.join(LORA_TARGETS)} ({error})"
        ) from error


def _encoded(
    scorer: Scorer, rows: Sequence[TrainingRow]
) -> tuple[list[dict[str, Any]], int, int]:
    """Return token ids and ratings on [0, 1], and how many rows were cut or left."""
    encoded: list[dict[str, Any]] = []
    cut = long = 0
    for row in rows:
        fit = scorer.fit(row.fields)
        if fit is None:
            long += 1
            continue
        cut += fit[1]
        ratings = [(rating - 1) / 4 for rating in row.ratings]
        encoded.append({"input_ids": fit[0], "ratings": ratings})
    return encoded, cut, long


def _run(
    scorer: Scorer,
    sets: dict[str, list[dict[str, Any]]],
    out: Path,
    options: TrainOptions,
    listener: Callable[[Progress], None],
) -> tuple[dict[str, float], int]:
    """Train; the best checkpoint's weights are in the scorer afterwards."""
    from transformers import EarlyStoppingCallback

    from trace_eval.judges.scorer.trainer import (
        ProgressCallback,
        ScorerModule,
        ScorerTrainer,
    )

    folder = out / _CHECKPOINTS
    trainer = ScorerTrainer(
        model=ScorerModule(scorer, options.weight),
        args=_arguments(folder, scorer, options),
        train_dataset=sets["train"],
        eval_dataset=sets["dev"],
        data_collator=lambda rows: collated(rows, pad_id(scorer.tokenizer)),
        compute_metrics=lambda result: dev_metrics(
            scorer.kind, result.predictions, result.label_ids
        ),
        callbacks=[
            EarlyStoppingCallback(options.patience),
            ProgressCallback(listener, time.monotonic),
        ],
    )
    trainer.go_on(resume.last(folder))
    details = {}
    for name, value in trainer.evaluate().items():
        if name in ("eval_crps", "eval_rho", "eval_nll", "eval_mae"):
            details[name.removeprefix("eval_")] = float(value)
    return details, int(trainer.state.global_step)


def _arguments(folder: Path, scorer: Scorer, options: TrainOptions) -> Any:
    """Make the settings of transformers' Trainer; checkpoints go into the folder."""
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=str(folder),
        max_steps=options.steps,
        per_device_train_batch_size=options.batch,
        per_device_eval_batch_size=options.batch,
        learning_rate=options.learning_rate,
        weight_decay=0.0,
        max_grad_norm=MAX_GRAD_NORM,
        lr_scheduler_type="polynomial",
        lr_scheduler_kwargs={"lr_end": options.learning_rate * LR_END, "power": 1.0},
        warmup_steps=min(options.warmup, options.steps // 2),
        eval_strategy="steps",
        eval_steps=options.evaluate_every,
        save_strategy="steps",
        save_steps=options.evaluate_every,
        load_best_model_at_end=True,
        restore_callback_states_from_checkpoint=True,  # how long it has been patient
        metric_for_best_model="eval_crps",
        greater_is_better=False,
        logging_steps=max(1, options.evaluate_every // 2),
        label_names=["ratings"],
        remove_unused_columns=False,
        report_to="none",
        disable_tqdm=True,
        use_cpu=scorer.device == "cpu",
        seed=options.seed,
        data_seed=options.seed,
    )


def collated(rows: Sequence[dict[str, Any]], pad: int) -> dict[str, Any]:
    """Make a batch: ids, mask, and ratings padded with :data:`NO_RATING`."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    ids, mask = padded([row["input_ids"] for row in rows], pad)
    rated = [torch.tensor(row["ratings"]) for row in rows]
    ratings = pad_sequence(rated, batch_first=True, padding_value=NO_RATING)
    return {"input_ids": ids, "attention_mask": mask, "ratings": ratings}


def _save(scorer: Scorer, out: Path, record: ScorerRecord) -> None:
    """Write the scorer, its record last: a folder with one is whole."""
    from safetensors.torch import save_file

    adapted = hasattr(scorer.backbone, "peft_config")
    scorer.backbone.save_pretrained(out / ("adapter" if adapted else "model"))
    scorer.tokenizer.save_pretrained(out / "tokenizer")
    state = {
        name: value.detach().cpu() for name, value in scorer.head.state_dict().items()
    }
    save_file(state, out / HEAD_FILE)
    write_scorer(out, record)
    shutil.rmtree(out / _CHECKPOINTS, ignore_errors=True)
