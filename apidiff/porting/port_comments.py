"""Writes comments for the reader of ported code: what is left to do, what an edit depends on, and those that edits would lose."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from apidiff.messages.labels import filled
from apidiff.model.base import Language, Text
from apidiff.porting.changes import Change, PortOptions
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import WIDEST, CodeText, Edit
from apidiff.porting.judgement import Label

_MOST = 2  # headlines that a comment holds


class PortComments:
    """Writes the comments of one text."""

    def __init__(self, code: CodeText, anchors: CodeAnchors, options: PortOptions, encoding: str = "utf-8") -> None:
        self._code, self._anchors, self._options, self._encoding = code, anchors, options, encoding

    def edits(self, changes: Sequence[Change]) -> Iterator[Edit]:
        """Comments above the statements of what is manual, of edits that were made with conditions, and those within edits."""
        wanted: dict[int, dict[str, str]] = {}
        for one in changes:
            for lost in self._lost(one):
                wanted.setdefault(self._anchors.anchor(one.line), {})[lost] = lost
            if one.state == "manual" or (one.state == "made" and one.label == Label.UNSAFE.value):
                anchor = self._anchors.anchor(one.line)
                start = f"# apidiff {one.label}: {one.source}"
                if not self._anchors.has_comment(anchor, start):
                    wanted.setdefault(anchor, {}).setdefault(start, self._comment(one))
        end = self._code.newline()
        for line, comments in wanted.items():
            place = self._code.line_start(line)
            indent = self._anchors.indent(line)[:WIDEST]
            yield Edit(place, place, "".join(f"{indent}{text}{end}" for text in comments.values()))

    def _lost(self, one: Change) -> Iterator[str]:
        """The comments in the text that a change takes away."""
        for edit in one.edits if one.state == "made" else ():
            yield from (text for text in self._code.comments(edit.start, edit.end) if text not in edit.text)

    def _comment(self, one: Change) -> str:
        """The comment on a change in words that the encoding of the file holds: those asked for, else plain English."""
        text = self._said_in(self._options.language, one)
        if self._holds(text):
            return text
        text = unicodedata.normalize("NFKD", self._said_in("en", one))  # three dots for an ellipsis
        return text if self._holds(text) else text.encode("ascii", "backslashreplace").decode()

    def _holds(self, text: str) -> bool:
        try:
            return text.encode(self._encoding).decode(self._encoding) == text
        except UnicodeError:
            return False

    def _said_in(self, language: Language, one: Change) -> str:
        why = _listed(one.why).said_in(language)
        if one.guide is not None and one.state == "manual":
            address = f"{self._options.site}guide/code.html#guide-code-{one.guide}"
        else:
            address = one.help.said_in(language) if one.help is not None else ""
        if address:
            why += filled("porting.address", address=address).said_in(language)
        if one.state == "made":
            text = filled(
                "porting.comment_edited", label=one.label, source=one.source, target=one.target or "", text=why
            )
        else:
            text = filled("porting.comment", label=one.label, source=one.source, text=why)
        return " ".join(text.said_in(language).split())


def _listed(texts: Sequence[Text]) -> Text:
    return Text(
        en="; ".join(text.en for text in texts[:_MOST]) or "-", zh="；".join(text.zh for text in texts[:_MOST]) or "-"
    )
