"""Answers: one index built from the entries, and what is asked of it. Public names are exported from `apidiff` itself."""
