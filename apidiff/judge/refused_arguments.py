"""Reads from an exception which argument Python itself refuses, whatever the call's inputs hold."""

from __future__ import annotations

import re

from apidiff.model.trace import CallError

_REFUSED = {
    "keyword": re.compile(r"\) got an unexpected keyword argument '(\w+)'$"),
    "missing": re.compile(r"\) missing 1 required (?:positional|keyword-only) argument: '(\w+)'$"),
    "positional": re.compile(r"\) takes (?:from \d+ to )?(\d+) positional arguments? but \d+ (?:was|were) given$"),
}


def refused_argument(error: CallError) -> dict[str, str]:
    """What the signature refuses; {} where the exception tells of something else.

    ``keyword``: a name that it lacks; ``missing``: one without default; ``positional``: how many it takes by position.
    """
    if error.type != "TypeError":
        return {}
    first = error.message.strip().partition("\n")[0]
    found = {kind: pattern.search(first) for kind, pattern in _REFUSED.items()}
    return {kind: match[1] for kind, match in found.items() if match}
