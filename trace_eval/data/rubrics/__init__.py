"""Rubrics: files with a question about a pair or one answer, its scale, and its inputs."""
