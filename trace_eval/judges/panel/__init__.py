"""What a session asks: one judge, several judges and rubrics at once, or judges fused into one."""
