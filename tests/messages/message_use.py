"""Finds what is wrong with messages: by the messages themselves and by the code that names and fills them.

A message is used if its key stands in code as it is; if code makes keys of its prefix (``f"column.{name}"``) and the same
module holds the rest of it as a literal; or if it belongs to a family whose values are enumerated in code (`FAMILIES`).
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from apidiff.model.base import Text

CHINESE = re.compile("[一-鿿]")
# Words that Chinese readers write as they are.
NAMES = {
    *("PyTorch", "MindSpore", "API", "Python", "apidiff", "torch", "rank", "world", "size", "len", "dir", "minisign"),
    *("CPU", "GPU", "Ascend"),
}
# Functions that fill a message in: the key first, then its values by name.
FILLERS = {"label", "filled", "words", "word", "sentence", "command", "fill"}
# Those, and what `_fill` looks into besides.
_FILLING = FILLERS | {"evidence"}
# Functions that name a message by its family and its value.
NAMERS = {"badge", "words_of", "named"}


def placeholders(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def of_one_language(messages: Mapping[str, Text]) -> Iterator[str]:
    """Messages that lack a language, or that say in both languages other things or fill in other values."""
    for key, text in messages.items():
        if not text.en or CHINESE.search(text.en):
            yield f"{key}: no English"
        rest = re.sub(r"\{[^}]*\}|`[^`]*`", " ", text.zh)
        if not text.zh or (not CHINESE.search(rest) and set(re.findall("[A-Za-z]{2,}", rest)) - NAMES):
            yield f"{key}: no Chinese"
        if placeholders(text.en) != placeholders(text.zh):
            yield f"{key}: the languages fill in different values"


@dataclass
class Module:
    """What one module names: literals, prefixes of keys that it makes, and calls that fill messages in."""

    literals: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)
    fills: list[tuple[set[str], str | None, set[str]]] = field(default_factory=list)  # keys, or a prefix; names given


def read_module(source: str) -> Module:
    """What a Python module names."""
    found, tree = Module(), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.literals.add(node.value)
        elif isinstance(node, ast.JoinedStr) and (prefix := _prefix(node)):
            found.prefixes.add(prefix)
        elif isinstance(node, ast.Call) and _called(node) in NAMERS and isinstance(node.args[0], ast.Constant):
            found.prefixes.add(f"{node.args[0].value}.")
    constants = {name: values for name, values in _assigned(tree).items() if name.isupper()}
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef):
            calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call) and _called(node) in _FILLING]
            assigned = constants | _assigned(scope) if calls else {}
            for node in calls:
                found.fills += _fill(node, assigned)
    return found


def read_text(source: str) -> Module:
    """What a template or a script names: its quoted words."""
    found = Module({word for _, word in re.findall(r"""(["'])([\w. ]+)\1""", source)})
    found.prefixes = set(re.findall(r"`([a-z_.]+\.)\$\{", source))
    return found


def _prefix(node: ast.expr) -> str | None:
    """``fact.`` of ``f"fact.{code}"``."""
    if isinstance(node, ast.JoinedStr) and node.values and isinstance(first := node.values[0], ast.Constant):
        text = str(first.value)
        return text if re.fullmatch(r"[a-z_]+(\.[a-z_]+)*\.", text) else None
    return None


def _assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """The values that names of a function or of a module may have."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, []).append(value)
    return found


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _fill(node: ast.Call, assigned: dict[str, list[ast.expr]]) -> Iterator[tuple[set[str], str | None, set[str]]]:
    """The keys that a call fills in, and the names of the values it gives."""
    called = _called(node)
    names = {keyword.arg for keyword in node.keywords if keyword.arg}
    key: ast.expr | None = None
    if called in _FILLING and node.args:
        key = node.args[0]
    if key is None or any(keyword.arg is None for keyword in node.keywords):
        return
    if called in {"label", "word"} and not names:  # as it is, for a script
        return
    for value in _values(key, assigned):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield {value.value}, None, names
        elif (
            isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "EvidenceCode"
        ):
            yield {f"fact.{value.attr.lower()}"}, None, names
        elif prefix := _prefix(value):
            yield set(), prefix, names


def _values(key: ast.expr, assigned: dict[str, list[ast.expr]]) -> Iterator[ast.expr]:
    match key:
        case ast.IfExp(body=body, orelse=other):
            yield from (*_values(body, assigned), *_values(other, assigned))
        case ast.Name(id=name):
            for value in assigned.get(name, []):
                yield from _values(value, {})
        case ast.Subscript(value=ast.Name(id=name)):
            for value in assigned.get(name, []):
                yield from value.values if isinstance(value, ast.Dict) else ()
        case _:
            yield key


def unused(
    messages: Iterable[str],
    modules: Iterable[Module],
    families: Mapping[str, Iterable[str]],
    elsewhere: Mapping[str, Module],
) -> Iterator[str]:
    """Keys that no code names. ``families``: prefix → its values; ``elsewhere``: prefix → what else names its keys."""
    modules = list(modules)
    literals = {literal for module in modules for literal in module.literals}
    made = {prefix for module in modules for prefix in module.prefixes}
    known = {f"{family}.{value}" for family, values in families.items() for value in values if f"{family}." in made}
    for key in messages:
        heads = [head for head in _heads(key) if head.removesuffix(".") not in families]
        if (
            key not in literals
            and key not in known
            and not any(_named(key, module, heads) for module in modules)
            and not any(_named(key.removeprefix(head), elsewhere[head]) for head in heads if head in elsewhere)
        ):
            yield f"{key}: unused"


def _heads(key: str) -> list[str]:
    parts = key.split(".")
    return [".".join(parts[:number]) + "." for number in range(1, len(parts))]


def _named(key: str, module: Module, heads: Iterable[str] | None = None) -> bool:
    """Whether a module has the key as a literal, or makes keys of its prefix and has the rest as a literal."""
    heads = _heads(key) if heads is None else heads
    return key in module.literals or any(
        head in module.prefixes and key.removeprefix(head) in module.literals for head in heads
    )


def badly_filled(
    messages: Mapping[str, Text], modules: Iterable[Module], families: Mapping[str, Iterable[str]]
) -> Iterator[str]:
    """Messages that some code fills with other values than they have placeholders for."""
    given: dict[str, list[set[str]]] = {}  # by family, or by key where code makes a key of a prefix and of its literals
    literally = set()
    for module in modules:
        for keys, prefix, names in module.fills:
            for key in keys & messages.keys():
                literally.add(key)
                if (wanted := placeholders(messages[key].en)) != names:
                    yield f"{key}: has {sorted(wanted)}, is given {sorted(names)}"
            if prefix and prefix.removesuffix(".") in families:
                given.setdefault(prefix, []).append(names)
            elif prefix:
                for key in messages:
                    if key.startswith(prefix) and key.removeprefix(prefix) in module.literals:
                        given.setdefault(key, []).append(names)
    for head, ways in given.items():
        family = {key: placeholders(text.en) for key, text in messages.items() if key.startswith(head)}
        for key, wanted in family.items():
            if key not in literally and not any(wanted <= names for names in ways):
                yield f"{key}: has {sorted(wanted)}, is given {[sorted(names) for names in ways]}"
        for name in set().union(*ways) - set().union(*family.values()):
            yield f"{head}: is given {name}, which none has"
