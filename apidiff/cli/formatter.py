"""How help is laid out."""

from __future__ import annotations

import argparse


class HelpFormatter(argparse.HelpFormatter):
    """Of a fixed width, so that help reads the same everywhere."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)
