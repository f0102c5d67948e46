"""Where the recordings in a file begin and end, by its format's marks, undecoded."""
