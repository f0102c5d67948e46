"""Decisions from figures: agree, rank, screen, plan, card, and the best answer."""
