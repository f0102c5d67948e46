"""Judging past one machine: a Ray cluster judges the shards of an input, which are then merged.

A shard is what ``--shard I/N`` makes, and the run what ``merge`` makes of all. Only the
scheduling, the way of files to ``--out`` and the limit of money are Ray's.
"""
