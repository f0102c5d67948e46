"""Claims of a reason: each number, comparison and quotation, checked against blueprints."""
