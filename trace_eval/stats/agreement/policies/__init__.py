"""What a policy does to agreement, and policies learned from labels."""
