"""Folders of scorers: ours, and the layout in which ORCA's authors release theirs.

Ours: ``scorer.json``, ``adapter/`` (PEFT) or ``model/``, ``head.safetensors``,
``tokenizer/``. Theirs: ``model/config.yaml``, ``model/lm/`` (adapter or model),
``model/model_minus_lm.pt``, ``tokenizer/`` beside ``model/``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from blueprints import FiniteJson, JudgeError, Strict, install_line, is_installed
from extractors import folder_called, is_path, model_folder, sha256_of
from extractors.models import file_sha256
from trace_eval.data import strict_json
from trace_eval.data.files import replace_file
from trace_eval.judges.scorer import adapters
from trace_eval.judges.scorer.heads import HeadKind, checked
from trace_eval.judges.scorer.text import TEXT_FORMAT

PACKAGES = ("torch", "transformers", "peft", "safetensors")

OWN_FILE = "scorer.json"
RELEASED_FILE = "config.yaml"
HEAD_FILE = "head.safetensors"
RELEASED_HEAD = "model_minus_lm.pt"

#: Files of a language model and of a tokenizer that decide what they say.
_MODEL_FILES = ("*.safetensors", "pytorch_model*.bin", "config.json")
_TOKENIZER_FILES = ("tokenizer*", "vocab.*", "merges.txt", "special_tokens_map.json")


class Clamp(Strict):
    """A fitted threshold of clamping."""

    threshold: float | None = Field(
        description="largest variance that counts as sure; null: off"
    )
    objective: float | None = Field(None, description="rho + tau-b - MAE with it")
    unclamped: float | None = Field(None, description="the same without clamping")
    rows: int = Field(description="development rows that it was fitted on")


class ClampRecord(Clamp):
    """The threshold of a scorer, and the file that it comes from."""

    file_sha256: str | None = Field(None, description="of the rows it was fitted on")


class ScorerRecord(Strict):
    """``scorer.json``: what a scorer is and what it was trained on."""

    format: int = 1
    head: HeadKind
    text_format: str = TEXT_FORMAT
    transcription: bool = Field(False, description="the transcript is part of the text")
    base: str = Field(description="hub id or path of the base, as it was given")
    base_sha256: str
    files: dict[str, str] = Field(
        default_factory=dict,
        description="the scorer's own weights and tokenizer -> SHA-256",
    )
    clamp: ClampRecord | None = None
    training: dict[str, FiniteJson] = Field(
        default_factory=dict, description="file hash, rows, options, versions"
    )
    metrics: dict[str, float] = Field(
        default_factory=dict, description="on the dev rows"
    )


@dataclass(frozen=True)
class ScorerFiles:
    """The files of a scorer, and its record."""

    folder: Path  # as the user named it
    record: ScorerRecord  # ``scorer.json``, or what the released configuration comes to
    base: Path  # folder of the base, or of the whole fine-tuned model
    adapter: Path | None  # folder of the adapter; None: the model is whole
    head: Path  # file of the linear layer
    tokenizer: Path

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over all files that decide the output; equal wherever they lie."""
        return sha256_of(self._deciding())

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of the files that lie in the folder, by their names."""
        digests: dict[str, str] = {}
        for path in sorted(self._deciding()):
            if path.is_relative_to(self.folder):
                name = path.relative_to(self.folder).as_posix()
                digests[name] = file_sha256(path)
        return digests

    def _deciding(self) -> set[Path]:
        files = {p for pattern in _MODEL_FILES for p in self.base.glob(pattern)}
        files |= {
            p for pattern in _TOKENIZER_FILES for p in self.tokenizer.glob(pattern)
        }
        files = files | {self.head}
        if self.adapter:
            files |= set(adapters.files(self.adapter))
        return files


def check_packages(kind: str = "scorer", packages: Sequence[str] = PACKAGES) -> None:
    """Refuse to go on without the packages of an extra, by a UserError."""
    if missing := [name for name in packages if not is_installed(name)]:
        raise JudgeError(
            f"{kind} needs {', '.join(missing)}; run: {install_line(kind)}"
        )


def base_folder(base: str, what: str = "a folder with config.json") -> Path:
    """Find a base model's folder: a path, or a hub id in its cache; else UserError."""
    folder = model_folder(base, ("config.json",))
    if folder is None or not (folder / "config.json").is_file():
        remedy = "" if is_path(base) else f"run: hf download {base}, or "
        raise JudgeError(
            f"model {base} is not on this machine; {remedy}give"
            f" {what}{folder_called(base)}"
        )
    return folder


def locate(folder: Path, base: str | None = None) -> ScorerFiles:
    """Find a scorer's parts; loads nothing.

    Args:
        folder: ours, or the released layout (with or without ``model/``).
        base: path or hub id of the base, instead of the one that the adapter names.

    Raises:
        UserError: a part is missing, or the kind of head is not known.
    """
    for model in (folder / "model", folder):
        if (model / RELEASED_FILE).is_file() and not (folder / OWN_FILE).is_file():
            return _released(folder, model, base)
    path = folder / OWN_FILE
    if not path.is_file():
        raise JudgeError(
            f"{folder}: no scorer here; it needs {OWN_FILE}, or"
            f" model/{RELEASED_FILE} as released"
        )
    try:
        record = strict_json.parse(ScorerRecord, path.read_bytes())
    except (strict_json.BadJson, OSError) as error:
        raise JudgeError(
            f"{path}: not a scorer of this version ({error!s:.200})"
        ) from None
    if record.text_format != TEXT_FORMAT:
        raise JudgeError(
            f"{path}: reads texts of format {record.text_format!r}, this version writes"
            f" {TEXT_FORMAT!r}; use the version that made it"
        )
    return _parts(folder, record, base)


def _parts(folder: Path, record: ScorerRecord, base: str | None = None) -> ScorerFiles:
    adapter = folder / "adapter"
    whole = not adapter.is_dir()
    where = folder / "model" if whole else base_folder(base or record.base)
    head, tokenizer = folder / HEAD_FILE, folder / "tokenizer"
    _must_be_there(folder, head, tokenizer, where)
    return ScorerFiles(
        folder=folder,
        record=record,
        base=where,
        adapter=None if whole else adapter,
        head=head,
        tokenizer=tokenizer,
    )


def _released(folder: Path, model: Path, base: str | None) -> ScorerFiles:
    import yaml

    path = model / RELEASED_FILE
    try:
        config: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise JudgeError(
            f"{path}: cannot be read ({error!s:.200}); copy the file again"
        ) from None
    if not isinstance(config, dict) or not isinstance(config.get("score_type"), str):
        raise JudgeError(f"{path}: names no score_type; it is not a released scorer")
    if config.get("use_cls_token"):
        raise JudgeError(f"{path}: use_cls_token is not offered; train without it")
    head = checked(config["score_type"])
    lm, tokenizer = model / "lm", model.parent / "tokenizer"
    adapted = (lm / adapters.CONFIG_FILE).is_file()
    name = base or str(lm)
    if adapted and base is None:
        name = adapters.base_of(lm / adapters.CONFIG_FILE) or ""
        if not name or model_folder(name, ("config.json",)) is None:
            raise JudgeError(
                f"{lm}: the adapter's base {name!r} is not on this machine; give its"
                " folder with -J base=PATH"
            )
    where = base_folder(name) if adapted else lm
    _must_be_there(folder, model / RELEASED_HEAD, tokenizer, where)
    record = ScorerRecord(head=head, base=name, base_sha256="")
    return ScorerFiles(
        folder=folder,
        record=record,
        base=where,
        adapter=lm if adapted else None,
        head=model / RELEASED_HEAD,
        tokenizer=tokenizer,
    )


def _must_be_there(folder: Path, *parts: Path) -> None:
    for part in parts:
        if not part.exists():
            raise JudgeError(
                f"{folder}: {part.name} is missing; copy the whole folder again"
            )


def model_sha256(folder: Path) -> str:
    """Return the SHA-256 of a base model's weights and configuration."""
    return sha256_of({p for pattern in _MODEL_FILES for p in folder.glob(pattern)})


def check_files(files: ScorerFiles) -> None:
    """Refuse a scorer that was changed, or whose base has other weights than it had.

    A scorer without digests (released by others) is believed, and its judge says so.
    The UserError names the file.
    """
    written = files.record.files
    there = files.digests() if written else {}
    for name in sorted(written.keys() | there.keys()):
        if written.get(name) != there.get(name):
            raise JudgeError(
                f"{files.folder / name}: is not as it was written; copy the whole"
                " scorer again"
            )
    wanted = files.record.base_sha256
    if files.adapter is None or not wanted:
        return
    if (result := model_sha256(files.base)) != wanted:
        raise JudgeError(
            f"{files.base}: weights {result[:12]}, and {files.folder} was trained on"
            f" {files.record.base} with {wanted[:12]}; give that model with -J"
            " base=PATH"
        )


def write_scorer(folder: Path, record: ScorerRecord) -> None:
    """Write ``scorer.json`` beside finished parts, with their digests."""
    write_record(
        folder, record.model_copy(update={"files": _parts(folder, record).digests()})
    )


def write_record(folder: Path, record: ScorerRecord) -> None:
    """Replace ``scorer.json``."""
    text = json.dumps(
        record.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False
    )
    replace_file(folder / OWN_FILE, (text + "\n").encode())


#: True of every scorer of this kind.
LIMITS = (
    "Reads text only: question, reference, candidate and rationale. It hears nothing,"
    " and of a spoken answer it sees what a recogniser made of it.",
    "Its raters punish length (rubric correctness-brief): a right answer with needless"
    " detail scores below a short one.",
    "Fails where answers are unlike those it was trained on: the published scorers lose"
    " most on an audio model whose answers are far longer (arXiv 2512.09066).",
    "Its variance is that of the raters it learned from; compare it with the trivial"
    " forecasts of agree before using it.",
)

_TITLES = {
    "crps": "CRPS per rating",
    "rho": "Spearman rho",
    "mae": "MAE",
    "nll": "NLL per rating",
}


def scorer_card(folder: Path) -> str:
    """Write the card of a scorer as Markdown.

    Raises:
        UserError: there is no scorer in this folder.
    """
    record = locate(folder).record
    limits = [f"- {limit}" for limit in LIMITS]
    lines = [f"# Scorer {folder.name}", ""]
    lines += _model(record)
    lines += ["", "## Trained on", ""]
    lines += _data(record)
    lines += ["", "## On the dev rows", ""]
    lines += _metrics(record)
    lines += ["", "## Limits", ""]
    lines += limits
    return "\n".join(lines)


def _model(record: ScorerRecord) -> list[str]:
    clamp = record.clamp
    if clamp is None:
        clamping = "not fitted"
    elif clamp.threshold is None:
        clamping = f"off, by {clamp.rows} rows"
    else:
        clamping = f"at a variance of {clamp.threshold:.4g}, by {clamp.rows} rows"
    return [
        f"- head: {record.head}; text format {record.text_format}",
        f"- base: {record.base} (SHA-256 {record.base_sha256[:12] or 'not recorded'});"
        " its own licence applies to what is derived from it",
        f"- clamping: {clamping}",
        f"- files: {'' if record.files else 'not '}checked against digests when loaded",
    ]


def _data(record: ScorerRecord) -> list[str]:
    training: dict[str, Any] = dict(record.training)
    if not training:
        return ["- a released checkpoint: read its own card"]
    options = training.get("options", {})
    rows = ", ".join(
        f"{count} {role}" for role, count in training.get("rows", {}).items()
    )
    return [
        f"- ratings: {options.get('data') or 'no name was given (--data)'}",
        (
            "- licence:"
            f" {options.get('licence') or 'not stated (--licence); ask before sharing'}"
        ),
        f"- file: SHA-256 {str(training.get('file_sha256'))[:12]}; rows: {rows}; no"
        " question is in two of them",
        f"- steps: {training.get('steps')}; rank of LoRA:"
        f" {options.get('lora') or 'none'}; seed {options.get('seed')}",
    ]


def _metrics(record: ScorerRecord) -> list[str]:
    if not record.metrics:
        return ["- none recorded: measure it with rate and agree"]
    named = []
    for name, title in _TITLES.items():
        if name in record.metrics:
            named.append(f"- {title}: {record.metrics[name]:.4f}")
    return named + ["- these rows chose the checkpoint: judge it by others"]
