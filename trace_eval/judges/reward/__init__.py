"""Judges that run in this process on an audio language model: reward models and raters."""
