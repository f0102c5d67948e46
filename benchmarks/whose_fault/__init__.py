"""Calls that fail in known ways, and whom the product blames."""
