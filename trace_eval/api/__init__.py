"""The functions that users of the library and commands call, and the objects that they return."""
