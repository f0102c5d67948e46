"""Reasons with planted faults: does the checker find them, and only them?"""
