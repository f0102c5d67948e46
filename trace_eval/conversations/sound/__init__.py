"""Turns from sound: voice activity per channel, without crosstalk, edges by energy."""
