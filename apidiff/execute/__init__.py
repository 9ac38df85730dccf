"""Starts ranks, runs probes on them, writes run records and compares runs. Imports no framework: its child processes do."""
