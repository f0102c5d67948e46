"""Many conversations: timing with intervals, systems compared, events, words that matter."""
