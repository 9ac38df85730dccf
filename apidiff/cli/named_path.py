"""Reads a path from the command line."""

from __future__ import annotations

import argparse
from pathlib import Path


def named_path(text: str) -> Path:
    """A path that was named: an empty word, as a variable that is not set leaves, would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty name is given. Write . for the current folder")
    return Path(text)
