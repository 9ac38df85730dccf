"""Makes runs of extracted samples brief: a trace keeps what a comparison reads, and nothing that the sample says itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from apidiff.execute.single.accuracy import EPSILON, floats, furthest
from apidiff.execute.single.run import essence
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import ObjectDump, SequenceDump, TensorDump, Value


def brief(run: SampleRun) -> SampleRun:
    """``run`` with brief traces, without times."""
    again = brief(run.again) if run.again is not None else None
    trace = _brief_trace(run.trace) if run.trace is not None else None
    return msgspec.structs.replace(run, trace=trace, again=again)


def digest(run: SampleRun) -> str:
    """Eight hexadecimal digits over what a brief run showed: what another run was found to agree with."""
    shown = essence(run)
    return hashlib.sha256(shown if isinstance(shown, bytes) else str(shown).encode()).hexdigest()[:8]


def errors(trace: SampleTrace, exact: SampleTrace) -> dict[str, float]:
    """How far each floating tensor returned is from that of ``exact``, the same call in float64, by slot."""
    if exact.error is not None:
        return {}
    mine, theirs = _returned(trace.returned), _returned(exact.returned)
    return {
        slot: furthest(floats(mine[slot].values), floats(theirs[slot].values), mine[slot].dtype)
        for slot in mine
        if slot in theirs
        and mine[slot].shape == theirs[slot].shape
        and mine[slot].dtype in EPSILON
        and theirs[slot].dtype == "float64"
    }


def _returned(value: Value | None) -> dict[str, TensorDump]:
    if isinstance(value, SequenceDump):
        return {f"return[{index}]": item for index, item in enumerate(value.items) if isinstance(item, TensorDump)}
    return {"return": value} if isinstance(value, TensorDump) else {}


def _brief_trace(trace: SampleTrace) -> SampleTrace:
    """Values of what was given are left out, unless the call wrote them: then they stand in ``after``."""
    written = {
        name: value for name, value in trace.before.items() if name in trace.after and _differ(value, trace.after[name])
    }
    before = {name: _without_values(value) for name, value in written.items()}
    after = {
        name: value if name in written else _without_values(value)
        for name, value in trace.after.items()
        if _holds_tensors(value)
    }
    return msgspec.structs.replace(trace, before=before, after=after, seconds=0.0)


def _differ(before: Value, after: Value) -> bool:
    return _contents(before) != _contents(after)


def _contents(value: Value) -> Sequence[object]:
    match value:
        case TensorDump():
            return [(value.dtype, value.shape, value.values)]
        case SequenceDump(items=items):
            return [part for item in items for part in _contents(item)]
        case ObjectDump(tensors=tensors):
            return [part for name in sorted(tensors) for part in _contents(tensors[name])]
        case _:
            return []


def _holds_tensors(value: Value) -> bool:
    return bool(_contents(value))


def _without_values(value: Value) -> Value:
    match value:
        case TensorDump():
            return msgspec.structs.replace(value, values=[])
        case SequenceDump(items=items):
            return msgspec.structs.replace(value, items=[_without_values(item) for item in items])
        case ObjectDump(tensors=tensors):
            plain = {name: msgspec.structs.replace(tensor, values=[]) for name, tensor in tensors.items()}
            return msgspec.structs.replace(value, tensors=plain)
        case _:
            return value
