"""Writes a probe as the code a reader would type."""

from __future__ import annotations

from apidiff.model import Api, ApiKind, Claim, RankSet
from apidiff.model.signature import Signature
from apidiff.model.spec import inplace_switch, resolve
from apidiff.render.arguments import written
from apidiff.render.phrases import symbols_of


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


def snippet(api: Api, probe: str, claims: list[Claim], signature: Signature | None = None) -> str:
    """The call with what it returns bound to names, the wait where it returns a handle, and where the result then is.

    ``claims``: those that say so. A reader takes what stands here for true, so pass none that no run has shown to hold.
    """
    structure = next(
        (c.returns.structure for c in claims if c.returns and probe in c.probes and _all(c.returns.ranks)), "None"
    )
    bound = {"None": "", "Tensor": "output = ", "Work": "handle = ", "CommHandle": "handle = "}.get(structure)
    if bound is None:
        bound = (
            "output, handle = "
            if structure.endswith("CommHandle)")
            else "output, _ = "
            if structure.endswith("None)")
            else "output = "
        )
    lines = [f"{bound}{call(api, probe, signature)}"]
    if (switch := inplace_switch(api, probe)) is not None:
        lines.insert(0, f"mindspore.ops.communication.set_comm_ops_inplace({switch})")
    if "handle = " in bound:
        lines.append("handle.wait()")
    for claim in claims:
        if claim.result and probe in claim.probes and not claim.result.formula.value.startswith(("shape", "length")):
            place = claim.result.at.replace("return[0]", "output").replace("return", "output")
            where = {RankSet.ROOT: f"rank == {api.root}: ", RankSet.OTHERS: f"rank != {api.root}: "}
            if claim.result.ranks is not RankSet.PARTNERS:
                lines.append(f"# {where.get(claim.result.ranks, '')}{place} = {symbols_of(claim.result)}")
    return "\n".join(lines)


def _all(ranks: RankSet) -> bool:
    return ranks is RankSet.ALL
