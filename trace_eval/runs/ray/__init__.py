"""Judging past one machine: a Ray cluster judges an input's shards, to be merged.

A shard is what ``--shard I/N`` makes, and the run what ``merge`` makes of all. Only the
scheduling, the way of files to ``--out`` and the limit of money are Ray's.
"""
