"""Writes a probe as the code a reader would type."""

from __future__ import annotations

from typing import NamedTuple

from apidiff.derive.arguments import written
from apidiff.messages.phrases import symbols_of
from apidiff.model import Api, ApiKind, Claim, RankSet
from apidiff.model.probe_resolution import inplace_switch, resolve
from apidiff.model.signature import Signature


def call(api: Api, probe: str, signature: Signature | None = None) -> str:
    """The call of a probe on one line, e.g. ``torch.distributed.reduce(tensor, dst=0, async_op=True)``.

    Tensors are written as variables of the parameter's name; leading arguments are positional where ``signature`` shows
    the same order.
    """
    arguments, _ = resolve(api, probe)
    if api.kind is ApiKind.CONSTANT:
        return api.name
    if api.kind is ApiKind.PRIMITIVE:
        made = ", ".join(
            f"{name}={written(name, value)}" for name, value in arguments.items() if name in api.constructor
        )
        called = ", ".join(written(name, value) for name, value in arguments.items() if name not in api.constructor)
        return f"{api.name}({made})({called})"
    order = [parameter.name for parameter in signature.parameters] if signature else []
    parts, positional = [], True
    for index, (name, value) in enumerate(arguments.items()):
        code = written(name, value)
        positional = positional and code == name and order[index : index + 1] == [name]
        parts.append(code if positional else f"{name}={code}")
    return f"{api.name}({', '.join(parts)})"


class Snippet(NamedTuple):
    """The plain call of an API as a reader would type it: the lines, and comments that say where the result then is.

    ``bound``: the names that take what it returns, None where no claim says what becomes of the call.
    """

    ahead: list[str]
    bound: str | None
    call: str
    comments: list[str]
    constant: bool = False

    def __str__(self) -> str:
        bound = self.bound or ""
        wait = ["handle.wait()"] if "handle" in bound.split(" = ")[0] else []
        return "\n".join([*self.ahead, f"{bound}{self.call}", *wait, *self.comments])


def snippet(api: Api, probe: str, claims: list[Claim], signature: Signature | None = None) -> Snippet:
    """The call with what it returns bound to names, the wait where it returns a handle, and where the result then is.

    ``claims``: those that say so. A reader takes what stands here for true, so pass none that no run has shown to hold.
    """
    mine = [claim for claim in claims if probe in claim.probes]
    structure = next((c.returns.structure for c in mine if c.returns and _all(c.returns.ranks)), None)
    results = [claim.result for claim in mine if claim.result]
    bound: str | None
    if api.kind is ApiKind.CONSTANT:
        bound = ""
    elif structure is None:
        bound = None if not results else "output = " if any(one.at.startswith("return") for one in results) else ""
    else:
        bound = _bound(structure)
    switch = inplace_switch(api, probe)
    ahead = [] if switch is None else [f"mindspore.ops.communication.set_comm_ops_inplace({switch})"]
    where = {RankSet.ROOT: f"rank == {api.root}: ", RankSet.OTHERS: f"rank != {api.root}: "}
    comments = []
    for result in results:
        if result.ranks is RankSet.PARTNERS or result.formula.value.startswith(("shape", "length")):
            continue
        place = result.at.replace("return[0]", "output").replace("return", "output")
        comments.append(f"# {where.get(result.ranks, '')}{place} = {symbols_of(result)}")
    return Snippet(ahead, bound, call(api, probe, signature), comments, api.kind is ApiKind.CONSTANT)


def side_by_side(before: Snippet | None, after: Snippet | None) -> tuple[str, str]:
    """Both calls as they stand beside each other, told alike; two empty texts where one has nothing to stand beside.

    What is said of one side only would read as a difference: a comment, or a result where nothing is known of the other's.
    """
    if before is None or after is None or before.constant is not after.constant:
        return "", ""
    if not (before.comments and after.comments):
        before, after = before._replace(comments=[]), after._replace(comments=[])
    if None in {before.bound, after.bound}:
        before, after = _unbound(before), _unbound(after)
    return str(before), str(after)


def _unbound(one: Snippet) -> Snippet:
    return one._replace(bound="") if one.bound == "output = " and not one.comments else one


def _bound(structure: str) -> str:
    bound = {"None": "", "Tensor": "output = ", "Work": "handle = ", "CommHandle": "handle = "}.get(structure)
    if bound is not None:
        return bound
    return (
        "output, handle = "
        if structure.endswith("CommHandle)")
        else "output, _ = "
        if structure.endswith("None)")
        else "output = "
    )


def _all(ranks: RankSet) -> bool:
    return ranks is RankSet.ALL
