"""Reads the signatures of all names in scope of a framework, and writes the file of its version.

The file has one API a line, sorted, so that a difference between versions reads as one.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import griffe
import msgspec

from apidiff.atomic_write import made_folder, write_file
from apidiff.database.scope import FrameworkScope, load_scope
from apidiff.errors import ApidiffError, typed
from apidiff.model.signature import DottedName, Signature, SignatureFile, Unread, fits
from apidiff.signatures.bounded_reading import read_bounded
from apidiff.signatures.introspect import introspected
from apidiff.signatures.modules import Absent, Found, Modules, NotReadable
from apidiff.signatures.read import read
from apidiff.signatures.source import Source, unpacked

_MOST_WRITTEN = 16 * 2**20  # characters of all signatures: those of torch and MindSpore take a twentieth
_LONGEST_REASON = 500  # characters
_ODD = "its signature holds a name in other letters than those of ASCII, or a backtick, or more than any API has"
_TOO_DEEP = "its definition is nested too deeply, or too many classes lie above it"


@dataclass(frozen=True)
class _Reading:
    """What is read of a definition: its signature, what of it nothing tells, and the characters that both take."""

    signature: Signature
    unread: dict[str, str]
    size: int


def extract(source: Source) -> SignatureFile:
    """Reads the signatures of all names in scope in ``source``; names that the version lacks are left out.

    What neither source nor stub tells is read from the running framework where it is installed. Raises ApidiffError where all
    that takes far more than of any framework.
    """
    modules = Modules(source.root)
    scope = load_scope().of(source.framework)
    listed = scope.listed()
    apis: dict[str, Signature] = {}
    unreadable: dict[str, str] = {}
    readings: dict[Found, _Reading | str] = {}  # thousands of names may rename one definition
    size = 0  # of classes below one that has thousands of members each lists them all
    for name in _names(scope, modules):
        if not fits(name, DottedName):
            continue
        size += len(name)
        if size > _MOST_WRITTEN:
            raise ApidiffError(
                f"The signatures of {source.framework}, with what cannot be read of them, take more than "
                f"{_MOST_WRITTEN // 2**20} MiB. Give what the framework published."
            )
        try:
            documented = modules.find(name)
            if isinstance(documented, griffe.Module):
                continue
        except RecursionError:
            unreadable[name] = _TOO_DEEP
            continue
        except NotReadable as error:
            # A name that a list of public names has may be made at run time; one that only we name is not there.
            if not (isinstance(error, Absent) and name in listed):
                unreadable[name] = _cut(str(error))
                size += len(unreadable[name])
            continue
        if documented not in readings:
            readings[documented] = _reading(documented, modules)
        reading = readings[documented]
        if isinstance(reading, str):
            unreadable[name] = _cut(reading)
            size += len(unreadable[name])
            continue
        size += reading.size + len(name) * len(reading.unread)
        apis[name] = reading.signature
        unreadable |= {f"{name}.{part}": _cut(why) for part, why in reading.unread.items()}
    tool = f"griffelib {importlib.metadata.version('griffelib')}"
    written = SignatureFile(
        framework=source.framework,
        version=source.version,
        tool=tool,
        listed=sorted(listed),
        apis=apis,
        unreadable=unreadable,
    )
    found = introspected(written) if source.installed else written
    # A module that cannot be read has names that nobody knows of: without a word of it they would be missed silently.
    unread = {name: _cut(why) for name, why in modules.unread.items() if fits(name, Unread)}
    return msgspec.structs.replace(found, unreadable=found.unreadable | unread)


def extract_wheel(framework: str, wheel: Path) -> SignatureFile:
    """As `extract`, of what ``wheel`` holds. Raises DataError for what is no wheel, or takes far more to read than one."""
    with unpacked(framework, wheel) as source:
        return read_bounded(wheel, partial(extract, source))


def _cut(reason: str) -> str:
    """Why a name cannot be read; a stranger's code may make it as long as it likes."""
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…"


def _reading(documented: Found, modules: Modules) -> _Reading | str:
    """What is read of a definition, or why it cannot be read."""
    try:
        signature, unread = read(documented, modules)
        if not fits(msgspec.to_builtins(signature), Signature):
            return _ODD
        return _Reading(signature, unread, len(_json(signature)) + len(_json(unread)))
    except RecursionError:
        return _TOO_DEEP
    except UnicodeEncodeError:
        return "its definition holds half of a character, which no UTF-8 file can"
    except ValueError as error:  # a number of thousands of digits, which Python writes no more
        return f"its definition cannot be written ({typed(str(error))})"
    except NotReadable as error:
        return str(error)


def _names(scope: FrameworkScope, modules: Modules) -> list[str]:
    names = scope.listed()
    for module in scope.modules:
        if module.defined_in is not None:
            names.update(_republished(module.name, module.defined_in, modules))
        elif module.whole:
            with suppress(NotReadable):  # which `modules.unread` tells
                names.update(f"{module.name}.{public}" for public in modules.public(module.name))
    return sorted(names)


def _republished(public: str, defined_in: str, modules: Modules) -> Iterator[str]:
    """Yields the names of the classes that ``defined_in`` defines and ``public`` makes public."""
    try:
        module = modules.module(defined_in)
    except NotReadable:  # which `modules.unread` tells
        return
    for name, member in module.members.items() if module else ():
        if not isinstance(member, griffe.Class) or name.startswith("_"):
            continue
        try:
            shown = modules.find(f"{public}.{name}")
        except Absent:
            continue
        except (NotReadable, RecursionError):  # `extract` meets it again, and tells it
            yield f"{public}.{name}"
            continue
        if isinstance(shown, griffe.Class) and shown.path == member.path:
            yield f"{public}.{name}"


def render(signatures: SignatureFile) -> str:
    """The text of the file; the same signatures give the same text."""
    lines = [
        "{",
        *(f'"{key}": {_json(getattr(signatures, key))},' for key in ("framework", "version", "tool", "listed")),
    ]
    lines.append(f'"apis": {{{_entries(signatures.apis)}}},')
    lines.append(f'"unreadable": {{{_entries(signatures.unreadable)}}}')
    return "\n".join([*lines, "}", ""])


def write(signatures: SignatureFile, folder: Path) -> Path:
    """Writes ``<framework>-<version>.json`` into ``folder`` and returns its path; an existing file is replaced whole.

    Raises ApidiffError where that is not possible; then nothing is left behind.
    """
    path = folder / f"{signatures.framework}-{signatures.version}.json"
    try:
        with made_folder(folder):
            write_file(path, render(signatures).encode())
    except OSError as error:
        found = f"{path}: cannot be written ({error.strerror})"
        raise ApidiffError(f"{found}. Give a folder that can be written to with --into.") from error
    return path


def _entries(entries: Mapping[str, object]) -> str:
    """The inside of a JSON object, one entry a line; empty for none."""
    lines = [f"{_json(name)}: {_json(value)}" for name, value in sorted(entries.items())]
    return "\n" + ",\n".join(lines) + "\n" if lines else ""


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
