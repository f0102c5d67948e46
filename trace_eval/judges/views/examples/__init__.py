"""Solved examples that go before the question, of pairs and of ratings."""
