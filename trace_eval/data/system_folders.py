"""Systems' recordings as an input: a folder each, and their prompts."""

from __future__ import annotations

import re
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
from trace_eval.data.renamed import Renamed, is_sound
from trace_eval.data.tables import SUFFIXES, records

#: Folders beside those of systems that hold the questions.
_PROMPTS = ("prompts", "instructions", "questions")

#: What a table of prompts is made of.
PROMPT_FIELDS = Fields(PROMPT, needed=("id", "instruction_text"), numbered=False)


#: What a table of prompts may say beside them: it is that of the items.
_CARRIED = {
    name: NAMES[name]
    for name in ("category", "language", "context", "reference", "instruction_id")
}

#: Rows by which columns are proposed, and from how many characters in the mean beside a
#: column of recordings a text is the prompt and no name of a topic.
_SAMPLE, _SENTENCE = 50, 12


class FolderRow(NamedTuple):
    """One record of a source, or what is wrong with it, and its place for messages."""

    where: str
    record: dict[str, Any] | str
    root: Path | str  # folder of its relative paths, or the URL of that


@dataclass(frozen=True)
class Systems:
    """Recordings of systems, a folder each; files of one name answer the same prompt.

    Prompts are a folder of recordings or ``.txt`` files by the same names, or a table
    with the columns ``id`` and ``prompt`` (or ``audio``).
    """

    folders: Mapping[str, Path]  # system -> its folder, or a pattern of recordings
    prompts: Path | None = None

    @classmethod
    def parse(cls, a: object, b: object, prompts: object = None) -> Systems:
        """Parse ``DIR`` or ``NAME=DIR`` of each; a system may take its folder's name.

        A pattern such as ``DIR/*_gpt.wav`` stands for a folder of the files that fit
        it.

        Raises:
            UserError: one of them is no folder, or both are the same.
        """
        provided = [_named(str(text)) for text in (a, b)]
        for side, (_, folder) in zip("ab", provided, strict=True):
            if not globbed(folder)[0].is_dir():
                raise InputError(
                    f"--{side} {folder}: no such folder; name one with recordings"
                )
        if provided[0][1].resolve() == provided[1][1].resolve():
            raise InputError(
                f"--a and --b: both are {provided[0][1]}; name two folders"
            )
        names = _apart(provided)
        if names[0] == names[1]:
            raise InputError(
                f"--a and --b: both are called {names[0]}; write --a NAME=DIR"
            )
        folders = dict(zip(names, (folder for _, folder in provided), strict=True))
        where = None if prompts is None else Path(str(prompts))
        if where is not None and not where.exists():
            raise InputError(f"--prompts {where}: no such file or folder")
        return cls(folders, where)

    @property
    def path(self) -> Path:
        """What the input is called: both folders side by side."""
        parent = next(iter(self.folders.values())).absolute().parent
        return parent / "-".join(re.sub(r"[^\w.]+", "-", name) for name in self.folders)

    def files(self) -> tuple[dict[str, dict[str, Path | str]], tuple[str, ...]]:
        """Return systems' recordings by name, or why one is none, and a note.

        A folder without recordings is refused.
        """
        results = {name: dict(by_stem(folder)) for name, folder in self.folders.items()}
        for name, files in results.items():
            if not files:
                shown = ", ".join(AUDIO_SUFFIXES)
                raise InputError(
                    f"{self.folders[name]}: no recordings below it ({shown})"
                )
        if (short := without_own_parts(results)) is None:
            return results, ()
        own = " and ".join(
            f"{part!r} of {name}" for name, (part, _) in short.items() if part
        )
        how = (
            f"by their names without {own}"
            if own
            else "without regard to upper and lower case"
        )
        note = f"no file name is in all folders; files are matched {how}"
        return {name: files for name, (_, files) in short.items()}, (note,)

    def rows(
        self,
        results: Mapping[str, Mapping[str, Path | str]],
        single: bool = False,
        columns: Mapping[str, str] | None = None,
    ) -> Iterator[FolderRow]:
        """Yield a record per prompt that both systems answered, or per answer.

        Args:
            results: of :meth:`files`.
            columns: field -> column of the table of prompts.
        """
        requested: dict[str, dict[str, Any]] = {}
        keys = list(dict.fromkeys(key for files in results.values() for key in files))
        if self.prompts and self.prompts.is_dir():
            requested = _prompts_below(self.prompts)
        elif self.prompts:
            requested = _prompts_of(self.prompts, columns or {}, keys)
        if requested and not any(key in requested for key in keys):
            short = {unpadded(name): prompt for name, prompt in requested.items()}
            named = {
                key: short[unpadded(key)] for key in keys if unpadded(key) in short
            }
            if not named:
                raise InputError(
                    f"--prompts {self.prompts}: has {', '.join(list(requested)[:3])},"
                    f" and the recordings are called {', '.join(sorted(keys)[:3])}; use"
                    " the same names"
                )
            requested = named
        if not single:
            yield from self._pairs(results, keys, requested)
            return
        for name, folder in self.folders.items():
            for key in sorted(keys):
                file = results[name].get(key)
                if isinstance(file, str):
                    yield FolderRow(str(folder), file, folder)
                elif file is not None:
                    own = {"id": f"{name}/{key}", "question_id": key, "system": name}
                    question = {  # columns of an instruction as those of a question
                        column.replace("instruction", "question", 1).removesuffix(
                            "_text"
                        ): value
                        for column, value in requested.get(key, {}).items()
                    }
                    record = {**own, "audio": str(file), **question}
                    yield FolderRow(str(file), record, folder)

    def _pairs(
        self,
        results: Mapping[str, Mapping[str, Any]],
        keys: list[str],
        requested: Mapping[str, Any],
    ) -> Iterator[FolderRow]:
        for key in sorted(keys):
            have = {name: files[key] for name, files in results.items() if key in files}
            for name, file in have.items():
                if isinstance(file, str):
                    yield FolderRow(str(self.folders[name]), file, self.folders[name])
            good = {
                name: file for name, file in have.items() if not isinstance(file, str)
            }
            lack = [name for name in self.folders if name not in have]
            if lack and good:
                path = next(iter(good.values()))
                message = (
                    f"{', '.join(lack)} has no recording {key!r}, which"
                    f" {', '.join(good)} has"
                )
                yield FolderRow(str(path), message, path.parent)
            for one, other in combinations(good, 2):
                name = key if len(self.folders) == 2 else f"{key}/{one}-{other}"
                record = {
                    "id": name,
                    "instruction_id": key,
                    "a": {"audio": str(good[one]), "system": one},
                    "b": {"audio": str(good[other]), "system": other},
                    **requested.get(key, {}),
                }
                yield FolderRow(
                    f"{good[one]} and {good[other]}", record, good[one].parent
                )


def _named(text: str) -> tuple[str | None, Path]:
    name, mark, folder = text.partition("=")
    return (
        (name, Path(folder)) if mark and not Path(text).is_dir() else (None, Path(text))
    )


def _apart(provided: list[tuple[str | None, Path]]) -> list[str]:
    """Name two folders apart: as given, or by the last parts that differ.

    Of a pattern the wildcards and the ending are left out: ``*_gpt.wav`` is ``gpt``.
    """
    parts = [folder.resolve().parts for _, folder in provided]
    count = 1
    while parts[0][-count] == parts[1][-count] and count < min(map(len, parts)):
        count += 1
    names = [
        name or own[-count] for (name, _), own in zip(provided, parts, strict=True)
    ]
    plain = [WILDCARD.sub("", stem(name)).strip(" _-.") for name in names]
    return [own if WILDCARD.search(name) and own else name
            for name, own in zip(names, plain, strict=True)]  # fmt: skip


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
    path: Path, columns: Mapping[str, str], keys: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Read a table of prompts with all that it says about them.

    Args:
        keys: what the recordings are called.
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
        places = [first(record, names) for names in PROMPT.values()]
        name, text, audio = (
            None if place is None else record[place] for place in places
        )
        if text is not None and not isinstance(text, str):
            raise InputError(f"{where}: the prompt is {text!r:.60}; give a text")
        if name is None or (text is None and audio is None):
            bad.append(where)
            sample += [record] if len(sample) < _SAMPLE else []
            continue
        key = stem(str(name))
        prompts[key] = _beside(
            {c: value for c, value in record.items() if c not in places}
        )
        if text is not None:
            prompts[key]["instruction_text"] = text
        if audio is not None:
            place = (
                str(path.absolute().parent / audio) if isinstance(audio, str) else audio
            )
            prompts[key]["instruction_audio"] = place
    table.check_named()
    if bad:
        if table.values.keys() & {*PROMPT["instruction_audio"]}:
            table.fields = replace(PROMPT_FIELDS, needed=("id",))
        guess = _guessed(sample, keys)
        if "instruction_audio" in guess:
            table.fields = replace(PROMPT_FIELDS, needed=("id", "instruction_audio"))
        why = table.missing(guess)
        raise InputError(why or f"{bad[0]}: has no id, or no prompt; fill it in")
    return prompts


def _beside(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says beside its prompt: category, the rest as ``meta``.

    Nothing of it is read as a label or as a recording.
    """
    columns = first_of(_CARRIED, record)
    plain = {
        column: value
        for column, value in record.items()
        if isinstance(value, str | int | float) and value != ""
    }
    fields = {
        name: plain.pop(column) for name, column in columns.items() if column in plain
    }
    meta = record.get("meta")
    others = {**(meta if isinstance(meta, Mapping) else {}), **plain}
    return {**fields, "meta": others} if others else fields


def _guessed(
    sample: Sequence[Mapping[str, Any]], keys: Collection[str]
) -> dict[str, str]:
    """Guess the columns of the recordings' names and of the longest texts."""
    called = {*keys, *map(unpadded, keys)}
    names: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    sounds: Counter[str] = Counter()
    for record in sample:
        for column, value in record.items():
            key = stem(str(value))
            names[column] += bool({key, unpadded(key)} & called)
            if is_sound(value):
                sounds[column] += 1
            elif isinstance(value, str) and not is_number(value):
                lengths[column] += len(value)
    guess = {}
    if best := names.most_common(1):
        (column, number), *_ = best
        guess = {"id": column} if number else {}
    for likely in (lengths, sounds):
        likely.pop(guess.get("id", ""), None)
    longest = max(lengths.values(), default=0)
    if longest and (longest >= _SENTENCE * len(sample) or not sounds):
        guess["instruction_text"] = lengths.most_common(1)[0][0]
    elif sounds:
        guess["instruction_audio"] = sounds.most_common(1)[0][0]
    return guess


def systems_in(folder: Path) -> Systems | None:
    """Return the systems of a folder of folders of recordings; None if it is none."""
    below = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    named = [path for path in below if path.stem.lower() in _PROMPTS]
    tables = [
        path for path in named if path.is_file() and path.suffix.lower() in SUFFIXES
    ]
    prompts = next((path for path in named if path.is_dir() or path in tables), None)
    systems = {
        path.name: path
        for path in below
        if path.is_dir() and path != prompts and next(by_stem(path), None)
    }
    return Systems(systems, prompts) if systems else None


def how_to_judge(folder: Path) -> str:
    """Say what to type where a folder is no run: to judge its recordings."""
    systems = systems_in(folder)
    if systems is not None and len(systems.folders) > 1:
        return f"judge its recordings first: trace-eval judge {folder} --out run"
    if next(by_stem(folder), None):
        return (
            "judge its recordings against those of another system first: trace-eval"
            f" judge --a {folder} --b OTHER --out run"
        )
    return "name a folder that judge wrote"
