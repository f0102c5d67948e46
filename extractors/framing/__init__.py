"""Where the recordings in a file begin and end, by the marks of its format; nothing is decoded."""
