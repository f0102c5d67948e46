"""Figures of the source, and a proof that two revisions hold the same program."""
