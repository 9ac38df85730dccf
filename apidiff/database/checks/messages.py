"""The messages are all there, and code fills them in: no page or answer is the first to find one missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from apidiff.database.paths import DATA, PACKAGE
from apidiff.database.regular_files import read_text
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files
from apidiff.model.base import Text
from apidiff.model.python_tree import NO_PYTHON, python_tree

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
# Whose words are handed to the scripts of the pages with their placeholders.
_FILLED_BY_SCRIPTS = {"chooser", "search", "site", "table"}
_WHOLE = re.compile(r"[a-z_]+\.[\w. ]+")
_FRONT = re.compile(r"[a-z_]+\.")
_KEY = re.compile(r"""["'][a-z_]+\.""")
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
    return {key or family: module for module, source in _modules() for key, family in _NAMED.findall(source)}


def _modules() -> Iterator[tuple[str, str]]:
    """The modules of the package with their code; what lies in the data is none. Raises DataError for what cannot be read."""
    for path in visible_files(PACKAGE, "**/*.py"):
        if not path.is_relative_to(DATA):
            try:
                yield path.relative_to(PACKAGE).as_posix(), read_text(path)
            except (OSError, UnicodeDecodeError) as error:
                raise DataError(path, None, f"cannot be read ({error})", _REMEDY, Damage.UNREADABLE) from error


def placeholders_are_alike(folder: Path, messages: Mapping[str, Text]) -> Iterator[DataError]:
    """Every placeholder that a message has in one language only: in the other what it stands for is not said."""
    for key, text in messages.items():
        english, chinese = (set(_PLACEHOLDER.findall(words)) for words in (text.en, text.zh))
        for name in sorted(english ^ chinese):
            language = "English" if name in english else "Chinese"
            found = f"'{key}' has the placeholder {{{name}}} in {language} alone"
            yield DataError(folder, None, found, f"Write it in both languages. {_REMEDY}", Damage.UNREADABLE)


def placeholders_are_filled(folder: Path, messages: Mapping[str, Text]) -> Iterator[DataError]:
    """Every placeholder for which a module that names the message gives no value, where that can be read from the code.

    Of a key that code makes up, as of ``risk.silent``, one of the calls that may make it has to give the value.
    """
    namings = list(_namings())
    whole = {naming.key for naming in namings if naming.is_whole}
    families = [(re.compile(naming.key), naming) for naming in namings if not naming.is_whole]
    for naming in namings:
        if naming.is_whole and naming.given is not None and (text := messages.get(naming.key)):
            yield from _unfilled(folder, naming.key, text, naming.given, naming.module)
    for key, text in messages.items():
        if key in whole or "{" not in f"{text.en}{text.zh}":
            continue
        makers = [naming for family, naming in families if family.fullmatch(key)]
        given = [naming.given for naming in makers if naming.given is not None]
        if makers and len(given) == len(makers) and key.partition(".")[0] not in _FILLED_BY_SCRIPTS:
            yield from _unfilled(folder, key, text, set().union(*given), makers[0].module)


def _unfilled(folder: Path, key: str, text: Text, given: set[str], module: str) -> Iterator[DataError]:
    for name in sorted(set(_PLACEHOLDER.findall(f"{text.en} {text.zh}")) - given):
        found = f"'{key}' has the placeholder {{{name}}}, for which {module} gives no value"
        yield DataError(folder, None, found, _REMEDY, Damage.UNREADABLE)


class _Naming(NamedTuple):
    """A key that a module names whole, or a pattern of those that it makes up in a call.

    ``given``: the names of the values that the call fills the message in with; None where the code does not tell.
    """

    key: str
    is_whole: bool
    given: set[str] | None
    module: str


def _namings() -> Iterator[_Naming]:
    for module, source in _modules():
        if _KEY.search(source):
            nodes = list(ast.walk(_tree(module, source)))
            given = dict(pair for node in nodes for pair in _givings(node))
            for node in nodes:
                match node:
                    case ast.Constant(value=str(key)) if _WHOLE.fullmatch(key):
                        yield _Naming(key, True, given.get(id(node)), module)
                    case ast.JoinedStr(values=[ast.Constant(value=str(front)), *_]) if id(
                        node
                    ) in given and _FRONT.match(front):
                        yield _Naming(_family(node), False, given[id(node)], module)


def _tree(module: str, source: str) -> ast.Module:
    try:
        return python_tree(source)
    except NO_PYTHON as error:
        raise DataError(PACKAGE / module, None, f"is no Python ({error})", _REMEDY, Damage.UNREADABLE) from error


def _givings(node: ast.AST) -> Iterator[tuple[int, set[str] | None]]:
    """The texts by which a call may name a message, by their identity, with the names of the values that it gives."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[key, *_], keywords=values) if (
            called in _NAMING
        ):
            given = {str(value.arg) for value in values} if all(value.arg for value in values) else None
            yield from ((id(one), given) for one in ([key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]))
        case ast.Subscript(value=ast.Name(id="LABELS"), slice=key):
            yield id(key), set()


def _family(text: ast.JoinedStr) -> str:
    """What the keys match that are made up so: ``f"risk.{risk}"``."""
    return "".join(re.escape(str(one.value)) if isinstance(one, ast.Constant) else r"[\w.]+" for one in text.values)
