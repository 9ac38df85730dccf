"""Errors a user can meet. ``str(error)`` is one sentence: where, what was found, what to do."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

# Controls, marks of direction and the like, halves of characters (of a file's name that is no UTF-8), ends of lines.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_LONGEST_NAME = 120  # characters of a name that was typed, as an error repeats it
_MOST_TOLD = 5000  # errors
_LONGEST = 2000  # characters of what an error says was found, and of its remedy: a file may hold a name of megabytes


# What msgspec says of a name or a tag that it does not know, which it does not quote; behind it the place, by our own names.
_UNKNOWN = re.compile(
    r"(?P<what>Object contains unknown field|Invalid value) [`'](?P<name>.*?)[`'](?P<at> - at `\$(\.\w+|\[[\d.]*\])*`)?",
    re.DOTALL,
)
_BEGINS_ORDER = re.compile(r"^([^\S\n]*)::", re.MULTILINE)
_PLAIN = re.compile(r"[\w.-]+", re.ASCII)  # such a name ends no quote, and says nothing


class ApidiffError(Exception):
    """The base of all errors that are told to the user as one sentence; the command ends with exit code 2.

    ``lines``: the sentence, or several, each on a line of its own. No name in one begins another line: it may be a stranger's.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*map(printable, lines))

    def __str__(self) -> str:
        return "\n".join(self.args)

    def __reduce__(self) -> tuple[object, ...]:  # between processes: each kind is made of something else
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[ApidiffError], lines: tuple[str, ...]) -> ApidiffError:
    return kind.__new__(kind, *lines)


class Damage(Enum):
    """Why a data file cannot be used, as pages say it in both languages; `str` of the error says it exactly, in English."""

    UNREADABLE = "unreadable"
    ENCODING = "encoding"
    SYNTAX = "syntax"
    SIZE = "size"
    TOO_MANY = "too_many"
    FORM = "form"
    CHANGED = "changed"
    NAME = "name"
    SHARED_ID = "shared_id"
    IMPOSSIBLE = "impossible"
    NOT_JUDGED = "not_judged"
    RULE = "rule"


def printable(text: str) -> str:
    """``text`` in which what strangers named neither breaks the line, nor gives orders, nor is impossible to encode."""
    text = without_orders(text)
    if text.isprintable():
        return text
    import unicodedata  # no command needs it where nothing is wrong

    return "".join(
        one.encode("unicode_escape").decode() if unicodedata.category(one) in _UNSEEN else one for one in text
    )


def without_orders(text: str) -> str:
    """``text`` in which nothing is an order to GitHub: that does what a line says that begins with ``::`` or holds ``##[``."""
    return _BEGINS_ORDER.sub(r"\1\\x3a:", text.replace("##[", "#\\x23["))


def shortened(text: str) -> str:
    """``text`` without its middle, where an error that repeated it whole would fill the screen or the log."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def typed(name: str) -> str:
    """The ``name`` that a user typed, in quotes, for an error that it is unknown: one that is long only by its beginning."""
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…")


def decoding_fault(error: Exception) -> str:
    """What is wrong with a file of a stranger, as msgspec says it, with names of the file in quotes that they cannot end."""
    found = _UNKNOWN.fullmatch(str(error))
    if found is None or _PLAIN.fullmatch(found["name"]):
        return str(error)
    return f"{found['what']} {typed(found['name'])}{found['at'] or ''}"


class DataError(ApidiffError):
    """A data file that cannot be used: names file and line, what was found, and the remedy, both shortened."""

    def __init__(
        self, path: Path | str, line: int | None, found: str, remedy: str, damage: Damage = Damage.RULE
    ) -> None:
        found, remedy = shortened(found), shortened(remedy)
        self.path, self.line, self.found, self.remedy, self.damage = Path(path), line, found, remedy, damage
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {found.rstrip('.')}. {remedy}")

    def without_frames(self) -> DataError:
        """The error to keep: the frames that it was raised in hold all that was read there."""
        self.__traceback__ = self.__cause__ = self.__context__ = None
        return self


class InvalidData(ApidiffError):
    """Several data errors found in one pass; lists them, one a line, and how many more there are than anybody reads."""

    def __init__(self, errors: list[DataError]) -> None:
        self.errors = errors
        more = len(errors) - _MOST_TOLD
        super().__init__(*map(str, errors[:_MOST_TOLD]), *([f"and {more} more errors"] if more > 0 else []))


def reinstall(path: Path, found: str = "is missing or damaged") -> DataError:
    """What is said of a file of the package that no user writes, and that cannot be used."""
    return DataError(path, None, found, "Restore it from version control, or reinstall apidiff.", Damage.UNREADABLE)
