"""The folder that everything of ours which can be made again is kept in."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

#: Environment variable that replaces the user's cache folder.
CACHE_VARIABLE = "TRACE_EVAL_CACHE"


def cache_folder() -> Path:
    """``$TRACE_EVAL_CACHE``, else the user's cache folder of the platform; it may not exist."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("trace-eval"))
