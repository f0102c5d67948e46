"""Reading rubric files (TOML) and checking them, with the remedy in every message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from blueprints import Strict, UserError
from trace_eval.data import read_toml
from trace_eval.rubrics.pairs import Ensemble, LabelQuestion, PairRubric, ScoreQuestion
from trace_eval.rubrics.single import MAX_TOLD, Input, ScoreRubric

Model = TypeVar("Model", bound=Strict)

_FILES = Path(__file__).parent / "files"

#: Where the rubrics of pairs lie, with the templates of some of them.
PAIRS = _FILES / "pairs"

#: Fields of before -> what to write.
_RENAMED = {
    "label_set": "is called scale; write scale = {value!r}",
    "instruction": 'is one of the inputs; write inputs = ["instruction", "audio"] or ["audio"]',
    "answer": "is said by the scale; write scale = { min = ..., max = ... } for two scores",
}

#: Names of parts: a file beside the ensemble, or one of ours.
_PART = re.compile(r"[\w.-]{1,100}")


def rubric_names() -> list[str]:
    """The shipped rubrics."""
    return sorted(path.stem for path in _FILES.glob("*.toml"))


def rubric_path(name: str) -> Path:
    """The file of a shipped rubric, or of one's own.

    Raises:
        UserError: there is none.
    """
    if name in rubric_names():
        return _FILES / f"{name}.toml"
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise UserError(
            f"rubric {name!r}: is neither shipped ({', '.join(rubric_names())}) nor a .toml file;"
            " check the name or the path"
        )
    return path


def load_rubric(name: str | Path) -> ScoreRubric:
    """A shipped rubric by its name, or one from a file.

    Raises:
        UserError: no such rubric or file, no TOML, or a field is wrong; the message names
            all wrong fields.
    """
    path = rubric_path(str(name))
    table = read_toml(path, f"rubric {path}", "see trace-eval rubrics show")
    return validated(ScoreRubric, table, f"rubric {path}")


def validated(model: type[Model], table: Mapping[str, Any], where: str) -> Model:
    """What stands in a file, as a model.

    Raises:
        UserError: a field is wrong; the message starts with ``where`` and names all of them.
    """
    try:
        return model.model_validate(_numbers_as_text(table))
    except ValidationError as error:
        problems = list(_problems(error, model))
        told = "; ".join(problems[:MAX_TOLD])
        more = f"; and {len(problems) - MAX_TOLD} more" if len(problems) > MAX_TOLD else ""
        raise UserError(f"{where}: {told}{more}") from None


def _numbers_as_text(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Versions are often written as numbers."""
    version = table.get("version")
    is_number = isinstance(version, int | float) and not isinstance(version, bool)
    return {**table, "version": str(version)} if is_number else table


def _problems(error: ValidationError, model: type[Strict]) -> Iterator[str]:
    for problem in error.errors(include_url=False):
        where = ".".join(str(part) for part in problem["loc"])
        told = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            told = "is missing; add it"
        elif problem["type"] == "extra_forbidden":
            told = f"is no field; use {', '.join(model.model_fields)}"
        elif problem["type"] == "literal_error":
            single = model is ScoreRubric and where.startswith(("inputs", "hidden"))
            offered = ", ".join(get_args(Input)) if single else ""
            told = f"{problem['input']!r:.60}: {told}" + (f" ({offered})" if not told else "")
        yield f"{where}: {told}" if where else told


# --- pairs --------------------------------------------------------------------------------------


def pair_rubric_names() -> list[str]:
    """The rubrics of pairs that come with the package, parts of ensembles left out."""
    stems = sorted(path.stem for path in PAIRS.glob("*.toml"))
    return [stem for stem in stems if not stem.startswith("aspect_")]


def load_pair_rubric(spec: str) -> PairRubric | ScoreQuestion:
    """A rubric of the package by name, or one of the user's own by its file.

    Raises:
        UserError: there is none of that name, or the file is no rubric of pairs.
    """
    shipped = spec in pair_rubric_names()
    path = PAIRS / f"{spec}.toml" if shipped else Path(spec)
    table = _pair_table(path)
    if "parts" in table:
        return _ensemble(path, validated(Ensemble, table, f"task {path}"))
    question = _question(path, table)
    if not shipped and (question.template or question.name in _templated()):
        why = "template" if question.template else "name"
        raise UserError(
            f"task {path}, {why}: {getattr(question, why)} is the package's own; give yours another"
            " name and its own words"
        )
    if isinstance(question, ScoreQuestion):
        return question
    return PairRubric(name=question.name, version=question.version, parts=(question,))


def template_of(name: str) -> Path:
    """The words of a rubric of the package that keeps them in a template."""
    rubric = load_pair_rubric(name)
    question = rubric if isinstance(rubric, ScoreQuestion) else rubric.parts[0]
    assert question.template
    return PAIRS / question.template


def _templated() -> set[str]:
    return {path.stem for path in PAIRS.glob("*.j2")}


def _pair_table(path: Path) -> dict[str, object]:
    table = read_toml(path, f"task {path}", f"see {PAIRS}")
    for name, told in _RENAMED.items():
        if name in table:
            raise UserError(f"task {path}, {name}: {told.replace('{value!r}', repr(table[name]))}")
    return table


def _question(path: Path, table: dict[str, object]) -> LabelQuestion | ScoreQuestion:
    scores = isinstance(table.get("scale"), dict)
    if scores:
        return validated(ScoreQuestion, table, f"task {path}")
    return validated(LabelQuestion, table, f"task {path}")


def _ensemble(path: Path, found: Ensemble) -> PairRubric:
    parts = []
    for name in found.parts:
        if not _PART.fullmatch(name):
            raise UserError(f"task {path}: part {name!r:.60} is no name of a task file beside it")
        own = path.parent / f"{name}.toml"
        file = own if own.exists() else PAIRS / f"{name}.toml"
        part = _question(file, _pair_table(file))
        if isinstance(part, ScoreQuestion):
            raise UserError(
                f"task {file}: two scores are a task of their own, and no part of another"
            )
        parts.append(part)
    if len({part.about for part in parts}) < len(parts):
        raise UserError(f"task {path}: two parts have one dimension; give each its own")
    if len({part.labels for part in parts}) > 1 or parts[0].is_typed:
        raise UserError(f"task {path}: parts must share one scale, plain, forced or binary")
    return PairRubric(name=found.name or path.stem, version=found.version, parts=tuple(parts))
