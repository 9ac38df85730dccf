"""Writes which part of a document states something: 'parameters/1' as a reader names it."""

from __future__ import annotations

from itertools import pairwise

from apidiff.messages.labels import LABELS, joined, spaced
from apidiff.model.base import Text

# The parts of documents that have a name of their own; other steps are names of APIs and parameters, or numbers.
PARTS = (
    *("parameters", "returns", "raises", "note", "members", "examples", "platforms", "inputs", "outputs"),
    *("signatures", "summary", "report", "pytorch", "mindspore"),
)


def part_text(part: str) -> Text:
    """A part in both languages: ``broadcast/parameters/src`` is "`broadcast`, parameter `src`"."""
    steps = part.split("/")
    pieces: list[Text] = []
    for before, step in pairwise(["", *steps]):
        if before in PARTS and pieces:  # the number or the name of what stands before
            last = pieces.pop()
            named = step if step.isdigit() else f"`{step}`"
            pieces.append(spaced(Text(en=f"{last.en} {named}", zh=f"{last.zh} {named}")))
        else:
            pieces.append(LABELS[f"part.{step}"] if step in PARTS else Text(en=f"`{step}`", zh=f"`{step}`"))
    return joined("site.pause", pieces)
