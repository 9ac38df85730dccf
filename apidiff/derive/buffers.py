"""The buffers in a trace: the tensors and texts that a call reads, writes and returns, in the order a reader meets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from apidiff.model import ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.model.picture import Plain

RETURNED = "return"


@dataclass(frozen=True)
class Held:
    """What a buffer holds. ``storage``: the trace's labels of its memory, empty for texts, which have none."""

    values: list[Plain]
    shape: list[int] = field(default_factory=list)
    dtype: str = ""
    storage: int | None = None


def buffers_of(arguments: dict[str, Value], texts: frozenset[str]) -> dict[str, Held]:
    """The buffers among ``arguments`` by name: ``tensor``, ``output[0]``, ``ops[1].tensor``.

    A number, None or a text that is the same everywhere steers the call and is no buffer; ``texts`` names the arguments
    that are (see `text_arguments`).
    """
    found: dict[str, Held] = {}
    for name, value in arguments.items():
        found.update(_walk(name, value, name in texts))
    return found


def returned_buffers(value: Value | None) -> dict[str, Held]:
    """The buffers among what came back."""
    return dict(_walk(RETURNED, value, False)) if value is not None else {}


def text_arguments(traces: Sequence[RankTrace]) -> frozenset[str]:
    """The arguments through which texts travel: those that differ between ranks, and lists that hold a text at any time."""
    found: set[str] = set()
    seen: dict[str, set[str]] = {}
    for trace in traces:
        for arguments in (trace.before, trace.after):
            for name, value in arguments.items():
                if isinstance(value, ScalarDump) and isinstance(value.value, str):
                    seen.setdefault(name, set()).add(value.value)
                if isinstance(value, SequenceDump) and any(_is_text(item) for item in value.items):
                    found.add(name)
    return frozenset(found | {name for name, values in seen.items() if len(values) > 1})


def _is_text(value: Value) -> bool:
    return isinstance(value, ScalarDump) and isinstance(value.value, str)


def _walk(name: str, value: Value, text: bool) -> Iterator[tuple[str, Held]]:
    match value:
        case TensorDump():
            yield name, Held(list(value.values), value.shape, value.dtype, value.storage)
        case SequenceDump(items=items) if text and all(isinstance(item, ScalarDump) for item in items):
            values: list[Plain] = [item.value for item in items if isinstance(item, ScalarDump)]
            yield name, Held(values, [len(values)], value.type)
        case SequenceDump(items=items):
            for index, item in enumerate(items):
                yield from _walk(f"{name}[{index}]", item, text)
        case ScalarDump(value=plain) if text:
            yield name, Held([plain], [], type(plain).__name__)
        case ObjectDump(tensors=tensors):
            for attribute, tensor in tensors.items():
                yield from _walk(f"{name}.{attribute}", tensor, text)
