"""Conditions of an ablation, compared."""
