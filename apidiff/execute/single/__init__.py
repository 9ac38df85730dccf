"""Calls in a single process: samples, made in one kept process per framework."""
