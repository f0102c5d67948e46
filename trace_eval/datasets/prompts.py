"""The authors' own prompt, where the user points at it: theirs are not shipped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data import strict_toml

#: Largest prompt that is read, bytes.
MAX_BYTES = 1 << 16


@dataclass(frozen=True)
class Prompt:
    """A prompt and which file it is from."""

    file: str
    text: str
    sha256: str

    @property
    def told(self) -> str:
        """Where it is from, for records."""
        return f"{self.file}, SHA-256 {self.sha256}"

    def in_place_of(self, rubric: str) -> str:
        """A question file of ours with this question; scale and inputs stay.

        Args:
            rubric: the file's text.
        """
        said = strict_toml.loads(rubric.encode())
        said |= {
            "name": f"{said['name']}-authors",
            "origin": f"the authors' prompt: {self.told}; scale and inputs as we read them",
            "question": self.text,
            "points": dict.fromkeys(said["points"], "As the question says."),
        }
        said.pop("rules", None)
        return "".join(f"{key} = {_toml(value)}\n" for key, value in said.items())


def read_prompt(path: Path, rubrics: Sequence[str]) -> Prompt:
    """Read the authors' prompt from a file of the user's.

    Args:
        path: of a text in UTF-8.
        rubrics: question files that go with the answers; there must be one.

    Raises:
        UserError: it cannot be read, is empty or too long, or there are several questions.
    """
    if len(rubrics) != 1:
        details = ", ".join(rubrics) or "none"
        raise UserError(f"--prompt {path}: give one --set; the questions here are {details}")
    try:
        data = path.read_bytes()
        text = data.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--prompt {path}: cannot be read ({error}); give a text file") from None
    if not text or len(data) > MAX_BYTES:
        raise UserError(f"--prompt {path}: {len(data)} bytes; give a text of 1 to {MAX_BYTES}")
    return Prompt(path.name, text, hashlib.sha256(data).hexdigest())


def _toml(value: Any) -> str:
    """A value as TOML; of texts JSON's escapes are TOML's, but for one control character."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
