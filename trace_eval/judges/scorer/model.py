"""The scorer itself: a language model read at its last token, and one linear layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from blueprints import JudgeError
from extractors import is_gpu, loaded, one_line, read_state, resolve, untouched
from trace_eval.judges.scorer import adapters, checkpoint
from trace_eval.judges.scorer.checkpoint import ScorerFiles
from trace_eval.judges.scorer.heads import OUTPUTS, HeadKind, forecast, shares
from trace_eval.judges.scorer.text import ScorerFields, fitted

#: Standard deviation factor of the head's first weights: the first forecasts are near
#: uniform.
HEAD_GAIN = 0.01

#: Texts are cut to this where a model does not say what it takes.
DEFAULT_LIMIT = 4096


@dataclass(frozen=True)
class Prediction:
    """The prediction of a scorer for one text."""

    mean: float  # on [0, 1]
    variance: float  # of the same
    distribution: tuple[float, ...]  # probability of the ratings 1 to 5
    params: tuple[float, ...]  # logits, or log alpha and log beta
    cut: bool  # the rationale was cut to fit


@dataclass
class Scorer:
    """A loaded scorer."""

    backbone: Any  # language model without vocabulary head, adapter included
    head: Any  # ``Linear(hidden, outputs)`` in float32
    kind: HeadKind
    tokenizer: Any  # of the base
    device: str  # ``cpu`` or ``cuda:N``
    limit: int  # tokens that the model takes
    # the transcript of the question's audio is part of its texts
    transcription: bool = False

    def encode(self, text: str) -> list[int]:
        """Return token ids without special ones: part of the checkpoints' format."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def fit(self, fields: ScorerFields) -> tuple[list[int], bool] | None:
        """Return an answer's token ids and if it was cut; None if it cannot fit."""
        if not self.transcription:
            fields = replace(fields, transcription="")
        text = fitted(fields, self.limit, lambda words: len(self.encode(words)))
        return None if text is None else (self.encode(text[0]), text[1])

    def outputs(self, ids: Any, mask: Any) -> Any:
        """Return the head's outputs [shape=(rows, outputs)] at each row's last token.

        Ids and mask are right-padded [shape=(rows, tokens)].
        """
        import torch

        hidden = self.backbone(input_ids=ids, attention_mask=mask).last_hidden_state
        last = mask.sum(-1) - 1
        pooled = hidden[torch.arange(len(ids), device=hidden.device), last]
        return self.head(pooled.float())

    def predict(self, batch: Sequence[tuple[list[int], bool]]) -> list[Prediction]:
        """Predict encoded texts, in one forward pass."""
        import torch

        ids, mask = padded([ids for ids, _ in batch], pad_id(self.tokenizer))
        with torch.inference_mode():
            outputs = self.outputs(ids.to(self.device), mask.to(self.device)).cpu()
            result = forecast(self.kind, outputs)
        means = result.mean.tolist()
        variances = result.variance.tolist()
        levels = shares(self.kind, result.params)
        params = result.params.tolist()
        predictions: list[Prediction] = []
        for row, (_, cut) in enumerate(batch):
            prediction = Prediction(
                mean=float(means[row]),
                variance=float(variances[row]),
                distribution=tuple(levels[row]),
                params=tuple(params[row]),
                cut=cut,
            )
            predictions.append(prediction)
        return predictions


def pad_id(tokenizer: Any) -> int:
    """Return the id of padding; the end-of-text where a tokenizer has none."""
    ids = (
        tokenizer.pad_token_id,
        tokenizer.eos_token_id,
        0,
    )  # it is masked: any id serves
    return int(next(one for one in ids if one is not None))


def padded(rows: Sequence[list[int]], pad: int) -> tuple[Any, Any]:
    """Return ids and mask [shape=(rows, longest)], padded on the right."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    ids = [torch.tensor(row, dtype=torch.long) for row in rows]
    mask = pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)
    return pad_sequence(ids, batch_first=True, padding_value=pad), mask


def sizes(backbone: Any) -> tuple[int, int]:
    """Return the width of the last layer, and the positions that the model has."""
    config = getattr(backbone.config, "text_config", backbone.config)
    positions = getattr(config, "max_position_embeddings", None)
    return int(config.hidden_size), int(positions or DEFAULT_LIMIT)


def new_head(kind: HeadKind, hidden: int) -> Any:
    """Make a head whose first forecast is near uniform, e.g. Beta(1, 1)."""
    import torch

    head = torch.nn.Linear(hidden, OUTPUTS[kind])
    torch.nn.init.xavier_normal_(head.weight, gain=HEAD_GAIN)
    torch.nn.init.zeros_(head.bias)
    return head


def dtype_of(device: str) -> str:
    """Return the number type of the language model on a device.

    The output of a GPU differs from the fourth digit on.
    """
    return "bfloat16" if is_gpu(device) else "float32"


def open_base(folder: Path, device: str) -> Any:
    """Open a language model without vocabulary head, in :func:`dtype_of`.

    Raises:
        UserError: none loads.
    """
    import torch
    from transformers import AutoModel

    kind = {"dtype": getattr(torch, dtype_of(device)), "attn_implementation": "sdpa"}
    return opened(AutoModel, folder, "language model", **kind)


def open_tokenizer(folder: Path) -> Any:
    """Open the tokenizer of a folder.

    Raises:
        UserError: none loads.
    """
    from transformers import AutoTokenizer

    return opened(AutoTokenizer, folder, "tokenizer")


def opened(kind: Any, folder: Path, name: str, **more: Any) -> Any:
    """Open a part of a model by a class of transformers, offline.

    Raises:
        UserError: none loads.
    """
    try:
        return kind.from_pretrained(folder, local_files_only=True, **more)
    except (
        Exception
    ) as error:  # by kind of damage; a plain Exception where JSON is damaged
        raise JudgeError(
            f"{folder}: no {name} that loads ({one_line(error, 300)}); copy it again"
        ) from error


def load(files: ScorerFiles, device: str = "auto") -> Scorer:
    """Load a scorer, once per process.

    Raises:
        UserError: a package or GPU is missing, or the parts do not fit each other.
    """
    checkpoint.check_packages()
    checkpoint.check_files(files)
    place = resolve("scorer", device)
    key = ("scorer", files.sha256, files.record.transcription, place)
    return loaded(key, lambda: _open(files, place))  # type: ignore[no-any-return]


def _open(files: ScorerFiles, device: str) -> Scorer:
    with untouched():
        backbone = open_base(files.base, device)
        hidden, limit = sizes(backbone)
        head = read_head(files.head, OUTPUTS[files.record.head], hidden)
        if files.adapter is not None:
            backbone = adapters.with_adapter(
                backbone, files.adapter, without_language_head
            )
        tokenizer = open_tokenizer(files.tokenizer)
    backbone, head = backbone.to(device).eval(), head.to(device)
    record = files.record
    return Scorer(
        backbone=backbone,
        head=head,
        kind=record.head,
        tokenizer=tokenizer,
        device=device,
        limit=limit,
        transcription=record.transcription,
    )


def without_language_head(key: str) -> str:
    """Return the name of a weight in a model without vocabulary head.

    Released adapters were saved around the model with it, whose layers lie one name
    deeper.
    """
    name = key.removeprefix(adapters.PREFIX)
    prefix = key[: len(key) - len(name)]
    inner = name.removeprefix("model.")
    return prefix + (
        inner if inner.startswith(("layers.", "embed_tokens.", "norm.")) else name
    )


def read_head(
    path: Path, outputs: int, hidden: int, remedy: str = "copy it again"
) -> Any:
    """Read the linear layer of a file in float32.

    Raises:
        UserError: the file is damaged, or the layer has another shape.
    """
    import torch

    state = {
        name.removeprefix("linear.") if isinstance(name, str) else name: value
        for name, value in read_state(path, remedy).items()
    }
    shapes = {name: tuple(getattr(value, "shape", ())) for name, value in state.items()}
    wanted = {"weight": (outputs, hidden), "bias": (outputs,)}
    if shapes != wanted:
        raise JudgeError(f"{path}: holds {shapes}; a head on this base needs {wanted}")
    head = torch.nn.Linear(hidden, outputs)
    head.load_state_dict({name: value.float() for name, value in state.items()})
    return head.eval()
