"""Rubrics: files with a question on a pair or answer, a scale, and inputs."""
