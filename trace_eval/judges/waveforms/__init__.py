"""Waveforms for judges that listen: what is joined, at which rate, and as which bytes."""
