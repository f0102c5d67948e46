"""Extraction past one machine: a Ray cluster runs the same plan, shard by shard.

Everything that decides a value is the local engine's: the plan, its stages, and the
worker process in which a crash costs one clip. Only the scheduling is Ray's.
"""
