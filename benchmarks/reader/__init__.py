"""Careful readers in the place of a language model, their requests and replies."""
