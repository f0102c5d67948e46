"""What pip-audit said, and what it could not say: a package that it cannot look up is no news.

    pip-audit ... --format json | python -m benchmarks.audit

Exit code 1: there are advisories; 2: nothing could be looked up, so nothing is known.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> int:
    """Read the JSON from standard input and judge it."""
    try:
        packages = json.load(sys.stdin)["dependencies"]
    except (ValueError, KeyError, TypeError):
        print("pip-audit gave no result: the advisory source cannot be reached; nothing is known")
        return 2
    return judge(packages)


def judge(packages: list[dict[str, Any]]) -> int:
    """Print what is known of the packages; the exit code."""
    looked_up = [package for package in packages if "skip_reason" not in package]
    for package in looked_up:
        for advisory in package["vulns"]:
            fixed = ", ".join(advisory["fix_versions"]) or "no version"
            print(f"{package['name']} {package['version']}: {advisory['id']}, fixed in {fixed}")
    skipped = sorted(package["name"] for package in packages if "skip_reason" in package)
    bad = sum(bool(package["vulns"]) for package in looked_up)
    print(f"{len(looked_up)} packages looked up, {bad} with advisories")
    if skipped:
        print(f"{len(skipped)} could not be looked up: {', '.join(skipped)}")
    if not looked_up:
        print("the advisory source has no package or cannot be reached from here; nothing is known")
        return 2
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
