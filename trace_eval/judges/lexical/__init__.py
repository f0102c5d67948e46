"""The embedded judge of single answers: words in common with the reference."""
