"""Subjects of commits are English sentences in the imperative, and fit into a line."""

from __future__ import annotations

import subprocess

import pytest

from benchmarks.house import commits
from tests.support.imports import ROOT

#: The first commit whose successors are held to the rule.
SINCE = "4cd90d52"


def test_subjects_of_commits_are_sentences_that_fit() -> None:
    line = ["git", "cat-file", "-e", f"{SINCE}^{{commit}}"]
    if subprocess.run(line, cwd=ROOT, capture_output=True).returncode:
        pytest.skip("the history is not here: no git checkout, or a shallow one")
    assert commits.faults(commits.subjects_after(SINCE)) == {}


def test_each_broken_rule_is_named() -> None:
    long = "stats: " + "keep " * 20
    broken = {
        long.strip(): "has 106 characters; 72 fit",
        "keep the method in an interval": "is not `room: do this`",
        "stats: keep the method in an interval.": "is not `room: do this`",
        "stats: added the method to an interval": "does not begin with a verb in the imperative",
        "stats: adds the method to an interval": "does not begin with a verb in the imperative",
    }
    good = [
        "stats: keep the method in an interval",
        "data, opinions: read a scale with its sign",
    ]
    assert commits.faults([*broken, *good]) == broken
