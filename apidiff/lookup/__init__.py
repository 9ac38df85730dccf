"""Answers: one SQLite index built from the entries, and what is asked of it.

A lookup must stay near the price of starting Python, so the modules on its way (`freshness`, `index`, `lookup`) import
`sqlite3` and nothing else that is large; everything heavier is imported where it is needed. Public names are exported
from `apidiff` itself.
"""
