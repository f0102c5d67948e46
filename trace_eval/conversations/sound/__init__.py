"""Turns from sound: voice activity per channel, crosstalk out, edges by energy, joined."""
