"""Clients: one chat call each, with typed failures."""
