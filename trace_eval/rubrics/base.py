"""The fields that all rubric files share, of pairs and of single answers."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from functools import cached_property

from pydantic import Field, JsonValue, field_validator

from blueprints import Strict, language_name
from fusion import ItemKind
from trace_eval.data.pairs import SpokenLanguage


def is_none(value: object) -> bool:
    """For fields that only some rubrics have: the others keep their hash."""
    return value is None


class RubricFile(Strict):
    """One question about every item.

    Attributes:
        title, origin: what it is about, and whose it is; for people, no judge is shown them.
        rules: what the judge must and must not do, one sentence each.
        inputs: what is shown of an item.
    """

    name: str
    version: str = Field(min_length=1)
    item: ItemKind
    title: str = Field("", max_length=200)
    origin: str = Field("", description="whose rubric it is, and what of it is ours")
    question: str = ""
    rules: tuple[str, ...] = ()
    inputs: tuple[str, ...]
    reasons_in: SpokenLanguage | None = Field(
        None,
        exclude_if=is_none,
        description="language of the reasoning, by ISO 639-1 code or English name; null: not said",
    )

    @field_validator("rules", "inputs", "elements", "hidden", check_fields=False)
    @classmethod
    def _each_once(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        seen: set[str] = set()
        for entry in given:
            if entry in seen:
                raise ValueError(f"{entry!r:.60} is there twice; keep one")
            seen.add(entry)
        return given

    @property
    def told_language(self) -> list[str]:
        """The sentence that asks for reasons in a language, where one is wanted."""
        wanted = self.reasons_in
        return [f"Write the reasoning in {language_name(wanted)}."] if wanted else []

    @property
    @abstractmethod
    def said(self) -> dict[str, JsonValue]:
        """All fields that determine the question."""

    @property
    def identity(self) -> str:
        """All fields that determine the question, as JSON."""
        return json.dumps(self.said, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of everything it says; layout and comments of the file do not count."""
        record = json.dumps(self.said, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(record.encode()).hexdigest()
