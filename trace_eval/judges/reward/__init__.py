"""Judges on an audio language model in this process: reward models and raters."""
