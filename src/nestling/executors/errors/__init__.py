"""Errors of the server and the driver as errors of ours: which may pass, and what the next move is."""
