"""Handling of items that only one side has; apart, because command lines read it."""

from typing import Literal

#: Refuse them, or leave them out and count them.
Missing = Literal["error", "drop"]
