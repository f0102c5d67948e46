"""Judges: what turns a pair of blueprints into a judgement."""
