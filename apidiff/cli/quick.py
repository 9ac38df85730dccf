"""The short way to `lookup … --json`: programs ask so, and argparse would be a quarter of what they wait for."""

from __future__ import annotations

from collections.abc import Sequence

_OPTIONS = {"--mindspore": "mindspore", "--torch": "torch"}


def parse_lookup(arguments: Sequence[str]) -> dict[str, str] | None:
    """``name`` and, where given, ``mindspore`` and ``torch`` of a plain `lookup … --json`.

    None where the command line is anything else or holds anything else, errors included: argparse reads those.
    """
    if arguments[:1] != ["lookup"] or "--json" not in arguments:
        return None
    found: dict[str, str] = {}
    rest = iter(arguments[1:])
    for word in rest:
        if word == "--json":
            continue
        key = _OPTIONS.get(word, "name")
        value = next(rest, "-") if word in _OPTIONS else word
        if value.startswith("-") or key in found:
            return None
        found[key] = value
    return found if "name" in found else None
