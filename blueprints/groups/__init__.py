"""The groups of every blueprint: one file holds all that is known of one of them.

Its fields with units, its line in a prompt and what that line means, its rows for people and
the unit of its contour: the methods of :class:`~blueprints.records.Present`, which has a plain
default for each. A new group is a file here and a field of :class:`~blueprints.Blueprint`.
"""
