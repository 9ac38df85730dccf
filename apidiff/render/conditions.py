"""Says under which condition a claim's probes observe it: what they set that the API's plain call does not."""

from __future__ import annotations

from apidiff.model import Api, Claim, ClaimKind, Input, Layout, Text
from apidiff.model.probe import Argument
from apidiff.model.spec import inplace_switch, resolve

Piece = tuple[str, str]  # the same condition in English and in Chinese


def condition(claim: Claim, api: Api) -> Text | None:
    """What all probes of the claim have in common that the plain call lacks, or None."""
    probes = [probe for probe in claim.probes if probe in api.probes]
    if not probes:
        return None
    pieces = [_pieces(api, probe) for probe in probes]
    shared = [piece for piece in pieces[0] if all(piece in other for other in pieces)]
    if not shared and claim.kind in {ClaimKind.RETURNS, ClaimKind.ALIASES} and _has_async(api):
        modes = {resolve(api, probe)[0].get("async_op") is True for probe in probes}
        shared = [("with `async_op=False`", "`async_op=False` 时")] if modes == {False} else []
    if not shared:
        return None
    chinese = [zh.removesuffix("时") for _, zh in shared[:-1]] + [shared[-1][1]]
    return Text(en=" and ".join(en for en, _ in shared), zh="，且".join(chinese))


def _has_async(api: Api) -> bool:
    return any(resolve(api, probe)[0].get("async_op") is True for probe in api.probes)


def _plain(api: Api, probe: str) -> str:
    """The probe at the end of the chain of ``like``."""
    while (before := api.probes[probe].like) is not None:
        probe = before
    return probe


def _pieces(api: Api, probe: str) -> list[Piece]:
    plain, _ = resolve(api, _plain(api, probe))
    arguments, overrides = resolve(api, probe)
    found = [(f"without `{name}`", f"不传 `{name}` 时") for name in plain if name not in arguments]
    for name, value in arguments.items():
        if name not in plain or plain[name] != value:
            found.append(_changed(name, plain.get(name), value))
    for rank, changes in overrides.items():
        who_en = f"ranks other than `{api.root}` pass" if rank == "others" else f"rank {rank} passes"
        who_zh = f"`{api.root}` 以外的 rank " if rank == "others" else f"rank {rank} "
        for name, value in changes.items():
            en, zh = _passed(name, arguments.get(name), value)
            found.append((f"when {who_en} {en}", f"{who_zh}传入{zh}时"))
    if (switch := inplace_switch(api, probe)) is not None:
        found.append((f"after `set_comm_ops_inplace({switch})`", f"执行 `set_comm_ops_inplace({switch})` 之后"))
    return found


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
        en, zh = _passed(name, before, value)
        return f"for {en}", f"传入{zh}时"
    return f"with `{name}={value!r}`", f"`{name}={value!r}` 时"


def _passed(name: str, before: Argument, value: Argument) -> Piece:
    """How an argument differs from the one of the plain call: dtype, layout, emptiness, shape or length."""
    inner, old = _tensor(value), _tensor(before)
    if inner is None or not isinstance(value, Input):
        return f"`{name}={value!r}`" if not isinstance(value, Input) else f"another `{name}`", (
            f" `{name}={value!r}` " if not isinstance(value, Input) else f"另一种 `{name}` "
        )
    if old is not None and inner.dtype != old.dtype:
        return f"`{name}` of dtype {inner.dtype}", f" dtype 为 {inner.dtype} 的 `{name}` "
    if inner.layout is Layout.STRIDED and (old is None or old.layout is not Layout.STRIDED):
        return f"a non-contiguous `{name}`", f"非连续的 `{name}` "
    if inner.shape is not None and 0 in inner.shape:
        return f"an empty `{name}`", f"空的 `{name}` "
    if isinstance(before, Input) and (before.each is None) != (value.each is None):
        return f"a `{name}` of another length", f"长度不同的 `{name}` "
    if old is not None and inner.shape != old.shape:
        return f"a `{name}` of another shape", f"形状不同的 `{name}` "
    return f"another `{name}`", f"另一种 `{name}` "


def _tensor(value: Argument) -> Input | None:
    """The tensor an argument is, or that its elements are."""
    if not isinstance(value, Input):
        return None
    if value.shape is not None:
        return value
    if value.each is not None:
        return _tensor(value.each)
    return _tensor(value.list[0]) if value.list else None
