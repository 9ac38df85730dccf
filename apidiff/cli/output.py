"""The terminal that text goes to, and the language it is in."""

from __future__ import annotations

import os
import sys

from rich.console import Console, RenderableType

from apidiff.model.base import Language


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
    console = Console(markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(*what, sep="\n")
    # rich fills lines up to the width of the terminal; whoever pastes or compares the text has no use for that.
    sys.stdout.write("".join(f"{line.rstrip(' ')}\n" for line in captured.get().splitlines()))
