"""Extraction past one machine: a Ray cluster runs the same plan, shard by shard.

========================  ==============================================================
``shards``                what a finished shard holds, and where it lies
``job``                   which recordings are finished, and how the others are cut
``actors``                what runs on the workers: one stage of a plan
``cluster``               starting or joining Ray, quietly
``driver``                the process that drives Ray, stage by stage, and its messages
``engine``                the :class:`~trace_eval.extracting.engine.Engine` that reads the shards
========================  ==============================================================

Everything that decides a value is the local engine's: the plan, its stages, and the worker
process in which a crash costs one clip. Only the scheduling is Ray's.
"""
