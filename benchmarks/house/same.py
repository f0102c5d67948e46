"""Whether two trees hold the same program, whatever their locals are called.

    python -m benchmarks.house same REV

Prints each product file whose code differs from the one at ``REV`` and exits with 1
when there is one. A commit that says that it only renames or unfolds is checked by it;
what it sees through is told in :mod:`benchmarks.house.canonical`.
"""

from __future__ import annotations

import subprocess

from benchmarks.house.canonical import canonical
from tests.support.imports import PACKAGES, ROOT


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def differing(revision: str) -> dict[str, str]:
    """Return each changed product file that is another program, with how it changed."""
    line = ["diff", "--name-status", "--no-renames", revision, "--", *PACKAGES]
    changes: dict[str, str] = {}
    for row in _git(*line).splitlines():
        status, _, path = row.partition("\t")
        if not path.endswith(".py"):
            continue
        if status != "M":
            changes[path] = {"A": "is new", "D": "is gone"}.get(
                status, "changed its type"
            )
        elif not _same(
            _git("show", f"{revision}:{path}"), (ROOT / path).read_text("utf-8")
        ):
            changes[path] = "does something else"
    return changes


def _same(before: str, after: str) -> bool:
    return canonical(before) == canonical(after)


def main(revision: str) -> int:
    """Print the files that differ, and return the exit code."""
    changes = differing(revision)
    for path, change in sorted(changes.items()):
        print(f"{path}: {change}")
    print(f"{len(changes)} product files differ from {revision} in more than names")
    return 1 if changes else 0
