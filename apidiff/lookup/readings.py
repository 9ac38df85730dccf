"""What the words of a query may mean: everyday names, such as 'point to point' or 广播, stand for names of APIs.

The browser reads a query in the same way: ``conf/elements/src/search/readings.ts``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from apidiff.lookup.tokens import PART, is_chinese, pieces, query_words

# Words that are in every text and tell none from another.
EMPTY = """
    a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no
    not of on or so such than that the their them then there these they this those to was we were what when where which
    who why will with would you your
""".split()  # noqa: SIM905 - a list of them would be a page long
_EMPTY = frozenset(EMPTY)


class Reading(NamedTuple):
    """A word or phrase of a query. ``words``: as `query_words` cuts it; ``means``: words of API names that it stands for."""

    words: list[str]
    means: list[str]


def readings(text: str, everyday: Mapping[str, Sequence[str]]) -> list[Reading]:
    """The words and phrases of ``text``. ``everyday``: everyday names with what they mean, the longest of which is taken."""
    return [Reading(query_words(said), list(everyday.get(key, ()))) for said, key in _apart(pieces(text), everyday)]


def telling(words: list[str]) -> list[str]:
    """The words that tell one text from another."""
    return [word for word in words if word not in _EMPTY]


def name_query(name: str) -> str:
    """What finds the names that are ``name`` or have it as a part, for FTS5."""
    parts = [part.lower() for part in PART.findall(name)]
    return f'"{name.lower()}" OR "{" ".join(parts)}"' if len(parts) > 1 else f'"{name.lower()}"'


def _apart(found: list[str], everyday: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Each word or phrase as it is typed and as it is looked up."""
    longest = max((name.count(" ") + 1 for name in everyday), default=1)
    start = 0
    while start < len(found):
        if is_chinese(found[start]):
            yield from ((part, part) for part in _run(found[start], everyday))
            start += 1
            continue
        for end in range(min(start + longest, len(found)), start, -1):
            key = " ".join(found[start:end]).replace("_", " ").lower()
            if key in everyday or end == start + 1:
                yield " ".join(found[start:end]), key
                start = end
                break


def _run(run: str, everyday: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The everyday names in a run of Chinese, and what stands between them."""
    start = rest = 0
    while start < len(run):
        end = next((end for end in range(len(run), start, -1) if run[start:end] in everyday), start)
        if end > start:
            if rest < start:
                yield run[rest:start]
            yield run[start:end]
            start = rest = end
        else:
            start += 1
    if rest < len(run):
        yield run[rest:]
