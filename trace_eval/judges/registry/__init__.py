"""Judges by spec: ``KIND`` or ``KIND:ARGUMENT``. A new kind is a class and a row in ``kinds``."""
