"""Sound in prompts: recordings joined, at which rate, and as which bytes."""
