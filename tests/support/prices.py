"""Price tables as users write them."""

from __future__ import annotations

import json
from pathlib import Path


def price_table(
    folder: Path, model: str = "m", server: str = "127.0.0.1", **prices: float
) -> Path:
    """Write a file with the prices of one model, US dollars per million tokens."""
    facts = {"server": server, "model": model, **prices, "source": "a test"}
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in facts.items())
    path = folder / "prices.toml"
    path.write_text("".join(["[[price]]\n", *lines, "as_of = 2026-01-01\n"]))
    return path
