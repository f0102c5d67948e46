"""The model card of a trained scorer: what it is, its training data, its limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trace_eval.judges.scorer.checkpoint import ScorerRecord, locate

#: True of every scorer of this kind.
LIMITS = (
    "Reads text only: question, reference, candidate and rationale. It hears nothing, and of a"
    " spoken answer it sees what a recogniser made of it.",
    "Its raters punish length (rubric correctness-brief): a right answer with needless detail"
    " scores below a short one.",
    "Fails where answers are unlike those it was trained on: the published scorers lose most on"
    " an audio model whose answers are far longer (arXiv 2512.09066).",
    "Its variance is that of the raters it learned from; compare it with the trivial forecasts of"
    " agree before using it.",
)

_TITLES = {"crps": "CRPS per rating", "rho": "Spearman rho", "mae": "MAE", "nll": "NLL per rating"}


def scorer_card(folder: Path) -> str:
    """The card as Markdown.

    Raises:
        UserError: there is no scorer in this folder.
    """
    record = locate(folder).record
    limits = [f"- {limit}" for limit in LIMITS]
    lines = [f"# Scorer {folder.name}", "", *_model(record)]
    lines += ["", "## Trained on", "", *_data(record)]
    lines += ["", "## On the dev rows", "", *_metrics(record), "", "## Limits", "", *limits]
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
        f"- base: {record.base} (SHA-256 {record.base_sha256[:12] or 'not recorded'}); its own"
        " licence applies to what is derived from it",
        f"- clamping: {clamping}",
        f"- files: {'' if record.files else 'not '}checked against digests when loaded",
    ]


def _data(record: ScorerRecord) -> list[str]:
    training: dict[str, Any] = dict(record.training)
    if not training:
        return ["- a released checkpoint: read its own card"]
    options = training.get("options", {})
    rows = ", ".join(f"{count} {role}" for role, count in training.get("rows", {}).items())
    return [
        f"- ratings: {options.get('data') or 'no name was given (--data)'}",
        f"- licence: {options.get('licence') or 'not stated (--licence); ask before sharing'}",
        f"- file: SHA-256 {str(training.get('file_sha256'))[:12]}; rows: {rows}; no question is in"
        " two of them",
        f"- steps: {training.get('steps')}; rank of LoRA: {options.get('lora') or 'none'};"
        f" seed {options.get('seed')}",
    ]


def _metrics(record: ScorerRecord) -> list[str]:
    if not record.metrics:
        return ["- none recorded: measure it with rate and agree"]
    named = [
        f"- {title}: {record.metrics[name]:.4f}"
        for name, title in _TITLES.items()
        if name in record.metrics
    ]
    return [*named, "- these rows chose the checkpoint: judge it by others"]
