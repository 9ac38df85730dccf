"""Search results for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text as Line

from apidiff.lookup.answer import SearchResult
from apidiff.messages.labels import Language, label
from apidiff.model import Text
from apidiff.writers.terminal_lines import indent, prose, risk_style

_WORDS = {
    "corrected": Text(
        en="No exact match for {typed!r}; searched for {name!r}.", zh="没有找到 {typed!r}，已改为搜索 {name!r}。"
    ),
    "nothing": Text(en="Nothing was found for {words!r}.", zh="没有找到与 {words!r} 相关的内容。"),
}


def search_text(result: SearchResult, language: Language) -> RenderableType:
    """What was found, best first, each mapping with its best passages."""
    blocks: list[RenderableType] = [
        Line(_words("corrected", language).format(typed=typed, name=name), style="yellow")
        for typed, name in result.corrected.items()
    ]
    for found in result.results:
        title = Line.assemble(
            (found.id, "bold"), "  ", (f"[{label(f'risk.{found.risk}', language)}]", risk_style(found.risk))
        )
        blocks.append(title)
        blocks.append(indent(prose(found.summary, language)))
        for match in found.matches:
            if match.kind != "summary":
                risk = f"[{label(f'risk.{match.risk}', language)}] " if match.risk not in {None, "none"} else ""
                line = Line.assemble("• ", (risk, risk_style(match.risk or "none")), prose(match.text, language))
                blocks.append(indent(line, 2))
                blocks.append(indent(Line(match.ref, style="dim"), 4))
    if not result.results:
        blocks.append(Line(_words("nothing", language).format(words=result.words)))
    return Group(*blocks)


def _words(key: str, language: Language) -> str:
    return _WORDS[key].en if language == "en" else _WORDS[key].zh
