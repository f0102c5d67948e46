"""Decisions from figures: agree, rank, screen, plan and the card, from files to answers."""
