"""Names of recordings below folders: endings, and what a folder's names share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from blueprints import UserError
from extractors import AUDIO_SUFFIXES
from trace_eval.data.files import is_file, utf8_name

#: What makes a name a pattern.
WILDCARD = re.compile(r"[*?]|\[[^][]*\]")


def stem(name: str) -> str:
    """Return a recording's name without its ending, in one Unicode form."""
    path = PurePosixPath(one_form(name))
    if path.suffix.lower() not in AUDIO_SUFFIXES:
        return one_form(name)
    return str(path.with_suffix(""))


def one_form(name: str) -> str:
    """Return a name in Unicode's form NFC; macOS archives hold names in NFD."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def in_its_form(path: Path) -> Path:
    """Return a path as its file is called: if absent, in another Unicode form."""
    if str(path).isascii() or is_file(path):
        return path
    for form in ("NFC", "NFD"):
        spelled = Path(unicodedata.normalize(form, str(path)))
        if is_file(spelled):
            return spelled
    return path


def unpadded(name: str) -> str:
    """Remove a number's leading zeros, as spreadsheets do; keep other names."""
    if not name.isdecimal():
        return name
    return name.lstrip("0") or "0"


def globbed(place: Path) -> tuple[Path, str]:
    """Split a folder or a pattern such as ``DIR/*_gpt.wav`` into its two parts."""
    if place.is_dir() or not WILDCARD.search(str(place)):
        return place, "**/*"
    folder = next(above for above in place.parents if above.is_dir())
    return folder, str(place.relative_to(folder))


def is_recording(path: Path) -> bool:
    """Tell whether a file is called like a recording.

    So is a link that leads nowhere: what it should lead to is missing, and is reported.
    """
    if path.suffix.lower() not in AUDIO_SUFFIXES:
        return False
    return path.is_file() or (path.is_symlink() and not path.exists())


def by_stem(place: Path) -> Iterator[tuple[str, Path | str]]:
    """Yield names below a folder or pattern, with recordings or what is wrong."""
    seen: dict[str, Path] = {}
    folder, pattern = globbed(place)
    for path in sorted(folder.glob(pattern)):
        if not is_recording(path):
            continue
        below = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in below.parts)
        if is_hidden:
            continue
        key = one_form(below.with_suffix("").as_posix())
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


#: A recording, or what is wrong with the file of that name.
FileOrFault = Path | str


def without_own_parts(
    systems: Mapping[str, Mapping[str, FileOrFault]],
) -> dict[str, tuple[str, dict[str, FileOrFault]]] | None:
    """Strip what all names of a folder share: ``gpt_001`` and ``ours_001`` are ``001``.

    Returns:
        System -> the part that its names share, and its recordings by what is left, in
        lower case; None where names are equal as they are, or would not become so.
    """
    if len(systems) < 2 or _common_names(systems.values()):
        return None
    lower: dict[str, tuple[str, dict[str, FileOrFault]]] = {}
    stripped: dict[str, tuple[str, dict[str, FileOrFault]]] = {}
    for system, files in systems.items():
        by_lower_name = {name.casefold(): file for name, file in files.items()}
        if len(by_lower_name) == len(files):
            lower[system] = "", by_lower_name
    if len(lower) == len(systems) and _common_names(by for _, by in lower.values()):
        return lower
    for system, files in systems.items():
        parts = _without_shared_part(files)
        if parts is None:
            return None
        stripped[system] = parts
    common = _common_names(by_rest for _, by_rest in stripped.values())
    return stripped if len(common) >= 2 else None


def _without_shared_part(
    files: Mapping[str, FileOrFault],
) -> tuple[str, dict[str, FileOrFault]] | None:
    """Return what a system's names share, and its files by what is left of their names.

    None where fewer than two names are those of recordings, or the rest of a name is
    empty or that of another.
    """
    names = [name for name, file in files.items() if isinstance(file, Path)]
    if len(names) < 2:
        return None
    begin = _shared(names)
    backwards: list[str] = []
    for name in names:
        behind_begin = name[len(begin) :]
        backwards.append(behind_begin[::-1])
    end = _shared(backwards)[::-1]
    rests: dict[str, str] = {}
    for name in names:
        rests[name] = name[len(begin) : len(name) - len(end)].casefold()
    if "" in rests.values() or len(set(rests.values())) < len(names):
        return None
    part = begin or end
    if begin and end:
        part = f"{begin}...{end}"
    return part, {rests.get(name, name): file for name, file in files.items()}


def _common_names(systems: Iterable[Mapping[str, FileOrFault]]) -> set[str]:
    """Return the names of recordings that every system has."""
    return set.intersection(*(set(files) for files in systems))


def _shared(names: list[str]) -> str:
    """Return the shared beginning of names, up to the end of a word or number."""
    # What the first and the last name share, all names between them share.
    first, last = min(names), max(names)
    shortest = min(len(name) for name in names)
    for length in range(shortest - 1, 0, -1):
        is_shared = first[:length] == last[:length]
        if is_shared and all(_is_end(name, length) for name in names):
            return first[:length]
    return ""


def _is_end(name: str, length: int) -> bool:
    """Tell whether a word or number ends at a place of a name."""
    last, following = name[length - 1], name[length]
    is_same_kind = (last.isdigit(), last.isalpha()) == (
        following.isdigit(),
        following.isalpha(),
    )
    return not is_same_kind
