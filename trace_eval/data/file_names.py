"""Names of recordings below folders: endings, and what a folder's names share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from blueprints import UserError
from extractors import AUDIO_SUFFIXES
from trace_eval.data.files import is_file, utf8_name

#: What makes a name a pattern.
WILDCARD = re.compile(r"[*?]|\[[^][]*\]")


def stem(name: str) -> str:
    """Return a recording's name without its ending, in one Unicode form."""
    name = one_form(name)
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in AUDIO_SUFFIXES else name


def one_form(name: str) -> str:
    """Return a name in Unicode's form NFC; macOS archives hold names in NFD."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def in_its_form(path: Path) -> Path:
    """Return a path as its file is called: if absent, in another Unicode form."""
    if str(path).isascii() or is_file(path):
        return path
    forms = (Path(unicodedata.normalize(form, str(path))) for form in ("NFC", "NFD"))
    return next((form for form in forms if is_file(form)), path)


def unpadded(name: str) -> str:
    """Remove a number's leading zeros, as spreadsheets do; keep other names."""
    return (name.lstrip("0") or "0") if name.isdecimal() else name


def globbed(place: Path) -> tuple[Path, str]:
    """Split a folder or a pattern such as ``DIR/*_gpt.wav`` into its two parts."""
    if place.is_dir() or not WILDCARD.search(str(place)):
        return place, "**/*"
    folder = next(above for above in place.parents if above.is_dir())
    return folder, str(place.relative_to(folder))


def by_stem(place: Path) -> Iterator[tuple[str, Path | str]]:
    """Yield names below a folder or pattern, with recordings or what is wrong."""
    seen: dict[str, Path] = {}
    folder, pattern = globbed(place)
    for path in sorted(folder.glob(pattern)):
        if path.suffix.lower() not in AUDIO_SUFFIXES or not path.is_file():
            continue
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        key = one_form(path.relative_to(folder).with_suffix("").as_posix())
        try:
            utf8_name(path)
        except UserError as error:
            yield f"\0{key}", str(error)
            continue
        if key in seen:
            yield (
                f"\0{path}",
                f"{path} is called like {seen[key].name}; keep one of them",
            )
            continue
        seen[key] = path
        yield key, path.absolute()


def without_own_parts(
    results: Mapping[str, Mapping[str, Path | str]],
) -> dict[str, tuple[str, dict[str, Path | str]]] | None:
    """Strip what all names of a folder share: ``gpt_001`` and ``ours_001`` are ``001``.

    System -> the part that its names share, and its recordings by what is left, in
    lower case; None where names are equal as they are, or would not become so.
    """
    if len(results) < 2 or set.intersection(*map(set, results.values())):
        return None
    folded: dict[str, tuple[str, dict[str, Path | str]]] = {}
    for system, files in results.items():
        folded[system] = "", {key.casefold(): file for key, file in files.items()}
    if _matched(folded) and all(
        len(folded[name][1]) == len(results[name]) for name in results
    ):
        return folded
    short: dict[str, tuple[str, dict[str, Path | str]]] = {}
    for system, files in results.items():
        keys = [key for key, file in files.items() if isinstance(file, Path)]
        if len(keys) < 2:
            return None
        begin = _shared(keys)
        end = _shared([key[len(begin) :][::-1] for key in keys])[::-1]
        left = {key: key[len(begin) : len(key) - len(end)].casefold() for key in keys}
        if len({*left.values()}) < len(keys) or "" in left.values():
            return None
        part = f"{begin}...{end}" if begin and end else begin or end
        short[system] = part, {left.get(key, key): file for key, file in files.items()}
    return short if _matched(short) >= 2 else None


def _matched(short: Mapping[str, tuple[str, Mapping[str, Any]]]) -> int:
    """Count the names that are those of a recording of every system."""
    return len(set.intersection(*(set(files) for _, files in short.values())))


def _shared(names: list[str]) -> str:
    """Return the shared beginning of names, up to the end of a word or number."""
    first, last = min(names), max(names)  # what these two share, all between them share
    for at in range(min(map(len, names)) - 1, 0, -1):
        ends = all(_kind(name[at - 1]) != _kind(name[at]) for name in names)
        if ends and first[:at] == last[:at]:
            return first[:at]
    return ""


def _kind(sign: str) -> tuple[bool, bool]:
    return sign.isdigit(), sign.isalpha()
