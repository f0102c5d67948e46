"""Timing over many conversations: figures with intervals, systems compared, labelled events."""
