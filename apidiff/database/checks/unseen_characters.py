"""Characters that cannot be seen, in files of the data whose texts pages show; of YAML the reader refuses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from apidiff.database.paths import conf_file
from apidiff.database.regular_files import read_text
from apidiff.database.unseen import unseen_in
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files

_OF_DATA = [("", "*.json"), ("", "*.txt"), ("signatures", "*.json"), ("upstream", "*.csv")]
_OF_CONF = ["backends.toml", "single.toml", "signers.toml"]
# As JSON and TOML may write a character; a backslash that is escaped itself escapes nothing behind it.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_SHORT = {"b": "\b", "f": "\f", "r": "\r", "e": "\x1b"}


def no_unseen_characters(root: Path, examples: Path) -> Iterator[DataError]:
    """Every line with one in files below ``root``, in those of conf/ and in the scripts in ``examples``.

    What cannot be read others tell.
    """
    folders = [*((root / folder, names) for folder, names in _OF_DATA), (examples, "**/*.py")]
    files = [file for folder, names in folders for file in visible_files(folder, names, [])]
    for file in [*files, *map(conf_file, _OF_CONF)]:
        with suppress(OSError, UnicodeDecodeError):
            yield from _in_file(file, read_text(file))


def _in_file(file: Path, text: str) -> Iterator[DataError]:
    has_escapes = file.suffix in {".json", ".toml"} and "\\" in text
    if unseen_in(text.replace("\r\n", "\n")) is None and not has_escapes:
        return
    for number, line in enumerate(text.split("\n"), 1):
        shown = _ESCAPE.sub(_character, line) if has_escapes else line
        if found := unseen_in(shown.removesuffix("\r")):
            yield DataError(file, number, found, "Take it out, or restore the file from version control.", Damage.FORM)


def _character(escape: re.Match[str]) -> str:
    if code := escape[1] or escape[2]:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else ""
    return _SHORT.get(escape[3], "")
