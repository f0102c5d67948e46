"""Makes the API reference from the docstrings.

    python docs/make_reference.py [FOLDER]       # default: build/docs, as make docs does

Needs the extra ``test`` (pdoc).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pdoc

import trace_eval

#: What users import; ``trace_eval`` names the rest.
MODULES = (
    "trace_eval",
    "trace_eval.options",
    "trace_eval.judges.options",
    "trace_eval.runs.record",
    "blueprints",
    "extractors.base",
    "fusion",
)


def main(folder: Path) -> None:
    """Write the pages."""
    for name in trace_eval.__all__:
        # The names are imported on first use; pdoc looks for those that are there.
        setattr(trace_eval, name, getattr(trace_eval, name))
    pdoc.render.configure(docformat="google")
    pdoc.pdoc(*MODULES, output_directory=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/docs"))
