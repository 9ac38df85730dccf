"""What follows from records and runs: entries, differences, coverage, history. Knows nothing of processes or Sphinx."""
