"""Whether the subjects of commits are ``room: do this`` in at most 72 characters.

    python -m benchmarks.house commits REV

Prints each subject after ``REV`` that is not, and exits with 1 when there is one. The
mood of the first verb is judged by the rule for docstrings (ruff, D401).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from tests.support.imports import ROOT

#: Characters that a list of commits shows.
LONGEST = 72

_SUBJECT = re.compile(r"(?P<rooms>[\w.-]+(, [\w.-]+)*): (?P<sentence>[a-z].*[^.])")


def faults(subjects: list[str]) -> dict[str, str]:
    """Return each subject that breaks a rule, with the rule."""
    broken: dict[str, str] = {}
    for subject in subjects:
        if len(subject) > LONGEST:
            broken[subject] = f"has {len(subject)} characters; {LONGEST} fit"
        elif not _SUBJECT.fullmatch(subject):
            broken[subject] = "is not `room: do this`"
    for subject in _not_imperative([each for each in subjects if each not in broken]):
        broken[subject] = "does not begin with a verb in the imperative"
    return broken


def _not_imperative(subjects: list[str]) -> list[str]:
    """Return the subjects that do not begin with a verb, as D401 sees it."""
    functions: list[str] = []
    for number, subject in enumerate(subjects):
        sentence = subject.partition(": ")[2]
        text = sentence[:1].upper() + sentence[1:] + "."
        functions.append(f"def f{number}():\n    {text!r}\n")
    line = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "D401",
    ]
    line += ["--output-format", "json", "--stdin-filename", "subjects.py", "-"]
    done = subprocess.run(
        line, input="".join(functions), capture_output=True, text=True
    )
    rows = [finding["location"]["row"] for finding in json.loads(done.stdout)]
    return [subjects[(row - 1) // 2] for row in rows]


def subjects_after(revision: str) -> list[str]:
    """Return the subjects of the commits after one revision."""
    line = ["git", "log", "--no-merges", "--format=%s", f"{revision}..HEAD"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main(revision: str) -> int:
    """Print the subjects that break a rule, and return the exit code."""
    subjects = subjects_after(revision)
    broken = faults(subjects)
    for subject, rule in broken.items():
        print(f"{subject!r} {rule}")
    print(f"{len(broken)} of {len(subjects)} subjects after {revision} break a rule")
    return 1 if broken else 0
