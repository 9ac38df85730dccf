"""One check per kind of claim: of what ranks recorded when nothing was raised."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import msgspec
import numpy as np

from apidiff.judge import oracle
from apidiff.judge.case import Case, Verdict, cut
from apidiff.judge.slots import array, at, show, tensors
from apidiff.judge.structure import has_structure, structure_of
from apidiff.model import AliasKind, ClaimKind, Formula, Outcome, SequenceDump, TensorDump
from apidiff.model.claim import EXAMPLE_WORLD_SIZE


def _judge_writes(case: Case) -> Verdict:
    body = case.claim.writes or case.claim.keeps
    assert body is not None
    changed, same = [], []
    for trace in case.traces:
        old, new = at(trace, body.argument, before=True), at(trace, body.argument)
        if old is None or new is None:
            return Outcome.ERROR, [f"rank {trace.rank}: nothing at {body.argument}"]
        if _values(old) == _values(new):
            same.append(f"rank {trace.rank}: {body.argument} {show(old)} =")
        else:
            changed.append(f"rank {trace.rank}: {body.argument} {show(old)} → {show(new)}")
    if case.claim.keeps is not None:
        return (Outcome.REFUTED, cut(changed)) if changed else (Outcome.HOLDS, cut(same))
    some = case.claim.writes is not None and case.claim.writes.some
    holds = bool(changed) if some else not same
    return (Outcome.HOLDS, cut(changed)) if holds else (Outcome.REFUTED, cut(same))


def _values(value: object) -> object:
    """What must stay equal for an argument to be untouched: shapes, dtypes and values of all tensors, and the structure."""
    if isinstance(value, TensorDump):
        return (value.dtype, tuple(value.shape), tuple(value.values))
    if isinstance(value, SequenceDump):
        return [_values(item) for item in value.items]
    return msgspec.json.encode(value)


def _judge_returns(case: Case) -> Verdict:
    body = case.claim.returns
    assert body is not None
    lines = [(trace.rank, structure_of(trace.returned)) for trace in case.traces]
    wrong = [t.rank for t in case.traces if not has_structure(t.returned, body.structure)]
    if wrong:
        return Outcome.REFUTED, cut([f"rank {rank}: returned {found}" for rank, found in lines if rank in wrong])
    return Outcome.HOLDS, [f"rank {lines[0][0]}: returned {lines[0][1]}"]


def _judge_result(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    if body.formula is Formula.LENGTH_WORLD:
        return _judge_length(case)
    by_rank = {trace.rank: at(trace, body.of, before=True) for trace in case.run.ranks}
    missing = [rank for rank in case.group if not tensors(by_rank.get(rank))]
    if missing:
        return Outcome.ERROR, [f"rank {rank}: no input at {body.of}" for rank in missing]
    inputs = [
        [array(t) for t in tensors(v)] if isinstance(v, SequenceDump) else array(tensors(v)[0])
        for v in (by_rank[r] for r in case.group)
    ]
    wrong, right = [], []
    for trace in case.traces:
        if trace.rank not in case.group:
            continue
        value = at(trace, body.at)
        try:
            want = oracle.expected(body.formula, inputs, case.group.index(trace.rank))
        except oracle.NotComputable as error:
            return Outcome.ERROR, [str(error)]
        line = f"rank {trace.rank}: {body.at} {show(value)}"
        if _equal(value, want, shape_only=body.formula.value.startswith("shape-")):
            right.append(line)
        else:
            wrong.append(f"{line} ≠ {_show_expected(want, shape_only=body.formula.value.startswith('shape-'))}")
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, cut(right))


def _judge_length(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    lengths = {t.rank: len(v.items) if isinstance(v := at(t, body.at), SequenceDump) else None for t in case.traces}
    lines = [f"rank {rank}: len({body.at}) = {length}" for rank, length in lengths.items()]
    return (Outcome.HOLDS if set(lengths.values()) == {len(case.group)} else Outcome.REFUTED), cut(lines)


def _equal(value: object, want: oracle.Operand, *, shape_only: bool) -> bool:
    if isinstance(want, list):
        items = value.items if isinstance(value, SequenceDump) else []
        return len(items) == len(want) and all(
            _equal(i, w, shape_only=shape_only) for i, w in zip(items, want, strict=True)
        )
    if not isinstance(value, TensorDump) or list(want.shape) != value.shape:
        return False
    return shape_only or (str(want.dtype) == value.dtype and bool(np.array_equal(array(value), want)))


def _show_expected(want: oracle.Operand, *, shape_only: bool) -> str:
    if isinstance(want, list):
        return "[" + ", ".join(_show_expected(item, shape_only=shape_only) for item in want) + "]"
    if shape_only:
        return f"shape {list(want.shape)}"
    dump = TensorDump(
        type="expected",
        dtype=str(want.dtype),
        shape=list(want.shape),
        values=want.ravel().tolist(),
        storage=0,
        object=0,
    )
    return show(dump)


def _judge_aliases(case: Case) -> Verdict:
    body = case.claim.aliases
    assert body is not None
    wrong: list[str] = []
    right: list[str] = []
    for trace in case.traces:
        left = at(trace, body.slot)
        right_value = at(trace, body.with_, before=True)
        if left is None or right_value is None or not hasattr(left, "object") or not hasattr(right_value, "object"):
            return Outcome.ERROR, [f"rank {trace.rank}: nothing to compare at {body.slot} and {body.with_}"]
        storage = {t.storage for t in tensors(left)} & {t.storage for t in tensors(right_value)}
        same_object = left.object == right_value.object
        found = AliasKind.OBJECT if same_object else AliasKind.STORAGE if storage else AliasKind.NOTHING
        line = f"rank {trace.rank}: {body.slot}, {body.with_}: {found.value}"
        fits = found is body.share or (body.share is AliasKind.STORAGE and bool(storage))
        (right if fits else wrong).append(line)
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, right[:1])


def _judge_prints(case: Case) -> Verdict:
    if case.record.world_size != EXAMPLE_WORLD_SIZE:
        return Outcome.NOT_RUN, []
    wrong = []
    for trace in case.traces:
        want = [line for line in case.expected if line.startswith(f"rank {trace.rank}: ")]
        if trace.output != want:
            pairs = zip_longest(trace.output, want, fillvalue="(no line)")
            got, wanted = next((got, wanted) for got, wanted in pairs if got != wanted)
            wrong.append(f"rank {trace.rank}: printed {got!r} ≠ {wanted!r}")
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, [])


CHECKS: dict[ClaimKind, Callable[[Case], Verdict]] = {
    ClaimKind.WRITES: _judge_writes,
    ClaimKind.KEEPS: _judge_writes,
    ClaimKind.RETURNS: _judge_returns,
    ClaimKind.RESULT: _judge_result,
    ClaimKind.ALIASES: _judge_aliases,
    ClaimKind.PRINTS: _judge_prints,
}
