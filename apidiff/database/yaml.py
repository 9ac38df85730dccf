"""Reads YAML into records and knows the line of every value, so that an error can name it."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import yaml

from apidiff.database.regular_files import read_regular
from apidiff.database.unseen import unseen_in
from apidiff.errors import Damage, DataError

T = TypeVar("T")

MAX_DEPTH = 60  # of values within values
_SAFE_DEPTH = 3000  # levels that LibYAML builds in any thread
_DEEP_LINE = re.compile(rf"^[ \t?:-]{{{_SAFE_DEPTH},}}", re.MULTILINE)
_MOST_REPEATED = 1000  # values
_INTEGERS = range(-(2**63), 2**64)  # those that msgpack, which records and the index are kept in, has room for
_LONGEST_INTEGER = 100  # characters: PyYAML takes minutes for one of thousands of parts, as 1:1:1
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LEVEL = "Mend the indentation: items of a list, and keys of a record, begin in the same column as those "
"above them; and nothing stands behind a closing quote."
# What LibYAML finds where a line begins in the wrong column, and what to do.
_SYNTAX_REMEDIES = {
    "did not find expected '-' indicator": _LEVEL,
    "did not find expected key": _LEVEL,
    "found a tab character that violates indentation": "Mend the indentation: write spaces in place of tabs.",
    "found character that cannot start any token": "Indent by spaces, not tabs; put text that begins with @, ` or % in quotes.",
    "mapping values are not allowed in this context": "Mend the indentation: the line above has a value, so this key begins in "
    "its column; or put text that holds ': ' in quotes.",
}
Place = tuple[str | int, ...]
Lines = dict[Place, int]


class Bounds(NamedTuple):
    """What a file may hold at most; what goes through its lists, and through each for each of another, ends soon."""

    size: int  # bytes; the tree of a file takes 250 times its room
    values: int  # with all lists and mappings
    items: int  # of one list or mapping
    text: int = 5_000  # characters of a text: the longest has a tenth of that
    key: int = 200  # characters of a key: the longest has a third of that


FILE = Bounds(2**19, 15_000, 1_500)  # the largest: 70 kB, 3,500 values, 570 items
RECORD = Bounds(2**17, 5_000, 100)  # the largest: 17 kB, 1,200 values, 36 items


def read_yaml(path: Path, kind: type[T]) -> tuple[T, Lines]:
    """The record of type ``kind`` in ``path``, and the line of every value by its path of keys and indexes.

    Raises DataError for broken YAML, a key given twice, an unknown key, a missing key or a value of the wrong type.
    """
    record, _, lines = read_yaml_plain(path, kind)
    return record, lines


def read_yaml_plain(path: Path, kind: type[T], bounds: Bounds = FILE) -> tuple[T, Any, Lines]:
    """What `read_yaml` returns, with the plain data that the record was made of between the two."""
    try:
        content = read_regular(path, bounds.size + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it exists and is readable.", Damage.UNREADABLE
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(path, line, "is not UTF-8 text", "Save it as UTF-8.", Damage.ENCODING) from error
    if len(content) > bounds.size:
        found = f"is larger than {bounds.size // 2**10} KiB"
        raise DataError(path, None, found, "Write it as several files.", Damage.SIZE)
    _refuse_deep(path, text)
    lines: Lines = {}
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        plain = _Constructor(path, loader, lines, bounds).plain(node, ()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or ""
        found = f"broken YAML: {problem}"
        remedy = _SYNTAX_REMEDIES.get(problem, "Mend the syntax at or above this line.")
        raise DataError(path, mark.line + 1 if mark else None, found, remedy, Damage.SYNTAX) from error
    except yaml.YAMLError as error:
        raise DataError(path, None, f"broken YAML: {error}", "Mend the syntax.", Damage.SYNTAX) from error
    except RecursionError as error:
        raise DataError(
            path, None, f"values are nested deeper than {MAX_DEPTH}", "Write them flatter.", Damage.SIZE
        ) from error
    try:
        return msgspec.convert(plain, kind), plain, lines
    except msgspec.ValidationError as error:
        what, at = place_of(error, plain, kind)
        raise _explain(path, what, at, lines, keys_at(msgspec.inspect.type_info(kind), at)) from error
    except RecursionError as error:
        raise DataError(path, None, "values are nested too deep", "Write them flatter.", Damage.SIZE) from error


def _refuse_deep(path: Path, text: str) -> None:
    """Raises DataError for values that are nested deeper than any are.

    LibYAML builds a tree by recursion and ends the process where that is too deep: at some ten thousand levels. So text that
    could be that deep, by the brackets it opens or by the beginning of a line, is read as events first.
    """
    if text.count("[") + text.count("{") <= _SAFE_DEPTH and not _DEEP_LINE.search(text):
        return
    level = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                level += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                level -= 1
            if level > MAX_DEPTH:
                line = event.start_mark.line + 1 if event.start_mark else None
                raise DataError(
                    path, line, f"values are nested deeper than {MAX_DEPTH}", "Write them flatter.", Damage.SIZE
                )
    except yaml.YAMLError:
        return  # told with its line when the tree is built


class _Constructor:
    """Makes plain data of the tree of a file. What aliases repeat is limited: they could make gigabytes of a kilobyte."""

    def __init__(self, path: Path, loader: yaml.SafeLoader, lines: Lines, bounds: Bounds) -> None:
        self._path, self._loader, self._lines, self._bounds = path, loader, lines, bounds
        self._seen: set[int] = set()
        self._repeated = 0

    def plain(self, node: yaml.Node, at: Place) -> Any:
        """The data of ``node``, which stands at ``at``. Raises DataError for what no record holds."""
        line = node.start_mark.line + 1
        self._lines[at] = line
        if len(self._lines) > self._bounds.values:
            found = f"holds more than {self._bounds.values} values"
            raise DataError(self._path, line, found, "Write it as several files.", Damage.SIZE)
        if isinstance(node, yaml.CollectionNode) and len(node.value) > self._bounds.items:
            found = f"more than {self._bounds.items} items in {_place(at)}"
            raise DataError(self._path, line, found, "Write fewer there.", Damage.SIZE)
        if len(at) > MAX_DEPTH:
            raise DataError(
                self._path, line, f"values are nested deeper than {MAX_DEPTH}", "Write them flatter.", Damage.SIZE
            )
        self._repeated += id(node) in self._seen
        if self._repeated > _MOST_REPEATED:
            found = f"repeats more than {_MOST_REPEATED} values by aliases (*)"
            raise DataError(self._path, line, found, "Write the values out.", Damage.SIZE)
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, at)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, (*at, index)) for index, item in enumerate(node.value)]
        if node.tag.endswith(":int") and len(node.value) > _LONGEST_INTEGER:
            raise self._too_large(node)
        try:
            value = self._loader.construct_object(node)
        except yaml.YAMLError:
            raise
        except Exception as error:  # of impossible dates, numbers and tags PyYAML raises whatever comes up
            found = f"{str(node.value)[:40]!r} is no {node.tag.rpartition(':')[2][:20]}"
            raise DataError(self._path, line, found, "Mend the value, or put it in quotes.", Damage.SYNTAX) from error
        if isinstance(value, int) and value not in _INTEGERS:
            raise self._too_large(node)
        if isinstance(value, float) and not math.isfinite(value):  # JSON has none: it would be written as null
            remedy = """Give it as text: in a sample {number: "inf"}."""
            raise DataError(self._path, line, f"{node.value[:40]!r} is no finite number", remedy, Damage.FORM)
        if isinstance(value, str):
            self._refuse_unseen(value, line)
            if len(value) > self._bounds.text:
                found = f"a text of {len(value)} characters in {_place(at)}"
                raise DataError(self._path, line, found, f"Write at most {self._bounds.text}.", Damage.SIZE)
        return value

    def _refuse_unseen(self, text: str, line: int) -> None:
        if found := unseen_in(text):
            raise DataError(self._path, line, found, "Take it out.", Damage.FORM)

    def _too_large(self, node: yaml.Node) -> DataError:
        found = f"{str(node.value)[:40]!r} is an integer of more than 64 bits"
        remedy = "Write a smaller one, or put it in quotes."
        return DataError(self._path, node.start_mark.line + 1, found, remedy, Damage.FORM)

    def _mapping(self, node: yaml.MappingNode, at: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            # Keys such as 1 (a rank) are read as the text they are.
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            line = key_node.start_mark.line + 1
            if key is None:
                raise DataError(
                    self._path, line, "a key that is not plain text", "Write keys as plain words.", Damage.SYNTAX
                )
            self._refuse_unseen(key, line)
            if len(key) > self._bounds.key:
                problem = f"a key of {len(key)} characters, {key[:40]!r}"
                raise DataError(self._path, line, problem, f"Write at most {self._bounds.key}.", Damage.SIZE)
            if key in found:
                raise DataError(self._path, line, f"key {key!r} is given twice", "Keep one of the two.", Damage.SYNTAX)
            found[key] = self.plain(value_node, (*at, key))
            self._lines[(*at, key)] = line
        return found


def _inside(plain: Any, at: Place) -> Any:
    for step in at:
        plain = plain[step]
    return plain


def _narrowed(plain: Any, at: Place, keys: Sequence[str]) -> Any:
    """A copy of ``plain`` in which the dictionary at ``at`` has nothing but ``keys``."""
    if not at:
        return {key: plain[key] for key in keys}
    copy: Any = list(plain) if isinstance(plain, list) else dict(plain)
    copy[at[0]] = _narrowed(plain[at[0]], at[1:], keys)
    return copy


_PLACE = re.compile(r"^(?P<what>.*?)(?: - at (?:`key` in )?`(?P<at>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")


def place_of(error: msgspec.ValidationError, plain: Any, kind: Any) -> tuple[str, Place]:
    """What msgspec found wrong with ``plain``, converted to ``kind``, and the path of keys and indexes to it.

    msgspec writes ``[...]`` for the key of a dictionary: it is the one under which the same goes wrong alone.
    """
    match = _PLACE.match(str(error))
    if match is None:
        return str(error), ()
    at: Place = ()
    for step in _STEP.finditer(match["at"] or ""):
        if step[1] or step[2]:
            at = (*at, int(step[2]) if step[2] else step[1])
            continue
        keys = list(_inside(plain, at))
        while len(keys) > 1:  # msgspec tells the first: of half of them it is in the one in which anything goes wrong
            half = keys[: len(keys) // 2]
            keys = half if _fault(_narrowed(plain, at, half), kind) == str(error) else keys[len(half) :]
        if not keys:
            break
        plain, at = _narrowed(plain, at, keys), (*at, *keys)
    return match["what"], at


def _fault(plain: Any, kind: Any) -> str | None:
    try:
        msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def keys_at(kind: msgspec.inspect.Type, at: Place) -> set[str]:
    """The keys that a value of ``kind`` may have at ``at``; of a union, those that any of its members may have."""
    if isinstance(kind, msgspec.inspect.UnionType):
        return set().union(*(keys_at(member, at) for member in kind.types))
    if isinstance(kind, msgspec.inspect.StructType):
        fields = {field.encode_name: field.type for field in kind.fields}
        if not at:
            return set(fields)
        return keys_at(fields[str(at[0])], at[1:]) if at[0] in fields else set()
    if at and isinstance(kind, msgspec.inspect.DictType):
        return keys_at(kind.value_type, at[1:])
    if at and isinstance(kind, msgspec.inspect.CollectionType):
        return keys_at(kind.item_type, at[1:])
    return set()


def _place(at: Place) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at)


def _explain(path: Path, what: str, at: Place, lines: Lines, allowed: set[str]) -> DataError:
    place = _place(at)
    if "unknown field" in what and (key := re.search(r"`([^`]+)`$", what)):
        where = [line for spot, line in lines.items() if spot[: len(at)] == at and spot[-1:] == (key[1],)]
        given = {spot[-1] for spot in lines if len(spot) == len(at) + 1 and spot[:-1] == at}
        near = difflib.get_close_matches(key[1], sorted(allowed - given), n=1)
        remedy = (f"Did you mean {near[0]!r}? " if near else "") + _UNKNOWN
        return DataError(
            path, min(where, default=lines.get(at)), f"unknown key {key[1]!r} in {place}", remedy, Damage.FORM
        )
    if "missing required field" in what and (key := re.search(r"`([^`]+)`$", what)):
        remedy = f"Add {key[1]!r} there." + (
            " Text is written in both languages, en and zh." if key[1] in {"en", "zh"} else ""
        )
        return DataError(path, lines.get(at), f"{place} lacks the key {key[1]!r}", remedy, Damage.FORM)
    while at not in lines and at:
        at = at[:-1]
    return DataError(path, lines.get(at), f"{what} in {place}", "See the schema: apidiff schema.", Damage.FORM)


_UNKNOWN = "Remove it or mend its spelling; `apidiff schema` prints the keys there are."
