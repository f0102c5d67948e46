"""Figures of the source, and whether two revisions hold the same program.

python -m benchmarks.house
python -m benchmarks.house same REV
"""

from __future__ import annotations

import sys

from benchmarks.house import commits, figures, same

if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            figures.main()
        case ["same", revision]:
            sys.exit(same.main(revision))
        case ["commits", revision]:
            sys.exit(commits.main(revision))
        case _:
            sys.exit(__doc__)
