"""Misspelt keywords of the library: each is named, with what it was meant to be."""

from __future__ import annotations

import pickle
from enum import Enum
from inspect import signature
from typing import Any

import pytest
from pydantic import BaseModel

import trace_eval
from tests.support.cli import trace_eval as typed

#: Classes that say by themselves what is wrong with a keyword, and protocols, which
#: nobody makes.
_OTHERS = (BaseModel, Enum, trace_eval.UserError)
_PROTOCOLS = {"Judge", "Extractor", "Policy", "Reward"}

#: Those take settings of options besides; test_notebooks misspells theirs.
_WITH_SETTINGS = {"judge", "rate"}


def _callables() -> dict[str, Any]:
    every = {name: getattr(trace_eval, name) for name in trace_eval.__all__}
    return {
        name: value
        for name, value in every.items()
        if callable(value)
        and name not in _PROTOCOLS | _WITH_SETTINGS
        and not (isinstance(value, type) and issubclass(value, _OTHERS))
    }


@pytest.mark.parametrize("name", sorted(_callables()))
def test_a_misspelt_keyword_is_refused_with_the_one_that_was_meant(name: str) -> None:
    value = _callables()[name]
    first = next(iter(signature(value).parameters))
    misspelt = {f"{first}z": "nothing"}
    with pytest.raises(trace_eval.UserError, match=f"{first}z: is unknown; "):
        value(**misspelt)


def test_functions_keep_their_signature_and_can_be_sent_to_a_process() -> None:
    assert list(signature(trace_eval.rank).parameters)[:2] == ["source", "labels"]
    assert pickle.loads(pickle.dumps(trace_eval.rank)) is trace_eval.rank


def test_commands_name_options_though_the_library_names_keywords() -> None:
    with pytest.raises(
        trace_eval.UserError, match=r"colums: is unknown; did you mean columns\?"
    ):
        trace_eval.rank("votes.csv", colums={"preference": "Winner"})
    assert "--scale" in typed("rank", "no.csv", "--scael", "0..100", ends=2).err
