"""Measures what the project promises about its speed, as ratios within one run: ``make bench``."""
