"""Records: what a mapping, a claim, a trace and a verdict are.

Import names from the modules they live in. This package imports nothing else of the project, no framework and no NumPy.
"""
