"""Finds the lines of a document at whose end a comment may stand."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Mapping
from functools import lru_cache

from apidiff.model.bounded_tokens import bounded_tokens
from apidiff.porting.source_text import MARKDOWN, Block, UnreadableSource, parse_text
from apidiff.porting.text_scan import LONGEST_LINE

_ENDS = {tokenize.NL, tokenize.NEWLINE}


@lru_cache(4)  # an editor asks with each move of the cursor
def comment_places(text: str, kind: str) -> Mapping[int, int | None]:
    """Line → where its comment begins, counted from 0, or None where it has none.

    Lines that end within a string, or behind a backslash, are left out, and what no token tells of.

    Args:
        text: the document, with lines that end in a line feed.
        kind: of it, as `kind_of` tells.
    """
    if kind != MARKDOWN:
        return dict(_of_block(Block(text)))
    try:
        parsed, _ = parse_text(text, kind)
    except UnreadableSource:
        return {}
    return dict(place for part in parsed for place in _of_block(part.block))


def _of_block(block: Block) -> Iterator[tuple[int, int | None]]:
    lines = block.text.split("\n")
    # Lines that are too long are passed over where a document is analysed.
    read = (f"{line}\n" if len(line) <= LONGEST_LINE else "pass\n" for line in lines)
    comment: int | None = None
    within = 0  # strings whose parts are tokens, from Python 3.12 on
    try:
        for token in bounded_tokens(read.__next__):
            number, column = token.start
            kind = tokenize.tok_name[token.type]
            within += (kind == "FSTRING_START") - (kind == "FSTRING_END")
            if token.type == tokenize.COMMENT:
                comment = column
            elif token.type in _ENDS:
                if not within and number <= len(lines) and len(lines[number - 1]) <= LONGEST_LINE:
                    shift = block.shifts[number - 1] if number <= len(block.shifts) else 0
                    yield block.first + number - 1, comment if comment is None else comment + shift
                comment = None
    except (tokenize.TokenError, SyntaxError, ValueError):  # half typed: of what follows nothing is known
        return
