"""Careful readers in the place of a language model: the requests of a text judge, and replies."""
