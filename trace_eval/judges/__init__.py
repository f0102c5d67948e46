"""What replies about two answers come to: their forms, opinions into one judgement, templates."""
