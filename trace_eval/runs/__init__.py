"""A run folder from its first clip to its report: sessions, pipeline, merging, ablation, probes."""
