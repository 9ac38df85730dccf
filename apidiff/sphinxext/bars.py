"""A bar of parts, drawn from numbers as SVG. The same numbers stand as text beside it, so the picture is not read out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes

_WIDTH = 1000


class bar(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """``parts``: (value that names the colour, words, number), in the order they are drawn."""

    def astext(self) -> str:
        """Nothing: the numbers stand elsewhere."""
        return ""


def widths(numbers: Sequence[int], whole: int = _WIDTH) -> list[int]:
    """Whole numbers in proportion to ``numbers`` that add up to ``whole``; what is not zero is at least 2 wide."""
    total = sum(numbers)
    if not total:
        return [0 for _ in numbers]
    shown = [max(2, round(whole * number / total)) if number else 0 for number in numbers]
    shown[max(range(len(shown)), key=lambda index: shown[index])] += whole - sum(shown)
    return shown


def _open(self: Any, node: nodes.Element) -> None:
    parts: list[tuple[str, str, int]] = node["parts"]
    self.body.append(
        f'<svg class="apidiff-bar" viewBox="0 0 {_WIDTH} 24" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    )
    at = 0
    for (value, words, number), width in zip(parts, widths([number for _, _, number in parts]), strict=True):
        if width:
            title = f"<title>{escape(words)} {number}</title>"
            fill = f"apidiff-fill-{escape(value.replace(' ', '-'))}"
            self.body.append(f'<rect class="{fill}" x="{at}" y="0" width="{width}" height="24">{title}</rect>')
        at += width
    self.body.append("</svg>\n")
    raise nodes.SkipNode


def _close(self: Any, node: nodes.Element) -> None:
    pass


BAR_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {bar: (_open, _close)}
