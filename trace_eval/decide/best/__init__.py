"""Best of N: which of several recordings of one text a judge prefers."""
