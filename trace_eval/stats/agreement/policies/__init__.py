"""The effect of a policy on agreement, and policies learned from labels."""
