"""The terminal that text goes to, and the language it is in."""

from __future__ import annotations

import os
import sys

from rich.console import Console, RenderableType

from apidiff.errors import without_orders
from apidiff.model.base import Language


class Terminal(Console):
    """Standard output, in whose text nothing is taken for markup. Raises BrokenPipeError where its reader went away."""

    def __init__(self, *, soft_wrap: bool = False) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, soft_wrap=soft_wrap)

    def on_broken_pipe(self) -> None:
        """Leaves the exit code to the command: rich ends with its own, 1, which here says that a verdict differs."""
        raise BrokenPipeError


def language(chosen: Language | None) -> Language:
    """``chosen``, or else Chinese where the locale says so and English everywhere else."""
    if chosen:
        return chosen
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def show(*what: RenderableType) -> None:
    """Prints to standard output: colours only for a terminal, nothing in the text is taken for markup."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a locale without Chinese shows '?' rather than an error
    console = Terminal()
    with console.capture() as captured:
        console.print(*what, sep="\n")
    # rich fills lines up to the width of the terminal; whoever pastes or compares the text has no use for that.
    text = "".join(f"{line.rstrip(' ')}\n" for line in captured.get().splitlines())
    sys.stdout.write(without_orders(text))
