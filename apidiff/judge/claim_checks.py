"""One check per kind of claim: of what ranks recorded when nothing was raised."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import msgspec
import numpy as np

from apidiff.judge import oracle
from apidiff.judge.evidence_messages import said
from apidiff.judge.judgement import Case, Verdict, cut
from apidiff.judge.peers import source_of
from apidiff.judge.structure import has_structure, structure_of
from apidiff.judge.value_paths import Opaque, Operand, array, at, plain, show, show_plain, tensors, typed, typed_plain
from apidiff.model import (
    AliasKind,
    ClaimKind,
    Formula,
    ObjectDump,
    Outcome,
    ScalarDump,
    SequenceDump,
    TensorDump,
    Value,
)
from apidiff.model.claim import EXAMPLE_WORLD_SIZE


def _judge_writes(case: Case) -> Verdict:
    body = case.claim.writes or case.claim.keeps
    assert body is not None
    changed, same = [], []
    for trace in case.traces:
        old, new = at(trace, body.argument, before=True), at(trace, body.argument)
        if old is None or new is None:
            return Outcome.ERROR, [said(trace.rank, "nothing_at", slot=body.argument)]
        if _values(old) == _values(new):
            same.append(f"rank {trace.rank}: {body.argument} {show(old)} =")
        else:
            texts = (show(old), show(new)) if show(old) != show(new) else (typed(old), typed(new))
            changed.append(f"rank {trace.rank}: {body.argument} {texts[0]} → {texts[1]}")
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
        return Outcome.REFUTED, cut([said(rank, "returned", value=found) for rank, found in lines if rank in wrong])
    return Outcome.HOLDS, [said(lines[0][0], "returned", value=lines[0][1])]


def _judge_result(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    if body.formula is Formula.LENGTH_WORLD:
        return _judge_length(case)
    before = {trace.rank: at(trace, body.of, before=True) for trace in case.run.ranks} if body.of else {}
    given = {rank: value for rank, value in before.items() if value is not None}
    inputs = [plain(given[rank]) if rank in given else None for rank in case.group]
    shape_only = body.formula.value.startswith("shape-")
    wrong, right = [], []
    for trace in case.traces:
        if trace.rank not in case.group:
            continue
        place, source = case.group.index(trace.rank), source_of(case, body.formula, trace.rank, body.at)
        if source is None:
            return Outcome.ERROR, [said(trace.rank, "no_other_end")]
        wanted = [case.group[one] for one in oracle.needed(body.formula, len(case.group), place, source)]
        if missing := [rank for rank in wanted if rank not in given]:
            return Outcome.ERROR, cut([said(rank, "no_input", slot=body.of) for rank in missing])
        try:
            want = oracle.expected(body.formula, inputs, place, source)
        except oracle.NotComputable as error:
            return Outcome.ERROR, [str(error)]
        value = at(trace, body.at)
        line = f"rank {trace.rank}: {body.at} {show(value)}"
        if _equal(value, want, shape_only=shape_only):
            right.append(line)
        else:
            wrong.append(f"rank {trace.rank}: {body.at} {_unlike(value, want, shape_only=shape_only)}")
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, cut(right))


def _judge_length(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    lengths = {t.rank: len(v.items) if isinstance(v := at(t, body.at), SequenceDump) else None for t in case.traces}
    lines = [f"rank {rank}: len({body.at}) = {length}" for rank, length in lengths.items()]
    return (Outcome.HOLDS if set(lengths.values()) == {len(case.group)} else Outcome.REFUTED), cut(lines)


def _equal(value: Value | None, want: Operand, *, shape_only: bool = False) -> bool:
    match value, want:
        case SequenceDump(items=items), list():
            return len(items) == len(want) and all(
                _equal(i, w, shape_only=shape_only) for i, w in zip(items, want, strict=True)
            )
        case TensorDump(), np.ndarray():
            if list(want.shape) != value.shape:
                return False
            return shape_only or (str(want.dtype) == value.dtype and bool(np.array_equal(array(value), want)))
        case ScalarDump(value=scalar), None | int() | float() | str():  # bool is an int, and True is not 1 here
            return isinstance(scalar, bool) == isinstance(want, bool) and scalar == want
        case ObjectDump(), Opaque():
            return plain(value) == want
    return False


def _unlike(value: Value | None, want: Operand, *, shape_only: bool) -> str:
    """``[1, 2] ≠ [1, 3]``; with the types where nothing but these differs: ``int32 [1, 2] ≠ int64 [1, 2]``."""
    texts = show(value), _show_expected(want, shape_only=shape_only)
    if texts[0] == texts[1]:
        texts = typed(value), typed_plain(want)
    return f"{texts[0]} ≠ {texts[1]}"


def _show_expected(want: Operand, *, shape_only: bool) -> str:
    if isinstance(want, list) and shape_only:
        return "[" + ", ".join(_show_expected(item, shape_only=shape_only) for item in want) + "]"
    return f"shape {list(want.shape)}" if shape_only and isinstance(want, np.ndarray) else show_plain(want)


def _judge_equals(case: Case) -> Verdict:
    body = case.claim.equals
    assert body is not None
    want: Operand = [*body.value] if isinstance(body.value, list) else body.value
    wrong, right = [], []
    for trace in case.traces:
        value = at(trace, body.at)
        if value is None:
            return Outcome.ERROR, [said(trace.rank, "nothing_at", slot=body.at)]
        line = f"rank {trace.rank}: {body.at} {show(value)}"
        if _is(value, want):
            right.append(line)
        else:
            wrong.append(f"rank {trace.rank}: {body.at} {_unlike(value, want, shape_only=False)}")
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, cut(right))


def _is(value: Value, want: Operand) -> bool:
    """Whether a recorded value is the one written: tensors are read as numbers, other objects as their ``repr``."""
    if isinstance(value, TensorDump):
        return bool(array(value).tolist() == want)
    if isinstance(value, ObjectDump):
        return value.text == want
    if isinstance(value, SequenceDump):
        items = want if isinstance(want, list) else []
        return len(items) == len(value.items) and all(_is(i, w) for i, w in zip(value.items, items, strict=True))
    return _equal(value, want)


def _judge_aliases(case: Case) -> Verdict:
    body = case.claim.aliases
    assert body is not None
    wrong: list[str] = []
    right: list[str] = []
    for trace in case.traces:
        left = at(trace, body.slot)
        right_value = at(trace, body.with_, before=True)
        if left is None or right_value is None or not hasattr(left, "object") or not hasattr(right_value, "object"):
            return Outcome.ERROR, [said(trace.rank, "nothing_to_compare", slot=body.slot, other=body.with_)]
        storage = {t.storage for t in tensors(left)} & {t.storage for t in tensors(right_value)}
        same_object = left.object == right_value.object
        found = AliasKind.OBJECT if same_object else AliasKind.STORAGE if storage else AliasKind.NOTHING
        line = said(trace.rank, found.value, slot=body.slot, other=body.with_)
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
            wrong.append(said(trace.rank, "printed", got=repr(got), wanted=repr(wanted)))
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, [])


CHECKS: dict[ClaimKind, Callable[[Case], Verdict]] = {
    ClaimKind.WRITES: _judge_writes,
    ClaimKind.KEEPS: _judge_writes,
    ClaimKind.RETURNS: _judge_returns,
    ClaimKind.RESULT: _judge_result,
    ClaimKind.EQUALS: _judge_equals,
    ClaimKind.ALIASES: _judge_aliases,
    ClaimKind.PRINTS: _judge_prints,
}
