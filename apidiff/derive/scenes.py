"""One recorded call, rank by rank: its buffers before and after, what became of each, and what came back."""

from __future__ import annotations

from collections.abc import Sequence

from apidiff.derive.buffers import RETURNED, Held, buffers_of, returned_buffers, text_arguments
from apidiff.derive.origins import Origins
from apidiff.derive.unmodified_buffers import Untouched
from apidiff.model import Api, ApiKind, ObjectDump, ProbeRun, RankTrace, SequenceDump, Value
from apidiff.model.picture import Buffer, Cell, RankPart
from apidiff.model.probe_resolution import callers, partner, partners

_ERROR_LENGTH = 240


def rank_parts(api: Api, run: ProbeRun, world_size: int, untouched: Untouched) -> list[RankPart]:
    """What every rank did in a recorded run of a probe, in order of the ranks."""
    texts = text_arguments(run.ranks)
    before = {trace.rank: buffers_of(trace.before, texts) for trace in run.ranks}
    origins = Origins()
    for rank, buffers in before.items():
        seen: list[Held] = []
        for name, held in buffers.items():
            twin = any(held.storage is not None and held == other for other in seen)
            origins.add(rank, name, held.values, twin=twin)
            seen.append(held)
    by_rank = {trace.rank: trace for trace in run.ranks}
    calling, answering = callers(api, run.probe, world_size), partners(api, run.probe, world_size)
    other = partner(api, run.probe)
    found = []
    for rank in range(world_size):
        trace = by_rank.get(rank)
        part = "call" if rank in calling else "partner" if rank in answering else "nothing"
        calls = other.api if other and part == "partner" else ""
        if trace is None:
            found.append(RankPart(rank=rank, part=part, calls=calls, silent=True))
            continue
        after = None
        if trace.error is None:
            after = {**buffers_of(trace.after, texts), **returned_buffers(trace.returned)}
        found.append(
            RankPart(
                rank=rank,
                part=part,
                calls=calls,
                buffers=_buffers(rank, before[rank], after, origins, untouched),
                returned=_returned(trace) if part != "nothing" else "",
                error=_error(trace),
            )
        )
    return found


def _buffers(
    rank: int, before: dict[str, Held], after: dict[str, Held] | None, origins: Origins, untouched: Untouched
) -> list[Buffer]:
    """The buffers of a rank; ``after`` is None where an error hides what they hold."""
    found = []
    for name in dict.fromkeys([*before, *(after or {})]):
        old, new = before.get(name), (after or {}).get(name)
        shown = new or old
        assert shown is not None
        changed = [_differs(old, new, index) for index in range(len(new.values))] if new else []
        surprising = bool(old) and any(changed) and untouched.by(name, rank)
        sharing = [
            other
            for other, held in before.items()
            if new and other != name and new.storage is not None and held.storage == new.storage
        ]
        own = {held.storage for held in before.values()}
        found.append(
            Buffer(
                name=name,
                dtype=shown.dtype,
                shape=shown.shape,
                before=_cells(rank, name, old, origins) if old else None,
                after=_cells(rank, name, new, origins, changed, surprising) if new else None,
                written=old is not None and new is not None and (any(changed) or new.shape != old.shape),
                fresh=new is not None and new.storage is not None and new.storage not in own,
                shares=sharing,
            )
        )
    return found


def _differs(old: Held | None, new: Held, index: int) -> bool:
    return old is None or index >= len(old.values) or old.values[index] != new.values[index]


def _cells(
    rank: int, name: str, held: Held, origins: Origins, changed: Sequence[bool] = (), surprising: bool = False
) -> list[Cell]:
    return [
        Cell(
            value=value,
            origin=origins.of(rank, name, index, value),
            changed=bool(changed) and changed[index],
            unexpected=surprising and changed[index],
        )
        for index, value in enumerate(held.values)
    ]


def _error(trace: RankTrace) -> str:
    """The exception in one line, its first words where it has many."""
    if trace.error is None:
        return ""
    words = " ".join(line.strip(" -") for line in trace.error.message.splitlines())
    text = f"{trace.error.type}: {words}" if words else trace.error.type
    return text if len(text) <= _ERROR_LENGTH else f"{text[: _ERROR_LENGTH - 1]}…"


def _returned(trace: RankTrace) -> str:
    """What came back where it is no buffer: ``None``, ``Work``, ``0``; empty where it is one, or an error."""
    if trace.returned is None or returned_buffers(trace.returned):
        return ""
    return _word(trace.returned)


def _word(value: Value) -> str:
    if isinstance(value, SequenceDump):
        items = ", ".join(map(_word, value.items))
        return f"[{items}]" if value.type == "list" else f"({items})"
    if isinstance(value, ObjectDump):
        return value.type
    return repr(value.value) if hasattr(value, "value") else RETURNED


def handle_of(api: Api, value: Value | None) -> str:
    """The class of the first handle among what came back: an object that holds no tensor. A class returns itself."""
    if api.kind is ApiKind.CLASS or value is None:
        return ""
    if isinstance(value, SequenceDump):
        return next((found for item in value.items if (found := handle_of(api, item))), "")
    return value.type if isinstance(value, ObjectDump) and not value.tensors else ""
