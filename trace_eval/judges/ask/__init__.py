"""Asking a chat model: the judge over it, its calls, clients, kept replies, and what they cost."""
