"""Rubrics of pairs for judges that listen, and the words that all of them share."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from blueprints import Strict, UserError
from trace_eval.data.rubrics.load import PAIRS, load_pair_rubric, rubric_names
from trace_eval.data.rubrics.pairs import PairRubric, ScoreQuestion
from trace_eval.data.strict_toml import read_toml

#: The question whose words stand in a template of the package.
NATURALNESS = "naturalness"

_WORDS = Path(__file__).with_name("words.toml")


#: Name -> what judges are told of the material that they are shown.
ABOUT: dict[str, str] = read_toml(
    Path(__file__).with_name("about.toml"), "words", "install the package again"
)


class CommonWords(Strict):
    """The words that all questions share."""

    evidence: str
    form: str
    examples_intro: str
    examples_solved: str
    examples_taken: str
    example_turn: str
    whole_test: str
    repair: str
    names: dict[str, str]
    transcripts: dict[str, str]


@lru_cache(maxsize=1)
def common() -> CommonWords:
    """Load the shared words."""
    return CommonWords.model_validate(
        read_toml(_WORDS, "words", "install the package again")
    )


def task_names() -> list[str]:
    """List the package's rubrics that are judged by listening and have labels."""
    return [name for name in rubric_names(PAIRS) if name not in ("trace", NATURALNESS)]


def load_listening(spec: str) -> PairRubric | ScoreQuestion:
    """Load a rubric of pairs that has the recordings among its inputs.

    Raises:
        UserError: there is none of that name, the file is not a rubric, or it is read
            only.
    """
    if spec not in rubric_names(PAIRS) and not spec.endswith(".toml"):
        raise UserError(
            f"task {spec!r} is unknown; use one of {', '.join(task_names())},"
            f" {NATURALNESS}, or your own .toml"
        )
    task = load_pair_rubric(spec)
    for part in (task,) if isinstance(task, ScoreQuestion) else task.parts:
        if "audio" not in part.inputs:
            raise UserError(
                f"task {spec}: asks about text alone; add audio to its inputs"
            )
    return task


def texts_sha256(rubric: PairRubric) -> str:
    """Return the identity of all texts of a rubric, those that all share included."""
    texts = rubric.identity + common().model_dump_json()
    return hashlib.sha256(texts.encode()).hexdigest()
