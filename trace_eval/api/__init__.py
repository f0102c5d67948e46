"""The functions that library users and commands call, and the objects they return."""
