"""The groups of every blueprint, one file each.

A file holds the fields with units, the line in a prompt with its legend, the printed
rows and the unit of the contour: the methods of :class:`~blueprints.records.Present`,
which has a plain default for each. A new group is a file here and a field of
:class:`~blueprints.Blueprint`.
"""
