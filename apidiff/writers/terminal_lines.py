"""Lines that answers and search results are made of. Nothing in a text is taken for markup."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text as Line

from apidiff.messages.labels import Language
from apidiff.model import Text

_RISK_STYLES = {"silent": "bold red", "error": "bold yellow", "rewrite": "cyan", "none": "green"}


def named(name: str | None, held_in: str | None) -> Line:
    """A parameter or member, with the versions that have it where not all do."""
    return Line.assemble(name or "—", (f" {held_in}" if held_in else "", "dim"))


def prose(text: Text, language: Language) -> Line:
    """Text of a record in one language; what stands between backticks is bold."""
    line = Line(text.en if language == "en" else text.zh)
    line.highlight_regex(r"`[^`]+`", "bold")
    return line


def risk_style(risk: str) -> str:
    """The colour of a risk."""
    return _RISK_STYLES[risk]


def indent(line: RenderableType, by: int = 4) -> RenderableType:
    """A line moved to the right, with what it wraps into."""
    return Padding(line, (0, 0, 0, by))
