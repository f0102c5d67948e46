"""TRACE: judge pairs of spoken answers by textual reasoning over audio cues."""
