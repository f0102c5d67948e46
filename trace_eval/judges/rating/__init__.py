"""Judges that rate single answers by a rubric: prompts, reading, and one score per item."""
