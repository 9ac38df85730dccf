"""Breaks lines of Chinese text where Chinese may break: between characters, not within names and numbers, not before a comma."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Self

from rich.cells import cell_len
from rich.console import Console, JustifyMethod, OverflowMethod
from rich.containers import Lines
from rich.style import StyleType
from rich.text import Text

_WIDE = r"[　-〿㐀-鿿＀-￯“”‘’…—]"
_CLOSING = r"[、。，；：！？）】》」』〉”’…]"
_OPENING = r"[（【《「『〈“‘]"
# What stays together: an opening mark with what follows, characters or a word, closing marks, and blanks.
_UNIT = re.compile(rf"{_OPENING}*(?:{_WIDE}|(?:(?!{_WIDE})\S)+|(?=\s))?{_CLOSING}*\s*")


class Line(Text):
    """A ``rich.text.Text`` that breaks Chinese text as Chinese is broken; text without Chinese as rich does."""

    @classmethod
    def assemble(cls, *parts: str | Text | tuple[str, StyleType]) -> Self:  # type: ignore[override]
        """Return the parts as one line."""
        line = cls()
        line.append_text(Text.assemble(*parts))
        return line

    def wrap(
        self,
        console: Console,
        width: int,
        *,
        justify: JustifyMethod | None = None,
        overflow: OverflowMethod | None = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        """Return the lines, none wider than ``width`` cells."""
        if no_wrap or self.no_wrap or not re.search(_WIDE, self.plain):
            return super().wrap(console, width, justify=justify, overflow=overflow, tab_size=tab_size, no_wrap=no_wrap)
        broken = Lines()
        for line in self.split(allow_blank=True):
            for part in line.divide(list(_breaks(line.plain, width))):
                part.rstrip()
                # Cuts what alone is wider than a line.
                broken.extend(part.wrap(console, width, justify=justify, overflow=overflow, tab_size=tab_size))
        return broken


def _breaks(text: str, width: int) -> Iterator[int]:
    """Yield the places before which a line ends."""
    taken = 0
    for unit in _UNIT.finditer(text):
        needed = cell_len(unit.group().rstrip())
        if taken and taken + needed > width:
            yield unit.start()
            taken = 0
        taken += cell_len(unit.group())
        if needed > width:
            taken %= width
