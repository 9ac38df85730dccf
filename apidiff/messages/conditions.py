"""Says under which condition a claim's probes observe it: what they set that the API's plain call does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from apidiff.derive.arguments import is_code, written
from apidiff.model import Api, Claim, ClaimKind, Input, Layout, Text
from apidiff.model.probe import Argument
from apidiff.model.probe_resolution import caller_ranks, inplace_switch, partner, resolve

Piece = tuple[str, str]  # the same condition in English and in Chinese
_PASSING = re.compile(r"for |when .*? pass(?:es)? ")
_INCIDENTAL = re.compile(r"of another shape$|`[a-z]+=\(rank \+ 1\) % world_size`$")  # between probes that share no base
_ENDS = re.compile(r"(?:when .* the call and|while) .* calls? `[^`]*`$")


def condition(claim: Claim, api: Api) -> Text | None:
    """What all probes of the claim have in common that the plain call lacks, or None."""
    probes = [probe for probe in claim.probes if probe in api.probes]
    if not probes:
        return None
    pieces = [_pieces(api, probe) for probe in probes]
    shared = [piece for piece in pieces[0] if all(piece in other for other in pieces)]
    if not shared and claim.kind in {ClaimKind.RAISES, ClaimKind.COMPLETES}:
        pieces = [_pieces(api, probe, _plain(api, next(iter(api.probes)))) for probe in probes]
        shared = [piece for piece in pieces[0] if all(piece in other for other in pieces)]
        shared = [piece for piece in shared if not _INCIDENTAL.search(piece[0])] or shared
    if not shared and claim.kind in {ClaimKind.RETURNS, ClaimKind.ALIASES} and _has_async(api):
        modes = {resolve(api, probe)[0].get("async_op") is True for probe in probes}
        shared = [("with `async_op=False`", "`async_op=False` 时")] if modes == {False} else []
    if not shared:
        return None
    return Text(en=_joined_en([en for en, _ in shared]), zh=_joined_zh([zh for _, zh in shared]))


def _joined_en(pieces: list[str]) -> str:
    """The English conditions as one; what the same ranks pass is said once: ``for an empty `a` and an empty `b```."""
    joined, lead = "", None
    for piece in pieces:
        head = _PASSING.match(piece)
        repeated = bool(joined) and head is not None and head[0] == lead
        said = piece[head.end() :] if repeated and head else piece
        joined += f"{', ' if _ENDS.match(joined) or joined[-1].isdigit() else ' and '}{said}" if joined else said
        lead = head[0] if head else None
    return joined


def _joined_zh(pieces: list[str]) -> str:
    """The Chinese conditions as one; what the same ranks pass is said once: ``传入空的 `a` 和空的 `b` 时``."""
    joined: list[str] = []
    lead = None
    for piece in [*(one.removesuffix("时").rstrip() for one in pieces[:-1]), pieces[-1]]:
        before, passes, passed = piece.partition("传入")
        if joined and passes and before == lead and not passed.startswith("的"):
            joined[-1] += f" 和{passed}"
        else:
            joined.append(piece)
        lead = before if passes else None
    last = joined.pop()
    return f"{'，'.join(joined)}，且{' ' if last[0].isascii() else ''}{last}" if joined else last


def _has_async(api: Api) -> bool:
    return any(resolve(api, probe)[0].get("async_op") is True for probe in api.probes)


def _plain(api: Api, probe: str) -> str:
    """The probe at the end of the chain of ``like``."""
    while (before := api.probes[probe].like) is not None:
        probe = before
    return probe


def _pieces(api: Api, probe: str, basis: str | None = None) -> list[Piece]:
    """How the probe differs from ``basis``, or else from the probe that it is made from."""
    plain, _ = resolve(api, basis or _plain(api, probe))
    arguments, overrides = resolve(api, probe)
    found = list(_ends(api, probe))
    found += [(f"without `{name}`", f"不传 `{name}` 时") for name in plain if name not in arguments]
    fewer = any(isinstance(value, Input) and value.group for value in arguments.values())
    for name, value in arguments.items():
        if name in plain and (plain[name] == value or (fewer and _shortened(plain[name], value))):
            continue
        found.append(_changed(name, plain.get(name), value))
    uneven = [name for name in arguments if sum(name in changes for changes in overrides.values()) > 1]
    found += [
        (f"when the ranks pass different `{name}`", f"各 rank 传入的 `{name}` {_unlike(name, overrides)}不一致时")
        for name in uneven
    ]
    for rank, changes in overrides.items():
        who_en = f"ranks other than `{api.root}` pass" if rank == "others" else f"rank {rank} passes"
        who_zh = f"`{api.root}` 以外的 rank " if rank == "others" else f"rank {rank} "
        for name in [name for name in changes if name not in uneven]:
            value = changes[name]
            if rank == "others" and _same_list(arguments.get(name), value):
                found.append((f"when {who_en} {_article(name)} `{name}` too", f"{who_zh}也传入 `{name}` 时"))
                continue
            en, zh = _passed(name, arguments.get(name), value, one_rank=rank != "others")
            found.append((f"when {who_en} {en}", f"{who_zh}传入{zh}时"))
    if (switch := inplace_switch(api, probe)) is not None:
        found.append((f"after `set_comm_ops_inplace({switch})`", f"执行 `set_comm_ops_inplace({switch})` 之后"))
    return found


def _ends(api: Api, probe: str) -> Iterator[Piece]:
    """Who makes the call and what the other end does, where a probe says so."""
    ranks, other = caller_ranks(api, probe), partner(api, probe)
    if other is None:
        if ranks:
            yield f"when only {_numbers(ranks)[0]} {_s('make', ranks)} the call", f"只有 {_numbers(ranks)[1]} 调用时"
        return
    en, zh = _numbers(other.ranks)
    answer = f"{en} {_s('call', other.ranks)} `{other.api}`", f"{zh} 调用 `{other.api}`"
    if not ranks:
        yield f"while {answer[0]}", f"{answer[1]} 时"
        return
    calling = _numbers(ranks)
    yield f"when {calling[0]} {_s('make', ranks)} the call and {answer[0]}", f"{calling[1]} 发起调用、{answer[1]} 时"


def _numbers(ranks: list[int]) -> Piece:
    listed = [str(rank) for rank in ranks]
    en = f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else listed[0]
    return f"rank{'s' if len(listed) > 1 else ''} {en}", f"rank {'、'.join(listed)}"


def _s(verb: str, ranks: list[int]) -> str:
    return verb if len(ranks) > 1 else f"{verb}s"


def _changed(name: str, before: Argument, value: Argument) -> Piece:
    if isinstance(value, Input):
        if value.reduce_op is not None:
            return f"with `{name}=ReduceOp.{value.reduce_op}`", f"`{name}=ReduceOp.{value.reduce_op}` 时"
        if value.group is not None:
            if value.by_name:
                return f"with `{name}` given as a string", f"`{name}` 以字符串传入时"
            if value.group:
                ranks = ", ".join(map(str, value.group))
                return f"with a group of ranks {ranks}", f"通信组只含 rank {ranks.replace(', ', '、')} 时"
            return f"with `{name}` given explicitly", f"显式传入 `{name}` 时"
        if _told_as_code(value):
            return f"with `{name}={written(name, value)}`", f"`{name}={written(name, value)}` 时"
        en, zh = _passed(name, before, value)
        return f"for {en}", f"传入{zh}时"
    return f"with `{name}={value!r}`", f"`{name}={value!r}` 时"


def _unlike(name: str, overrides: dict[str, dict[str, Argument]]) -> str:
    """In Chinese, in what the ranks' arguments differ, where it can be only one thing."""
    tensors = [_tensor(changes[name]) for changes in overrides.values() if name in changes]
    return "形状" if all(tensors) and len({(one.dtype, one.layout) for one in tensors if one}) == 1 else ""


def _passed(name: str, before: Argument, value: Argument, *, one_rank: bool = False) -> Piece:
    """How an argument differs from the one of the plain call: form, dtype, layout, emptiness, length or shape.

    ``one_rank``: the other ranks pass ``before``.
    """
    if not isinstance(value, Input) or _told_as_code(value):
        return f"`{name}={written(name, value)}`", f" `{name}={written(name, value)}` "
    inner, old, listed = _tensor(value), _tensor(before), value.shape is None
    a, whose = _article(name), "元素" if listed else ""
    items = [one for one in map(_tensor, value.list or []) if one]
    if value.list is not None and not items:
        en, zh = f"an empty list as `{name}`", "长度为 0 "
    elif inner is None or (old is None and not listed and 0 not in (inner.shape or [])):
        en, zh = f"another form of `{name}`", "另一种形式"
    elif inner.shape is not None and 0 in inner.shape:
        en, zh = (f"{a} `{name}` of empty tensors", "元素均为空张量") if listed else (f"an empty `{name}`", "空")
    elif old is None:
        en, zh = f"tensors in `{name}`", "由张量组成"
    elif len({one.dtype for one in items}) > 1:
        en, zh = f"{a} `{name}` of mixed dtypes", "各元素 dtype 不一"
    elif inner.dtype != old.dtype:
        en, zh = f"`{name}` of dtype {inner.dtype}", f"{whose} dtype 为 {inner.dtype} "
    elif inner.layout is Layout.STRIDED and old.layout is not Layout.STRIDED:
        en, zh = f"a non-contiguous `{name}`", f"{whose}非连续"
    elif len({tuple(one.shape or ()) for one in items}) > 1:
        en, zh = f"{a} `{name}` of unequal shapes", "各元素形状不一"
    elif isinstance(before, Input) and before.each is not None and value.list is not None:
        en, zh = f"{a} `{name}` of length {len(items)}", f"长度为 {len(items)} "
    else:
        shape = f"{whose}形状与其他 rank 不同" if one_rank else f"{whose and '元素为'}其他形状"
        en, zh = f"{a} `{name}` of another shape", shape
    return en, f"{zh}的 `{name}` "


def _told_as_code(value: Input) -> bool:
    """Whether an argument is best told by its code; an empty list says more in words, tensors can only be told so."""
    return is_code(value) and (value.list is None or len(value.list) > 0)


def _article(name: str) -> str:
    return "an" if name[0] in "aeiou" else "a"


def _same_list(before: Argument, value: Argument) -> bool:
    """Whether both are lists with one tensor per rank that differ in the numbers at most."""
    if not (
        isinstance(before, Input) and isinstance(value, Input) and before.each is not None and value.each is not None
    ):
        return False
    old, new = _tensor(before), _tensor(value)
    if old is None or new is None:
        return False
    return (old.shape, old.dtype, old.layout) == (new.shape, new.dtype, new.layout)


def _shortened(before: Argument, value: Argument) -> bool:
    """Whether a list with one element per rank only became a list written out, as a smaller group needs it."""
    if not isinstance(before, Input) or not isinstance(value, Input):
        return False
    return before.each is not None and value.list is not None and _tensor(value) == before.each


def _tensor(value: Argument) -> Input | None:
    """The tensor an argument is, or that its elements are."""
    if not isinstance(value, Input):
        return None
    if value.shape is not None:
        return value
    if value.each is not None:
        return _tensor(value.each)
    return _tensor(value.list[0]) if value.list else None
