"""What Google-style docstrings say: sections, and the types of parameters."""

from __future__ import annotations

import re

import griffe

# name (type): …, and the type may hold brackets: "group (Union[str, tuple(int)], optional): …". torch writes "group: (type): …"
# in places.
_ARGUMENT = re.compile(r"\*{0,2}(?P<name>\w+):?\s*\((?P<type>.+?)\)\s*:(\s|$)")
_ROLE = re.compile(r":\w+(?::\w+)?:`~?\.?(?P<name>[^`<]+)(?: <[^`]*>)?`")
_OPTIONAL = re.compile(r",?\s*(optional|default[:=\s].*|可选)\s*$", re.IGNORECASE)
_ARGUMENT_SECTIONS = ("Args:", "Arguments:", "Parameters:", "Keyword Args:")


def section(documented: griffe.Object, title: str) -> list[str]:
    """The lines of a section of a docstring, stripped: up to the next line that is not indented deeper."""
    return [line.strip() for line in _indented(documented, title)]


def _indented(documented: griffe.Object, title: str) -> list[str]:
    lines = documented.docstring.value.splitlines() if documented.docstring else []
    stripped = [line.strip() for line in lines]
    if title not in stripped:
        return []
    start = stripped.index(title)
    indent = len(lines[start]) - len(lines[start].lstrip())
    found = []
    for line in lines[start + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        found.append(line)
    return found


def _heads(documented: griffe.Object, title: str) -> list[str]:
    """The first lines of the entries of a section, stripped; what is indented deeper goes on with an entry."""
    lines = [line for line in _indented(documented, title) if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return [line.strip() for line in lines if len(line) - len(line.lstrip()) == indent]


def documented_types(documented: griffe.Object) -> dict[str, str]:
    """Parameter → the type that the docstring gives, without 'optional' and without markup."""
    found: dict[str, str] = {}
    for title in _ARGUMENT_SECTIONS:
        for line in _heads(documented, title):
            if match := _ARGUMENT.match(line):
                text = _ROLE.sub(lambda role: role["name"].strip(), match["type"]).replace("`", "")
                text = _OPTIONAL.sub("", text).strip()
                if text:
                    found.setdefault(match["name"], text)
    return found
