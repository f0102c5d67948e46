"""The fields that all rubric files share, of pairs and of single answers."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from functools import cached_property

from pydantic import Field, JsonValue, field_validator

from blueprints import Strict, language_name
from fusion import ItemKind
from trace_eval.data.answers import is_none
from trace_eval.data.items import SpokenLanguage

#: What the field of each kind of rubric holds.
INPUTS = "the parts of an item that are shown"


class RubricFile(Strict):
    """One question about every item; no judge is shown its title and origin."""

    name: str
    version: str = Field(min_length=1)
    item: ItemKind
    title: str = Field(
        "",
        max_length=200,
        description="its subject and its authors; no judge is shown them",
    )
    origin: str = Field("", description="authors of the rubric, and our part in it")
    question: str = ""
    rules: tuple[str, ...] = Field((), description="for the judge, one sentence each")
    inputs: tuple[str, ...] = Field(description=INPUTS)
    reasons_in: SpokenLanguage | None = Field(
        None,
        exclude_if=is_none,
        description="language of the reasoning, by ISO 639-1 code or English name; null: any",
    )

    @field_validator("rules", "inputs", "elements", "hidden", check_fields=False)
    @classmethod
    def _each_once(cls, entries: tuple[str, ...]) -> tuple[str, ...]:
        for number, entry in enumerate(entries):
            if entry in entries[:number]:
                raise ValueError(f"{entry!r:.60} is there twice; keep one")
        return entries

    @property
    def language_rule(self) -> list[str]:
        """The sentence that asks for reasons in a language, where one is wanted."""
        wanted = self.reasons_in
        return [f"Write the reasoning in {language_name(wanted)}."] if wanted else []

    @property
    @abstractmethod
    def record(self) -> dict[str, JsonValue]:
        """All fields that determine the question."""

    @property
    def identity(self) -> str:
        """The record as JSON."""
        return json.dumps(self.record, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the record; layout and comments of the file do not count."""
        record = json.dumps(self.record, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(record.encode()).hexdigest()
