"""Puts a heavy page together again, as its script does: each part in the place of the link that leads to it."""

from __future__ import annotations

import re
from pathlib import Path

_LINE = re.compile(r'<p class="apidiff-part">(.*?)</p>', re.DOTALL)
_LINK = re.compile(r'href="([^"]+\.part-\d+\.html)#(part-\d+)"')
_PART = re.compile(r'<section id="(part-\d+)">\n<h2>.*?</h2>\n')


def whole_page(page: Path) -> str:
    """The text of the page with all of its parts."""

    def parts_of(name: str) -> dict[str, str]:
        text = (page.parent / name).read_text("utf-8").partition("\n</main>")[0]
        pieces = _PART.split(text)
        return {
            number: text.rstrip().removesuffix("</section>")
            for number, text in zip(pieces[1::2], pieces[2::2], strict=True)
        }

    def filled(text: str) -> str:
        return _LINE.sub(
            lambda line: "".join(filled(parts_of(name)[number]) for name, number in _LINK.findall(line[1])), text
        )

    return filled(page.read_text("utf-8"))
