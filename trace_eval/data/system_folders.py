"""Systems' recordings as an input: a folder each, and their prompts."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import InputError
from extractors import AUDIO_SUFFIXES
from trace_eval.data.cells import first
from trace_eval.data.columns import Fields, is_number
from trace_eval.data.file_names import (
    WILDCARD,
    by_stem,
    globbed,
    one_form,
    stem,
    unpadded,
    without_own_parts,
)
from trace_eval.data.names import NAMES, PROMPT, first_of
from trace_eval.data.outputs import new_run_name
from trace_eval.data.renamed import Renamed, is_sound
from trace_eval.data.tables import SUFFIXES, records
from trace_eval.data.urls import is_url

#: Folders beside those of systems that hold the questions.
_PROMPTS = ("prompts", "instructions", "questions")

#: What a table of prompts may say beside them: it is that of the items.
_CARRIED = {
    name: NAMES[name]
    for name in ("category", "language", "context", "reference", "instruction_id")
}

#: All fields of a table of prompts, each of which ``--column`` may name.
PROMPT_FIELDS = Fields(
    {**_CARRIED, **PROMPT}, needed=("id", "instruction_text"), numbered=False
)

#: Rows by which columns are proposed, and from how many characters in the mean beside a
#: column of recordings a text is the prompt and no name of a topic.
_SAMPLE, _SENTENCE = 50, 12


#: Name of a prompt -> the columns that it brings to its pairs.
Prompts = Mapping[str, Mapping[str, Any]]


class FolderRow(NamedTuple):
    """One record of a source, or what is wrong with it, and its place for messages.

    Attributes:
        root: folder of its relative paths, or the URL of that.
    """

    where: str
    record: dict[str, Any] | str
    root: Path | str


@dataclass(frozen=True)
class Systems:
    """Recordings of systems, a folder each; files of one name answer the same prompt.

    Prompts are a folder of recordings or ``.txt`` files by the same names, or a table
    with the columns ``id`` and ``prompt`` (or ``audio``).

    Attributes:
        folders: system -> its folder, or a pattern of recordings.
    """

    folders: Mapping[str, Path]
    prompts: Path | None = None

    @classmethod
    def parse(cls, a: object, b: object, prompts: object = None) -> Systems:
        """Parse ``DIR`` or ``NAME=DIR`` of each; a system may take its folder's name.

        A pattern such as ``DIR/*_gpt.wav`` stands for a folder of the files that fit
        it.

        Raises:
            UserError: one of them is no folder, or both are the same.
        """
        name_a, folder_a = named_folder(str(a))
        name_b, folder_b = named_folder(str(b))
        for side, folder in (("a", folder_a), ("b", folder_b)):
            if not globbed(folder)[0].is_dir():
                raise InputError(
                    f"--{side} {folder}: no such folder; name one with recordings"
                )
        if folder_a.resolve() == folder_b.resolve():
            raise InputError(f"--a and --b: both are {folder_a}; name two folders")
        called_a, called_b = _apart(folder_a, folder_b)
        name_a = _without_wildcards(name_a or called_a)
        name_b = _without_wildcards(name_b or called_b)
        if name_a == name_b:
            raise InputError(
                f"--a and --b: both are called {name_a}; write --a NAME=DIR"
            )
        folders = {name_a: folder_a, name_b: folder_b}
        if prompts is None:
            return cls(folders)
        where = Path(str(prompts))
        if not where.exists():
            raise InputError(f"--prompts {where}: no such file or folder")
        return cls(folders, where)

    @property
    def path(self) -> Path:
        """What the input is called: both folders side by side."""
        parent = next(iter(self.folders.values())).absolute().parent
        names = [re.sub(r"[^\w.]+", "-", name) for name in self.folders]
        return parent / "-".join(names)

    def files(self) -> tuple[dict[str, dict[str, Path | str]], tuple[str, ...]]:
        """Return systems' recordings by name, or why they cannot be read, and a note.

        A folder without recordings is refused.
        """
        recordings: dict[str, dict[str, Path | str]] = {}
        for system, folder in self.folders.items():
            recordings[system] = dict(by_stem(folder))
            if not recordings[system]:
                shown = ", ".join(AUDIO_SUFFIXES)
                raise InputError(f"{folder}: no recordings below it ({shown})")
        stripped = without_own_parts(recordings)
        if stripped is None:
            return recordings, ()
        parts: list[str] = []
        for system, (part, files) in stripped.items():
            recordings[system] = files
            if part:
                parts.append(f"{part!r} of {system}")
        how = "without regard to upper and lower case"
        if parts:
            how = f"by their names without {' and '.join(parts)}"
        note = f"no file name is in all folders; files are matched {how}"
        return recordings, (note,)

    def rows(
        self,
        files: Mapping[str, Mapping[str, Path | str]],
        single: bool = False,
        columns: Mapping[str, str] | None = None,
    ) -> Iterator[FolderRow]:
        """Yield a record per prompt that both systems answered, or per answer.

        Args:
            files: of :meth:`files`.
            columns: field -> column of the table of prompts.
        """
        names = sorted({name for by_name in files.values() for name in by_name})
        prompts = self._read_prompts(names, columns or {})
        if single:
            yield from self._answers(files, names, prompts)
            return
        for name in names:
            yield from self._pairs_of(name, files, prompts.get(name, {}))

    def _read_prompts(
        self, names: Sequence[str], columns: Mapping[str, str]
    ) -> Prompts:
        """Return the prompts, if there are any, by what the recordings are called."""
        if not self.prompts:
            return {}
        if self.prompts.is_dir():
            prompts = _prompts_below(self.prompts)
        else:
            prompts = _prompts_of(self.prompts, columns, names)
        if not prompts or any(name in prompts for name in names):
            return prompts
        by_number = {unpadded(name): prompt for name, prompt in prompts.items()}
        matched: dict[str, Mapping[str, Any]] = {}
        for name in names:
            if unpadded(name) in by_number:
                matched[name] = by_number[unpadded(name)]
        if not matched:
            raise InputError(
                f"--prompts {self.prompts}: has {', '.join(list(prompts)[:3])}, and the"
                f" recordings are called {', '.join(names[:3])}; use the same names"
            )
        return matched

    def _answers(
        self,
        files: Mapping[str, Mapping[str, Path | str]],
        names: Sequence[str],
        prompts: Prompts,
    ) -> Iterator[FolderRow]:
        """Yield a record for each recording, as a single answer."""
        for system, folder in self.folders.items():
            for name in names:
                file = files[system].get(name)
                if isinstance(file, str):
                    yield FolderRow(str(folder), file, folder)
                if not isinstance(file, Path):
                    continue
                record = {
                    "id": f"{system}/{name}",
                    "question_id": name,
                    "system": system,
                    "audio": str(file),
                }
                for column, value in prompts.get(name, {}).items():
                    record[_column_of_question(column)] = value
                yield FolderRow(str(file), record, folder)

    def _pairs_of(
        self,
        name: str,
        files: Mapping[str, Mapping[str, Path | str]],
        prompt: Mapping[str, Any],
    ) -> Iterator[FolderRow]:
        """Yield a record for every two systems that have a recording of a name."""
        recordings: dict[str, Path] = {}
        without: list[str] = []
        for system, folder in self.folders.items():
            file = files[system].get(name)
            if isinstance(file, str):
                yield FolderRow(str(folder), file, folder)
            elif file is None:
                without.append(system)
            else:
                recordings[system] = file
        if without and recordings:
            path = next(iter(recordings.values()))
            message = (
                f"{', '.join(without)} has no recording {name!r}, which"
                f" {', '.join(recordings)} has"
            )
            yield FolderRow(str(path), message, path.parent)
        for one, other in combinations(recordings, 2):
            record = {
                "id": name if len(self.folders) == 2 else f"{name}/{one}-{other}",
                "instruction_id": name,
                "a": {"audio": str(recordings[one]), "system": one},
                "b": {"audio": str(recordings[other]), "system": other},
                **prompt,
            }
            where = f"{recordings[one]} and {recordings[other]}"
            yield FolderRow(where, record, recordings[one].parent)


def _column_of_question(column: str) -> str:
    """Name a column of an instruction as single answers name those of a question."""
    return column.replace("instruction", "question", 1).removesuffix("_text")


def named_folder(text: str) -> tuple[str | None, Path]:
    """Split ``NAME=DIR``; None without a name, or where a folder is called so."""
    name, mark, folder = text.partition("=")
    if mark and not is_url(text) and not Path(text).is_dir():
        return name, Path(folder)
    return None, Path(text)


def _apart(one: Path, other: Path) -> tuple[str, str]:
    """Name two folders by the last parts of their paths that differ."""
    parts, other_parts = one.resolve().parts, other.resolve().parts
    count = 1
    shortest = min(len(parts), len(other_parts))
    while parts[-count] == other_parts[-count] and count < shortest:
        count += 1
    return parts[-count], other_parts[-count]


def _without_wildcards(name: str) -> str:
    """Call a pattern by its letters: ``*_gpt.wav`` is ``gpt``."""
    if not WILDCARD.search(name):
        return name
    return WILDCARD.sub("", stem(name)).strip(" _-.") or name


def _prompts_below(folder: Path) -> dict[str, dict[str, Any]]:
    prompts: dict[str, dict[str, Any]] = {}
    for key, file in by_stem(folder):
        if isinstance(file, Path):
            prompts[key] = {"instruction_audio": str(file)}
    for text in sorted(folder.rglob("*.txt")):
        key = one_form(text.relative_to(folder).with_suffix("").as_posix())
        words = text.read_text(encoding="utf-8", errors="replace").strip()
        prompts.setdefault(key, {})["instruction_text"] = words
    if not prompts:
        raise InputError(
            f"--prompts {folder}: neither recordings nor .txt files below it"
        )
    return prompts


def _prompts_of(
    path: Path, columns: Mapping[str, str], names: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Read a table of prompts with all that it says about them.

    Args:
        names: what the recordings are called.
    """
    prompts: dict[str, dict[str, Any]] = {}
    table = Renamed(str(path), PROMPT_FIELDS, columns)
    bad: list[str] = []
    sample: list[Mapping[str, Any]] = []
    for (where, _), record in table.rows(records(path, by_id=True), lambda row: row[1]):
        if isinstance(record, str):
            raise InputError(f"{where}: {record}")
        nested = record.get("instruction")
        if isinstance(nested, Mapping):  # as our own manifests have it
            record |= {"instruction": nested.get("text"), "audio": nested.get("audio")}
        rest = dict(record)
        prompt: dict[str, Any] = {}
        for field, accepted in PROMPT.items():
            column = first(record, accepted)
            if column is not None:
                prompt[field] = record[column]
                rest.pop(column, None)
        name = prompt.pop("id", None)
        text = prompt.get("instruction_text")
        if text is not None and not isinstance(text, str):
            raise InputError(f"{where}: the prompt is {text!r:.60}; give a text")
        if name is None or not prompt:
            bad.append(where)
            if len(sample) < _SAMPLE:
                sample.append(record)
            continue
        audio = prompt.get("instruction_audio")
        if isinstance(audio, str):
            prompt["instruction_audio"] = str(path.absolute().parent / audio)
        prompts[stem(str(name))] = {**_beside(rest), **prompt}
    table.check_named()
    if bad:
        raise InputError(
            _why_no_prompt(table, sample, names)
            or f"{bad[0]}: has no id, or no prompt; fill it in"
        )
    return prompts


def _why_no_prompt(
    table: Renamed, sample: Sequence[Mapping[str, Any]], names: Collection[str]
) -> str | None:
    """Say which columns to name so that rows of a table of prompts have a prompt."""
    if not table.values.keys().isdisjoint(PROMPT["instruction_audio"]):
        table.fields = replace(PROMPT_FIELDS, needed=("id",))
    guess = _guessed(sample, names)
    if "instruction_audio" in guess:
        table.fields = replace(PROMPT_FIELDS, needed=("id", "instruction_audio"))
    return table.missing(guess)


def _beside(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says beside its prompt: category, the rest as ``meta``.

    Nothing of it is read as a label or as a recording.
    """
    plain: dict[str, Any] = {}
    for column, value in record.items():
        if isinstance(value, str | int | float) and value != "":
            plain[column] = value
    fields: dict[str, Any] = {}
    for name, column in first_of(_CARRIED, record).items():
        if column in plain:
            fields[name] = plain.pop(column)
    meta = record.get("meta")
    others = {**meta, **plain} if isinstance(meta, Mapping) else plain
    if others:
        fields["meta"] = others
    return fields


def _guessed(
    sample: Sequence[Mapping[str, Any]], names: Collection[str]
) -> dict[str, str]:
    """Guess the columns of the recordings' names and of the longest texts."""
    known = set(names).union(map(unpadded, names))
    named: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    sounds: Counter[str] = Counter()
    for record in sample:
        for column, value in record.items():
            name = stem(str(value))
            if name in known or unpadded(name) in known:
                named[column] += 1
            if is_sound(value):
                sounds[column] += 1
            elif isinstance(value, str) and not is_number(value):
                lengths[column] += len(value)
    guess: dict[str, str] = {}
    if named:
        guess["id"] = named.most_common(1)[0][0]
    for likely in (lengths, sounds):
        likely.pop(guess.get("id", ""), None)
    longest = max(lengths.values(), default=0)
    if longest and (longest >= _SENTENCE * len(sample) or not sounds):
        guess["instruction_text"] = lengths.most_common(1)[0][0]
    elif sounds:
        guess["instruction_audio"] = sounds.most_common(1)[0][0]
    return guess


def systems_in(folder: Path) -> Systems | None:
    """Return the systems of a folder that holds a folder of recordings for each."""
    systems: dict[str, Path] = {}
    prompts: Path | None = None
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        is_table = path.is_file() and path.suffix.lower() in SUFFIXES
        is_called_prompts = path.stem.lower() in _PROMPTS
        if prompts is None and is_called_prompts and (path.is_dir() or is_table):
            prompts = path
        elif path.is_dir() and next(by_stem(path), None):
            systems[path.name] = path
    return Systems(systems, prompts) if systems else None


def how_to_judge(folder: Path) -> str:
    """Say what to type where a folder is no run: to judge its recordings."""
    systems = systems_in(folder)
    typed = shlex.quote(str(folder))
    out = new_run_name(Path())
    if systems is not None and len(systems.folders) > 1:
        return f"judge its recordings first: trace-eval judge {typed} --out {out}"
    if next(by_stem(folder), None):
        return (
            "judge its recordings against those of another system first: trace-eval"
            f" judge --a {typed} --b OTHER --out {out}"
        )
    return "name a folder that judge wrote"
