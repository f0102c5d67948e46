"""Measures over a pair's blueprints beside the ratings: text errors, speaker similarity."""
