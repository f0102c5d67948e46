"""What the figures say: agree, rank, screen, plan and the card, from files to answers."""
