"""Many conversations: timing with intervals, two systems, events, words that matter."""
