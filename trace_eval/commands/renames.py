"""Spellings of options that are gone: refused with the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from trace_eval.judges.options import FIELDS, STATE
from trace_eval.options import ExtractOptions

#: Option -> how it is written now, as far as its name alone does not tell.
_RENAMED = {
    "--timeout": "-J timeout_s={}",
    "--think": "-J think=true",
    "--no-think": "-J think=false",
    "--choices": "-J choices=true",
    "--one-model-at-a-time": "-X one_model_at_a_time=true",
    "--by-turn": "-X by_turn=true",
    "--asr": "-x transcript={}",
    "--emotion": "-x emotion={}",
    "--accent": "-x accent={}",
    "--from": "--start {}",
    "--lr": "--learning-rate {}",
    "--baseline": "--beat {}",
    "--to-pairs": "trace-eval fuse RUN --out {}",
}

#: Option that nothing replaces -> (an option of the commands that had it, what to do now).
_GONE = {
    "--scores": ("--learn-policy", "leave it out: the sources say whether they hold scores"),
}

#: First word of a new spelling -> the flag of the commands that had the old one.
_NEEDS = {"-J": "-J", "-X": "-X", "-x": "-X", "trace-eval": "-J"}
_NEEDS |= {name: name for name in ("--start", "--learning-rate", "--beat")}

#: Flag -> the fields that it takes.
_FLAGS = {
    "-J": FIELDS - STATE,
    "-X": {field.name for field in fields(ExtractOptions)} - {"overrides", "extractor_options"},
}


def renamed(option: str, typed: Sequence[str], flags: Sequence[str]) -> str | None:
    """What to write in place of an option that a command does not have.

    Args:
        option: as the parser names it, e.g. ``--task``.
        typed: the whole line, where its value stands.
        flags: the options that the command has.

    Returns:
        The sentence, or None: the option never was one.
    """
    name = option.removeprefix("--").replace("-", "_")
    now = _RENAMED.get(option)
    if now and _NEEDS[now.split()[0]] not in flags:
        now = None
    for flag, known in _FLAGS.items():
        if now is None and flag in flags and name in known:
            now = f"{flag} {name}={{}}"
    needs, instead = _GONE.get(option, ("", ""))
    if needs in flags:
        return f"{option}: is gone; {instead}"
    if now is None:
        return None
    return f"{option}: is now written otherwise; use {now.format(_value(option, typed))}"


def _value(option: str, typed: Sequence[str]) -> str:
    for number, word in enumerate(typed):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option and number + 1 < len(typed):
            return typed[number + 1]
    return "VALUE"
