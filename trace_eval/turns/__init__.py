"""Many conversations: timing with intervals, systems, events, words that matter."""
