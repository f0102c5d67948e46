"""Reads and checks rubric files (TOML), with the remedy in every message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from blueprints import InputError, Strict
from trace_eval.data.files import is_file
from trace_eval.data.rubrics.pairs import LabelQuestion, PairRubric, ScoreQuestion
from trace_eval.data.rubrics.protocols import PairProtocol, Protocol
from trace_eval.data.rubrics.single import MAX_LISTED, ScoreRubric
from trace_eval.data.strict_toml import read_toml

Model = TypeVar("Model", bound=Strict)

#: Folder of the rubrics of single answers.
SINGLES = Path(__file__).parent / "files"

#: Folder of the rubrics of pairs, with the templates of some of them.
PAIRS = SINGLES / "pairs"

#: Folder of the protocols by which people compare pairs.
PROTOCOLS = SINGLES / "protocols"

#: Name of a file in messages: that of its option.
_NOUNS = {SINGLES: "rubric", PAIRS: "task", PROTOCOLS: "protocol"}

#: Names of parts: a file beside the ensemble, or one of ours.
_PART = re.compile(r"[\w.-]{1,100}")


def rubric_names(folder: Path = SINGLES) -> list[str]:
    """List the shipped rubrics, without parts of others."""
    stems = sorted(path.stem for path in folder.glob("*.toml"))
    return [stem for stem in stems if not stem.startswith("aspect_")]


def rubric_path(name: str, folder: Path = SINGLES) -> Path:
    """Return a shipped rubric's file, or the user's; raises UserError without."""
    shipped = rubric_names(folder)
    path = folder / f"{name}.toml" if name in shipped else Path(name)
    if path.suffix != ".toml" or not is_file(path):
        raise InputError(
            f"{_NOUNS[folder]} {name!r}: is neither shipped ({', '.join(shipped)}) nor"
            f" a .toml file; {_meant(name, shipped)}"
        )
    return path


def _meant(name: str, shipped: Sequence[str]) -> str:
    """Say which shipped name is almost the one that was typed."""
    near = get_close_matches(name, shipped, n=1, cutoff=0.75)
    return f"did you mean {near[0]}?" if near else "check the name or the path"


def load_rubric(name: str | Path) -> ScoreRubric:
    """Load a shipped rubric by its name, or one from a file.

    Raises:
        UserError: no such rubric or file, no TOML, or wrong fields; the message names
            them all.
    """
    where, table = _read(rubric_path(str(name)))
    return validated(ScoreRubric, table, where)


def protocol_names() -> list[str]:
    """List the shipped protocols: of pairs, then of answers that people rate."""
    listened = [
        name for name in rubric_names() if load_rubric(name).listening is not None
    ]
    return [*rubric_names(PROTOCOLS), *listened]


def load_protocol(name: str | Path) -> Protocol:
    """Load a shipped protocol or rubric of answers by name, or one from a file.

    Raises:
        UserError: as of :func:`load_rubric`.
    """
    path = protocol_path(str(name))
    where, table = _read(path, PROTOCOLS)
    of_pairs = (
        path.parent == PROTOCOLS or table.get("item") == "pair" or "parts" in table
    )
    if of_pairs:
        return validated(PairProtocol, table, where)
    return validated(ScoreRubric, table, where)


def protocol_path(name: str) -> Path:
    """Return the file of a protocol; raises UserError if there is none."""
    folders = (PROTOCOLS, SINGLES)
    shipped = [
        folder / f"{name}.toml" for folder in folders if name in rubric_names(folder)
    ]
    path = shipped[0] if shipped else Path(name)
    if path.suffix != ".toml" or not is_file(path):
        named = [shipped for folder in folders for shipped in rubric_names(folder)]
        raise InputError(
            f"protocol {name!r}: is neither shipped ({', '.join(protocol_names())}) nor"
            f" a .toml file; {_meant(name, named)}"
        )
    return path


def load_pair_rubric(name: str | Path) -> PairRubric | ScoreQuestion:
    """Load a shipped rubric of pairs by its name, or one from a file.

    Raises:
        UserError: as of :func:`load_rubric`; or a user's file takes a shipped name or
            template.
    """
    path = rubric_path(str(name), PAIRS)
    where, table = _read(path, PAIRS)
    if "parts" in table:
        named = table["parts"]
        parts = (
            [_part(path, part, where) for part in named]
            if isinstance(named, list)
            else named
        )
        return validated(
            PairRubric, {"name": path.stem, **table, "parts": parts}, where
        )
    question = _question(table, where)
    if path.parent != PAIRS and (
        question.template or (PAIRS / f"{question.name}.j2").exists()
    ):
        why = "template" if question.template else "name"
        raise InputError(
            f"{where}, {why}: {getattr(question, why)} is the package's own; give yours"
            " another name and its own words"
        )
    if isinstance(question, ScoreQuestion):
        return question
    return PairRubric(name=question.name, version=question.version, parts=(question,))


def template_of(name: str) -> Path:
    """Return the template with the words of a shipped rubric."""
    _, table = _read(rubric_path(name, PAIRS), PAIRS)
    return PAIRS / str(table["template"])


def _read(path: Path, folder: Path = SINGLES) -> tuple[str, dict[str, Any]]:
    """Return the name of the file in messages, and its content."""
    where = f"{_NOUNS[folder]} {path}"
    examples = str(folder)
    if folder != PAIRS:  # those of pairs have no command that shows one
        shown = f"trace-eval rubrics show {rubric_names(folder)[0]}"
        examples = f"{shown}, or {folder}"
    table = read_toml(path, where, f"see {examples}")
    if type(table.get("version")) in (int, float):  # as it is often written; not a bool
        table["version"] = str(table["version"])
    return where, table


def validated(model: type[Model], table: Mapping[str, Any], where: str) -> Model:
    """Validate a file's content; the message names all wrong fields at once."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        problems = []
        for problem in error.errors(include_url=False):
            field = ".".join(str(part) for part in problem["loc"])
            message = problem["msg"].removeprefix("Value error, ")
            if problem["type"] == "missing":
                message = "is missing; add it"
            elif problem["type"] == "extra_forbidden":
                message = (
                    "is no field; use"
                    f" {', '.join(_fields_at(model, problem['loc'][:-1]))}"
                )
            elif problem["type"] == "literal_error":
                message = f"{problem['input']!r:.60}: {message}"
            elif problem["type"] != "value_error":
                message = f"{message} (got {problem['input']!r:.60})"
            problems.append(f"{field}: {message}" if field else message)
        more = (
            f"; and {len(problems) - MAX_LISTED} more"
            if len(problems) > MAX_LISTED
            else ""
        )
        raise InputError(f"{where}: {'; '.join(problems[:MAX_LISTED])}{more}") from None


def _fields_at(model: type[BaseModel], place: Sequence[str | int]) -> list[str]:
    """List the fields of the table at a place of a file."""
    for name in place:
        field = model.model_fields.get(str(name))
        kinds = () if field is None else (field.annotation, *get_args(field.annotation))
        inner = [
            one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)
        ]
        model = inner[0] if inner else model  # numbers of a list lead nowhere
    return list(model.model_fields)


def _question(table: dict[str, Any], where: str) -> LabelQuestion | ScoreQuestion:
    if isinstance(table.get("scale"), dict):
        return validated(ScoreQuestion, table, where)
    return validated(LabelQuestion, table, where)


def _part(path: Path, name: object, where: str) -> LabelQuestion:
    """Load a question of another file: one beside this one, or a shipped one."""
    if not isinstance(name, str) or not _PART.fullmatch(name):
        raise InputError(
            f"{where}: part {name!r:.60} is not the name of a task file beside it"
        )
    own = path.parent / f"{name}.toml"
    where, table = _read(own if own.exists() else PAIRS / f"{name}.toml", PAIRS)
    part = _question(table, where)
    if isinstance(part, ScoreQuestion) or part.is_typed:
        message = "two scores" if isinstance(part, ScoreQuestion) else "typed ties"
        raise InputError(
            f"{where}: {message} are a task of their own, not a part of another"
        )
    return part
