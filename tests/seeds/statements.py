"""Splits a seed document into its statements: parameter rows, return rows and sentences of the two descriptions.

A statement's key is what a claim's ``stated.part`` names: ``pytorch/2`` (second sentence on PyTorch), ``mindspore/1``,
``parameters/4`` (fourth parameter row), ``returns/1``.
"""

from __future__ import annotations

import re

_DESCRIPTION = re.compile(
    r"(?:^|\s)(PyTorch|MindSpore)\s*[:：]\s*(.*?)(?=\s(?:MindSpore|PyTorch)\s*[:：]|\s\|\s)", re.DOTALL
)
_HEADING = re.compile(r"##\s*(?:Differences|Usage|差异对比)")
_TABLE = re.compile(r"\|\s*(?:Class|Category|分类)\s*\|")
_SENTENCE = re.compile(r"(?<=[.。])(?=\s|`|$|[A-Z][a-z]|[^\x00-\x7f])")
_ROW = re.compile(
    r"\|\s*(?:Parameters?|Returns|参数|返回值)?\s*\|\s*(?:(?:Parameter|参数)\s*(?P<number>\d+)|Single return|单返回值)\s*"
    r"\|(?P<source>[^|]*)\|(?P<target>[^|]*)\|(?P<difference>[^|]*)\|"
)


def statements(text: str) -> dict[str, str]:
    """Every statement of a seed by its key, in the order of the document."""
    body = text[_HEADING.search(text).end() :]
    table = _TABLE.search(body)
    found: dict[str, str] = {}
    for side, description in _DESCRIPTION.findall(body[: table.start()] + " | "):
        sentences = [part.strip() for part in _SENTENCE.split(description) if part.strip()]
        found |= {f"{side.lower()}/{number}": sentence for number, sentence in enumerate(sentences, 1)}
    for row in _ROW.finditer(body, table.start()):
        cells = [row[cell].strip() for cell in ("source", "target", "difference")]
        found[f"parameters/{row['number']}" if row["number"] else "returns/1"] = " | ".join(cells)
    return found
