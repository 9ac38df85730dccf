"""Rules that port code."""
