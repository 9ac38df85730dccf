"""Checks one claim by what ranks recorded when nothing was raised; one check per kind of claim."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import numpy as np

from apidiff.judge import oracle
from apidiff.judge.case import Case, Verdict, cut, input_of, source_of
from apidiff.judge.recorded_values import (
    Opaque,
    Operand,
    array,
    at,
    content_of,
    has_structure,
    in_buffer,
    plain,
    rest,
    show,
    show_numbers,
    show_plain,
    structure_of,
    tensors,
    typed,
    typed_plain,
)
from apidiff.model.claim import EXAMPLE_WORLD_SIZE, AliasKind, ClaimKind, Formula
from apidiff.model.trace import ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.model.verdict import Evidence, EvidenceCode, Outcome, evidence


def _judge_writes(case: Case) -> Verdict:
    body = case.claim.writes or case.claim.keeps
    assert body is not None
    changed: list[Evidence] = []
    same: list[Evidence] = []
    for trace in case.traces:
        old, new = at(trace, body.argument, before=True), at(trace, body.argument)
        if old is None or new is None:
            return Outcome.ERROR, [evidence(EvidenceCode.NOTHING_AT, trace.rank, slot=body.argument)]
        if content_of(old) == content_of(new):
            same.append(evidence(EvidenceCode.UNCHANGED, trace.rank, slot=body.argument, value=show(old)))
        else:
            before, after = (show(old), show(new)) if show(old) != show(new) else (typed(old), typed(new))
            changed.append(evidence(EvidenceCode.CHANGED, trace.rank, slot=body.argument, before=before, after=after))
    if case.claim.keeps is not None:
        return (Outcome.REFUTED, cut(changed)) if changed else (Outcome.HOLDS, cut(same))
    some = case.claim.writes is not None and case.claim.writes.some
    holds = bool(changed) if some else not same
    return (Outcome.HOLDS, cut(changed)) if holds else (Outcome.REFUTED, cut(same))


def _judge_keeps_rest(case: Case) -> Verdict:
    body = case.claim.keeps_rest
    assert body is not None
    changed: list[Evidence] = []
    same: list[Evidence] = []
    for trace in case.traces:
        old, new = tensors(at(trace, body.argument, before=True)), tensors(at(trace, body.argument))
        around_old, around_new = rest(old), rest(new)
        if not old or len(old) != len(new) or around_old is None or around_new is None:
            return Outcome.ERROR, [evidence(EvidenceCode.NOTHING_AROUND, trace.rank, slot=body.argument)]
        before, after = show_numbers(around_old), show_numbers(around_new)
        if around_old == around_new:
            same.append(evidence(EvidenceCode.REST_UNCHANGED, trace.rank, slot=body.argument, value=before))
        else:
            fact = evidence(EvidenceCode.REST_CHANGED, trace.rank, slot=body.argument, before=before, after=after)
            changed.append(fact)
    return (Outcome.REFUTED, cut(changed)) if changed else (Outcome.HOLDS, cut(same))


def _judge_returns(case: Case) -> Verdict:
    body = case.claim.returns
    assert body is not None
    wrong = [trace for trace in case.traces if not has_structure(trace.returned, body.structure)]
    if wrong:
        return Outcome.REFUTED, cut([_returned(trace) for trace in wrong])
    return Outcome.HOLDS, [_returned(case.traces[0])]


def _returned(trace: RankTrace) -> Evidence:
    if trace.returned is None:
        return evidence(EvidenceCode.RETURN_NOT_RECORDED, trace.rank)
    return evidence(EvidenceCode.RETURNED, trace.rank, value=structure_of(trace.returned))


def _judge_result(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    if body.formula is Formula.LENGTH_WORLD:
        return _judge_length(case)
    before = {trace.rank: at(trace, body.of, before=True) for trace in case.run.ranks} if body.of else {}
    given = {rank: value for rank, value in before.items() if value is not None}
    traces = {trace.rank: trace for trace in case.run.ranks}
    inputs = {rank: input_of(body, traces[rank]) if rank in given else None for rank in range(case.record.world_size)}
    shape_only = body.formula.value.startswith("shape-")
    bfloat16 = {tensor.dtype for value in given.values() for tensor in tensors(value)} == {"bfloat16"}
    wrong: list[Evidence] = []
    right: list[Evidence] = []
    for trace in case.traces:
        group = case.group_of(trace.rank)
        if trace.rank not in group:
            continue
        place, source = group.index(trace.rank), source_of(case, body.formula, trace.rank, body.at)
        if source is None:
            return Outcome.ERROR, [evidence(EvidenceCode.NO_OTHER_END, trace.rank)]
        wanted = [group[needed] for needed in oracle.needed(body.formula, len(group), place, source)]
        if missing := [rank for rank in wanted if rank not in given]:
            return Outcome.ERROR, cut([evidence(EvidenceCode.NO_INPUT, rank, slot=body.of) for rank in missing])
        try:
            want = oracle.expected(body.formula, [inputs[rank] for rank in group], place, source)
        except oracle.NotComputable as error:
            return Outcome.ERROR, [error.why]
        value = at(trace, body.at)
        if part := _detached(trace, body.at):
            assert part.buffer is not None
            held = show_numbers([part.buffer.values[place] for place in part.buffer.places])
            fact = evidence(EvidenceCode.NOT_IN_BUFFER, trace.rank, slot=body.at, value=show(part), buffer=held)
            wrong.append(fact)
        elif _equal(value, want, shape_only=shape_only, bfloat16=bfloat16):
            right.append(evidence(EvidenceCode.VALUE, trace.rank, slot=body.at, value=show(value)))
        else:
            wrong.append(_unexpected(trace.rank, body.at, value, want, shape_only=shape_only))
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, cut(right))


def _judge_length(case: Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    lengths = {t.rank: len(v.items) if isinstance(v := at(t, body.at), SequenceDump) else None for t in case.traces}
    facts = [evidence(EvidenceCode.LENGTH, rank, slot=body.at, length=length) for rank, length in lengths.items()]
    return (Outcome.HOLDS if set(lengths.values()) == {len(case.group)} else Outcome.REFUTED), cut(facts)


def _detached(trace: RankTrace, slot: str) -> TensorDump | None:
    """A tensor at ``slot`` that was a part of a larger one before the call, and whose values the larger one now lacks."""
    parts = zip(tensors(at(trace, slot, before=True)), tensors(at(trace, slot)), strict=False)
    for before, after in parts:
        if in_buffer(before) is not None and after.buffer is not None:
            held = [after.buffer.values[place] for place in after.buffer.places]
            if held != after.values:
                return after
    return None


def _equal(value: Value | None, want: Operand, *, shape_only: bool = False, bfloat16: bool = False) -> bool:
    """Whether a recorded value is the computed one. ``bfloat16``: so are the inputs, which NumPy computes as float32."""
    match value, want:
        case SequenceDump(items=items), list():
            return len(items) == len(want) and all(
                _equal(i, w, shape_only=shape_only, bfloat16=bfloat16) for i, w in zip(items, want, strict=True)
            )
        case TensorDump(), np.ndarray():
            if list(want.shape) != value.shape:
                return False
            dtype = "bfloat16" if bfloat16 and want.dtype == np.float32 else str(want.dtype)
            return shape_only or (dtype == value.dtype and bool(np.array_equal(array(value), want)))
        case ScalarDump(value=scalar), None | int() | float() | str():  # bool is an int, and True is not 1 here
            return isinstance(scalar, bool) == isinstance(want, bool) and scalar == want
        case ObjectDump(), Opaque():
            return plain(value) == want
    return False


def _unexpected(rank: int, slot: str, value: Value | None, want: Operand, *, shape_only: bool = False) -> Evidence:
    """``[1, 2] ≠ [1, 3]``; with the types where nothing but these differs: ``int32 [1, 2] ≠ int64 [1, 2]``."""
    wanted = _show_expected(want, shape_only=shape_only)
    if value is None:
        return evidence(EvidenceCode.ABSENT, rank, slot=slot, wanted=wanted)
    shown = show(value)
    if shown == wanted:
        shown, wanted = typed(value), typed_plain(want)
    return evidence(EvidenceCode.UNEXPECTED, rank, slot=slot, value=shown, wanted=wanted)


def _show_expected(want: Operand, *, shape_only: bool) -> str:
    if isinstance(want, list) and shape_only:
        return "[" + ", ".join(_show_expected(item, shape_only=shape_only) for item in want) + "]"
    return f"shape {list(want.shape)}" if shape_only and isinstance(want, np.ndarray) else show_plain(want)


def _judge_equals(case: Case) -> Verdict:
    body = case.claim.equals
    assert body is not None
    want: Operand = [*body.value] if isinstance(body.value, list) else body.value
    wrong: list[Evidence] = []
    right: list[Evidence] = []
    for trace in case.traces:
        value = at(trace, body.at)
        if value is None:
            return Outcome.ERROR, [evidence(EvidenceCode.NOTHING_AT, trace.rank, slot=body.at)]
        if _is_repr(value, body.value) if body.as_repr else _is(value, want):
            right.append(evidence(EvidenceCode.VALUE, trace.rank, slot=body.at, value=show(value)))
        else:
            wrong.append(_unexpected(trace.rank, body.at, value, want))
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, cut(right))


def _is_repr(value: Value, want: object) -> bool:
    """Whether a recorded value is an object of which ``repr`` shows what is written."""
    return isinstance(value, ObjectDump) and value.text == want


def _is(value: Value, want: Operand) -> bool:
    """Whether a recorded value is the one written: tensors are read as numbers; an object is none of the values."""
    if isinstance(value, TensorDump):
        return bool(array(value).tolist() == want)
    if isinstance(value, SequenceDump):
        items = want if isinstance(want, list) else []
        return len(items) == len(value.items) and all(_is(i, w) for i, w in zip(value.items, items, strict=True))
    return _equal(value, want)


_SHARED = {
    AliasKind.OBJECT: EvidenceCode.SAME_OBJECT,
    AliasKind.STORAGE: EvidenceCode.SAME_STORAGE,
    AliasKind.NOTHING: EvidenceCode.NOTHING_SHARED,
}


def _judge_aliases(case: Case) -> Verdict:
    body = case.claim.aliases
    assert body is not None
    wrong: list[Evidence] = []
    right: list[Evidence] = []
    for trace in case.traces:
        left = at(trace, body.slot)
        right_value = at(trace, body.with_, before=True)
        if left is None or right_value is None or not hasattr(left, "object") or not hasattr(right_value, "object"):
            missing = evidence(EvidenceCode.NOTHING_TO_COMPARE, trace.rank, slot=body.slot, other=body.with_)
            return Outcome.ERROR, [missing]
        storage = {t.storage for t in tensors(left)} & {t.storage for t in tensors(right_value)}
        same_object = left.object == right_value.object
        share = AliasKind.OBJECT if same_object else AliasKind.STORAGE if storage else AliasKind.NOTHING
        fact = evidence(_SHARED[share], trace.rank, slot=body.slot, other=body.with_)
        fits = share is body.share or (body.share is AliasKind.STORAGE and bool(storage))
        (right if fits else wrong).append(fact)
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, right[:1])


def _judge_prints(case: Case) -> Verdict:
    if case.record.world_size != EXAMPLE_WORLD_SIZE:
        return Outcome.NOT_RUN, []
    wrong = []
    for trace in case.traces:
        want = [line for line in case.expected if line.startswith(f"rank {trace.rank}: ")]
        if trace.output != want:
            pairs = zip_longest(trace.output, want)
            wrong.append(_printed(trace.rank, *next(pair for pair in pairs if pair[0] != pair[1])))
    return (Outcome.REFUTED, cut(wrong)) if wrong else (Outcome.HOLDS, [])


def _printed(rank: int, got: str | None, wanted: str | None) -> Evidence:
    if got is None:
        return evidence(EvidenceCode.PRINTED_NOTHING, rank, wanted=repr(wanted))
    if wanted is None:
        return evidence(EvidenceCode.PRINTED_MORE, rank, got=repr(got))
    return evidence(EvidenceCode.PRINTED, rank, got=repr(got), wanted=repr(wanted))


CHECKS: dict[ClaimKind, Callable[[Case], Verdict]] = {
    ClaimKind.WRITES: _judge_writes,
    ClaimKind.KEEPS: _judge_writes,
    ClaimKind.KEEPS_REST: _judge_keeps_rest,
    ClaimKind.RETURNS: _judge_returns,
    ClaimKind.RESULT: _judge_result,
    ClaimKind.EQUALS: _judge_equals,
    ClaimKind.ALIASES: _judge_aliases,
    ClaimKind.PRINTS: _judge_prints,
}
