"""A run folder from clips to report: sessions, pipeline, merging, ablation, probes."""
