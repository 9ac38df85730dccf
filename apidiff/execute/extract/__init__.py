"""Extraction of samples: the calls that PyTorch's own test inputs make of an API, written as data."""
