"""The messages are all there, and code fills them in: no page or answer is the first to find one missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from apidiff.database.paths import PACKAGE
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files
from apidiff.model.base import Text

FILES = {
    *("agreement", "census", "claims", "code_comments", "condition_figures", "conditions", "coverage"),
    *("differences", "documents", "evidence", "evidence_pages", "exports", "first_screen", "headlines"),
    *("history", "home", "names", "pages", "picture", "port", "porting", "runs", "scan", "search", "servers"),
    *("shell", "sweeps", "synonyms", "terminal", "upstream_tables", "versions"),
}
_REMEDY = "It is a part of apidiff: take it from git, or reinstall apidiff."
_NAMING = ("label", "filled", "joined", "word", "words", "sentence", "command")
# A key as calls name it, whole, or the front of one that code completes: label("scan.title", filled(f"risk.{.
_NAMED = re.compile(rf'\b(?:{"|".join(_NAMING)})\(\s*(?:"([a-z_]+\.[\w.]+)"|f"([a-z_]+\.)\{{)')
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def messages_are_there(folder: Path, keys: Collection[str]) -> Iterator[DataError]:
    """Every file of messages that is missing; where all are there, every key that code names and that no file has.

    ``keys``: those of the files in ``folder``.
    """
    missing = [path for name in sorted(FILES) if not (path := folder / f"{name}.yaml").is_file()]
    for path in missing:
        yield DataError(path, None, "is missing", _REMEDY, Damage.UNREADABLE)
    if missing:  # its keys would be told one by one
        return
    families = {key.partition(".")[0] for key in keys}
    for key, module in sorted(named_keys().items()):
        there = key[:-1] in families if key.endswith(".") else key in keys
        if not there:
            found = f"'{key}{'*' if key.endswith('.') else ''}', which {module} names, is in none of its files"
            yield DataError(folder, None, found, _REMEDY, Damage.UNREADABLE)


def named_keys() -> dict[str, str]:
    """Keys that modules of the package name, and families (``risk.``), with one module that does."""
    return {
        key or family: path.relative_to(PACKAGE).as_posix()
        for path in visible_files(PACKAGE, "**/*.py")
        for key, family in _NAMED.findall(path.read_text("utf-8"))
    }


def placeholders_are_filled(folder: Path, messages: Mapping[str, Text]) -> Iterator[DataError]:
    """Every placeholder for which a module that names the message gives no value, where both can be read from the call."""
    for key, given, module in _fillings():
        text = messages.get(key)
        for name in sorted(set(_PLACEHOLDER.findall(f"{text.en} {text.zh}")) - given) if text else ():
            found = f"'{key}' has the placeholder {{{name}}}, for which {module} gives no value"
            yield DataError(folder, None, found, _REMEDY, Damage.UNREADABLE)


def _fillings() -> Iterator[tuple[str, set[str], str]]:
    """The key, the names of values and the module of calls that name a message and say all that it is filled in with."""
    for path in visible_files(PACKAGE, "**/*.py"):
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if _NAMED.search(source) else ():
            match node:
                case ast.Call(
                    func=ast.Name(id=called) | ast.Attribute(attr=called),
                    args=[ast.Constant(value=str(key)), *_],
                    keywords=values,
                ) if called in _NAMING and all(value.arg for value in values):
                    yield key, {str(value.arg) for value in values}, path.relative_to(PACKAGE).as_posix()
