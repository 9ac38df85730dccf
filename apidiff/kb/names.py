"""The spellings under which an API is found."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.model.entry import Entry

# Customary short names of modules, as in `import torch.distributed as dist` and `import mindspore as ms`.
_SHORT = {"torch.distributed.": "dist.", "mindspore.": "ms."}

# The lower rank wins where one spelling fits several APIs.
SOURCE, ALIAS, SHORT_SOURCE, TARGET, SHORT_TARGET = range(5)


def spellings(entry: Entry) -> Iterator[tuple[str, int, int | None]]:
    """Every spelling of an entry's source and targets, its rank, and the target's position (None for the source)."""
    yield entry.id, SOURCE, None
    yield entry.source, SOURCE, None
    for alias in entry.aliases:
        yield alias, ALIAS, None
    for short in shortened(entry.source):
        yield short, SHORT_SOURCE, None
    for position, target in enumerate(entry.targets):
        yield target.name, TARGET, position
        for short in shortened(target.name):
            yield short, SHORT_TARGET, position


def shortened(name: str) -> list[str]:
    """``name`` without its first, first two … parts, and with the customary short names of modules."""
    parts = name.split(".")
    found = [".".join(parts[start:]) for start in range(1, len(parts))]
    return found + [short + name.removeprefix(long) for long, short in _SHORT.items() if name.startswith(long)]
