"""The options of judges on the command line, made from :class:`JudgeOptions` itself.

Names, types and defaults come from the dataclass; only the help texts are written here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints.errors import UserError
from extractors.folders import cache_folder
from trace_eval.commands.options import Command, field_parameters, parameter, typed, with_options
from trace_eval.judges.options import (
    AUDIO_ONLY,
    AUDIO_RATING_OPTIONS,
    PAIRS_ONLY,
    RATES_ONLY,
    RATING_TOKENS,
    REPLY_TOKENS,
    JudgeOptions,
)

_PANEL = "Options of LLM judges"

#: Field of :class:`JudgeOptions` -> (option, help); fields that are not here are no options.
_HELP: dict[str, tuple[str, str]] = {
    "base_url": (
        "--base-url",
        "OpenAI-compatible or Ollama server, e.g. http://127.0.0.1:8000/v1.",
    ),
    "key_env": ("--key-env", "Environment variable that holds the key."),
    "timeout_s": ("--timeout", "Seconds for one call."),
    "mode": ("--mode", "blueprint, or transcript (the baseline that sees words only)."),
    "rendering": ("--rendering", "How blueprints are printed: compact or paper."),
    "drop": ("--drop", "Blueprint group that the judge is not shown; may be repeated."),
    "elicitation": (
        "--elicitation",
        "label, acceptability (the HCoT steps), or flat (one reasoning for all, as TRACE's code).",
    ),
    "template": ("--template", "Jinja file that replaces blocks of the prompt."),
    "swap": ("--swap", "Orders in which the answers are shown: both, off or random."),
    "samples": ("--samples", "Calls per order; of single answers, calls per rubric."),
    "min_samples": ("--min-samples", "Usable samples that make a score; default: more than half."),
    "choices": (
        "--choices",
        "Ask for all samples of an answer in one request (n), which pays its sound once (openai:).",
    ),
    "show": (
        "--show",
        "Material beside the answer, by commas: question, rationale, transcription; or none.",
    ),
    "temperature": ("--temperature", "Default: 0 for one sample, 0.7 for more."),
    "seed": ("--seed", "Of the first sample."),
    "sampling": (
        "--sampling",
        "ours, or server: temperature, seed and token limit that are not given are not sent.",
    ),
    "max_tokens": (
        "--max-tokens",
        f"Of one reply; default: {REPLY_TOKENS}, and {RATING_TOKENS} of a rating.",
    ),
    "structure": ("--structure", "How replies are shaped: auto, json_schema, json_object, text."),
    "concurrency": ("--concurrency", "Calls in flight."),
    "retries": ("--retries", "Of one call, after the first attempt."),
    "prices": ("--prices", "TOML table of prices that extends the shipped one."),
    "max_cost": ("--max-cost", "US dollars; stops before they are passed."),
    "top_p": ("--top-p", "Share of the probability to sample from; default: not sent."),
    "top_k": ("--top-k", "Likeliest tokens to sample from; default: not sent (GRM itself: 50)."),
    "preset": (
        "--preset",
        "Settings of a published protocol, where none are given: audiojudge, style_paper or"
        " trace_paper.",
    ),
    "task": ("--task", "What a judge that listens is asked: a name, or your own .toml."),
    "concat": ("--concat", "How recordings are joined: none, pairs, examples, test or all."),
    "examples": (
        "--examples",
        "JSON lines of solved pairs, or of answers with scores (rate), shown before the question.",
    ),
    "shots": ("--shots", "How many of them; default: 4, or all there are."),
    "signals": ("--signals", "Between recordings: spoken, tones, none, or a folder of sounds."),
    "audio_rate": ("--audio-rate", "Hz, or auto: the commonest, at most 24,000."),
    "level": ("--level", "LUFS to which every recording is brought; default: left alone."),
    "audio_format": ("--audio-format", "wav, or mp3 (needs ffmpeg)."),
    "transcripts": ("--transcripts", "Words beside the recordings: none, asr or reference."),
    "instruction": ("--instruction", "How the instruction is given: audio, text or both."),
    "noise_db": ("--noise-db", "White noise on one answer, dB below it; for robustness studies."),
    "max_request_mb": ("--max-request-mb", "Larger requests are not sent."),
    "base": ("--base", "Base model of a scorer or reward model: path or hub id."),
    "max_clip_seconds": (
        "--max-clip-seconds",
        "Longest clip that is heard (audio:, reward:), seconds; longer ones are unscored.",
    ),
    "tie_margin": ("--tie-margin", "Rewards closer than this are a tie (reward:)."),
    "num_ctx": ("--num-ctx", "Context of Ollama models, tokens; default: from the prompts."),
    "keep_alive": ("--keep-alive", "How long Ollama keeps the model loaded."),
    "think": ("--think/--no-think", "Let Ollama's reasoning models think."),
}


def judges_help() -> str:
    """Help of ``--judge``; the kinds, plug-ins included, are looked up when somebody asks."""
    if "--help" not in sys.argv:
        return "Who judges."
    from trace_eval.judges.registry import judge_specs

    return f"Who judges: {', '.join(judge_specs())}; trace-eval doctor says which can run here."


def judge_options(command: Command) -> Command:
    """Give a command the options of LLM judges of pairs; it gets them as ``judging``.

    A ``cache`` of the command also says where replies are kept.
    """
    return _with(command, set(_HELP) - RATES_ONLY)


def rating_options(command: Command) -> Command:
    """The same for LLM judges that rate single answers."""
    return _with(command, set(_HELP) - PAIRS_ONLY - (AUDIO_ONLY - AUDIO_RATING_OPTIONS))


def _with(command: Command, names: Collection[str]) -> Command:
    helps = {field.name: _HELP[field.name] for field in fields(JudgeOptions) if field.name in names}
    made = field_parameters(JudgeOptions, helps, _PANEL)
    for name, (hint, default) in _SPELLED.items():
        if name in made:
            option = typer.Option(helps[name][0], help=helps[name][1], rich_help_panel=_PANEL)
            made[name] = parameter(name, Annotated[hint, option], default)
    return with_options(command, "judging", [*made.values()], _build)


#: Fields that are written otherwise than they are kept, see :func:`_build`: (type, default).
_SPELLED: dict[str, tuple[Any, Any]] = {
    "drop": (list[str] | None, None),
    "audio_rate": (str, "auto"),
    "preset": (str | None, None),
    "show": (str | None, None),
}


def _build(chosen: dict[str, Any], others: dict[str, Any]) -> JudgeOptions:
    chosen = typed(others["context"], chosen)  # what nobody typed is left to the preset
    if "drop" in chosen:
        chosen["drop"] = tuple(chosen["drop"] or ())
    if "audio_rate" in chosen:
        chosen["audio_rate"] = _rate(chosen["audio_rate"])
    if chosen.get("show") is not None:
        names = (name.strip() for name in chosen["show"].split(","))
        chosen["show"] = tuple(_ALIASES.get(name, name) for name in names if name not in _NOTHING)
    folder = others.get("cache") or cache_folder()
    return JudgeOptions(**chosen, cache=Path(folder) / "replies.sqlite")


def _rate(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdecimal():
        raise UserError(f"--audio-rate {text!r}: give Hz, e.g. 16000, or auto")
    return int(text)


#: What else people write for ``--show``.
_ALIASES = {"transcript": "transcription"}
_NOTHING = ("", "none")
