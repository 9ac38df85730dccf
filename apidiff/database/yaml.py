"""Reads YAML into records and knows the line of every value, so that an error can name it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from apidiff.errors import DataError

T = TypeVar("T")

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Lines = dict[tuple[str | int, ...], int]


def read_yaml(path: Path, kind: type[T]) -> tuple[T, Lines]:
    """The record of type ``kind`` in ``path``, and the line of every value by its path of keys and indexes.

    Raises DataError for broken YAML, a key given twice, an unknown key, a missing key or a value of the wrong type.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it exists and is readable."
        ) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DataError(path, line, "is not UTF-8 text", "Save it as UTF-8.") from error
    lines: Lines = {}
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        plain = _plain(node, (), lines, path, loader) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        found = f"broken YAML: {error.problem or error.context}"
        raise DataError(
            path, mark.line + 1 if mark else None, found, "Mend the syntax at or above this line."
        ) from error
    except yaml.YAMLError as error:
        raise DataError(path, None, f"broken YAML: {error}", "Mend the syntax.") from error
    try:
        return msgspec.convert(plain, kind), lines
    except msgspec.ValidationError as error:
        raise _explain(path, error, lines) from error


def _plain(node: yaml.Node, at: tuple[str | int, ...], lines: Lines, path: Path, loader: yaml.SafeLoader) -> Any:
    lines[at] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            # Keys such as 1 (a rank) are read as the text they are.
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            line = key_node.start_mark.line + 1
            if key is None:
                raise DataError(path, line, "a key that is not plain text", "Write keys as plain words.")
            if key in found:
                raise DataError(path, line, f"key {key!r} is given twice", "Keep one of the two.")
            found[key] = _plain(value_node, (*at, key), lines, path, loader)
            lines[(*at, key)] = line
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*at, index), lines, path, loader) for index, item in enumerate(node.value)]
    return loader.construct_object(node)


_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<at>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")


def _explain(path: Path, error: msgspec.ValidationError, lines: Lines) -> DataError:
    match = _PLACE.match(str(error))
    what, place = (match["what"], match["at"] or "$") if match else (str(error), "$")
    at: tuple[str | int, ...] = ()
    for step in _STEP.finditer(place):
        at = (*at, int(step[2]) if step[2] else step[1]) if step[1] or step[2] else at
    if "unknown field" in what and (key := re.search(r"`([^`]+)`$", what)):
        where = [line for spot, line in lines.items() if spot[: len(at)] == at and spot[-1:] == (key[1],)]
        return DataError(path, min(where, default=lines.get(at)), f"unknown key {key[1]!r} in {place}", _UNKNOWN)
    if "missing required field" in what and (key := re.search(r"`([^`]+)`$", what)):
        remedy = f"Add {key[1]!r} there." + (
            " Text is written in both languages, en and zh." if key[1] in {"en", "zh"} else ""
        )
        return DataError(path, lines.get(at), f"{place} lacks the key {key[1]!r}", remedy)
    while at not in lines and at:
        at = at[:-1]
    return DataError(path, lines.get(at), f"{what} in {place}", "See the schema: apidiff schema.")


_UNKNOWN = "Remove it or mend its spelling; `apidiff schema` prints the keys there are."
