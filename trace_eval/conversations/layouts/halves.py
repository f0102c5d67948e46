"""Recordings that are one side of a call each, told by a word in their names."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from extractors import AUDIO_SUFFIXES
from trace_eval.data.conversation import Role

#: Words in a file's name that say who speaks; a system may be called human, gpt or
#: model.
_SPEAKS: dict[str, Role] = {
    "user": "user",
    "caller": "user",
    "customer": "user",
    "agent": "agent",
    "assistant": "agent",
    "bot": "agent",
}

#: A word of a file's name.
_WORD = re.compile(r"[^\W\d_]+")


def recordings_below(path: Path, pattern: str = "**/*") -> list[Path]:
    """List the recording that a path is, or those below a folder, in order."""
    if path.is_file():
        return [path]
    files = sorted(path.glob(pattern))
    return [file for file in files if file.suffix.lower() in AUDIO_SUFFIXES]


def halves(folder: Path, inside: bool = True) -> dict[str, dict[Role, str]]:
    """Call -> role -> its recording, of files whose names differ by who speaks.

    ``7_user.wav`` and ``7_agent.wav``, or ``user/7.wav`` and ``agent/7.wav``, are the
    call ``7``; folders inside are looked at unless told.
    """
    return _halves(folder, folder.stat().st_mtime_ns, inside)


def side_of(file: Path) -> Role | None:
    """Return who alone speaks in a file by its name; None: it does not say so."""
    words = {word.casefold() for word in _WORD.findall(file.stem)}
    roles = {_SPEAKS[word] for word in words & _SPEAKS.keys()}
    if len(roles) != 1:
        return None
    return roles.pop()


def side_below(folder: Path, file: Path) -> Role | None:
    """Return who alone speaks in a file, by its name or by those of its folders."""
    name = str(file.relative_to(folder))
    for call in halves(folder).values():
        for role, recording in call.items():
            if recording == name:
                return role
    return None


@lru_cache(maxsize=8)  # each call of a folder asks for it
def _halves(folder: Path, changed_ns: int, inside: bool) -> dict[str, dict[Role, str]]:
    del changed_ns  # of a folder that has changed the answer may be another
    calls: dict[str, dict[Role, str]] = {}
    pattern = "**/*" if inside else "*"
    for file in recordings_below(folder, pattern):
        below = file.relative_to(folder)
        name = below.with_suffix("").as_posix()
        words = [word for word in _WORD.finditer(name) if word[0].casefold() in _SPEAKS]
        if len(words) != 1:
            continue
        [word] = words
        without_word = name[: word.start()] + name[word.end() :]
        call = without_word.strip(" _-./") or folder.name
        role = _SPEAKS[word[0].casefold()]
        calls.setdefault(call, {})[role] = str(below)
    return calls
