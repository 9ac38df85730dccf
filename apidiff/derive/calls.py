"""Writes a probe, its arguments and its results as the code a reader would type."""

from __future__ import annotations

from typing import NamedTuple

from apidiff.model.claim import Claim, Formula, RankSet, Result
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Call, Input
from apidiff.model.probe_resolution import inplace_switch, resolve
from apidiff.model.signature import Signature
from apidiff.model.vocabulary import ApiKind


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
            f"{name}={written_argument(name, value)}" for name, value in arguments.items() if name in api.constructor
        )
        called = ", ".join(
            written_argument(name, value) for name, value in arguments.items() if name not in api.constructor
        )
        return f"{api.name}({made})({called})"
    order = [parameter.name for parameter in signature.parameters] if signature else []
    parts, positional = [], True
    for index, (name, value) in enumerate(arguments.items()):
        code = written_argument(name, value)
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


def _unbound(snippet: Snippet) -> Snippet:
    return snippet._replace(bound="") if snippet.bound == "output = " and not snippet.comments else snippet


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


# What a result is, in symbols: X_r is the input on rank r, k the rank that looks, n the number of ranks, `root` the root
# rank, `peer` the rank at the other end.
SYMBOLS: dict[Formula, str] = {
    Formula.SUM: "Σ_r {x}_r",
    Formula.MAX: "max_r {x}_r",
    Formula.MIN: "min_r {x}_r",
    Formula.PRODUCT: "Π_r {x}_r",
    Formula.AVERAGE: "Σ_r {x}_r / n",
    Formula.CONCATENATED: "concat_r {x}_r",
    Formula.STACKED: "stack_r {x}_r",
    Formula.GATHERED: "[{x}_0, …, {x}_(n-1)]",
    Formula.REDUCED_SLOT: "Σ_r {x}_r[k]",
    Formula.REDUCED_CHUNK: "split(Σ_r {x}_r, n)[k]",
    Formula.EXCHANGED: "[{x}_0[k], …, {x}_(n-1)[k]]",
    Formula.EXCHANGED_CHUNKS: "concat_r split({x}_r, n)[k]",
    Formula.INPUT: "{x}_k",
    Formula.ZEROS: "0 · {x}_k",
    Formula.SHAPE_SAME: "shape = shape({x}_k)",
    Formula.SHAPE_STACKED: "shape = (n, *shape({x}_k))",
    Formula.SHAPE_CONCATENATED: "shape = (n·shape({x}_k)[0], …)",
    Formula.SHAPE_CHUNK: "shape = (shape({x}_k)[0]/n, …)",
    Formula.FROM_ROOT: "{x}_root",
    Formula.SCATTERED: "{x}_root[k]",
    Formula.SCATTERED_CHUNK: "split({x}_root, n)[k]",
    Formula.SENT: "{x}_peer",
    Formula.RANK: "k",
    Formula.WORLD: "n",
    Formula.LENGTH_WORLD: "len = n",
}


def symbols_of(result: Result) -> str:
    """What a result is, in symbols: ``Σ_r tensor_r``."""
    simple = result.of is None or result.of.isidentifier()
    return SYMBOLS[result.formula].format(x=result.of if simple else f"({result.of})")


def written_argument(name: str, value: Argument) -> str:
    """The argument called ``name`` as code; tensors, lists of them and groups are variables of that name."""
    if not isinstance(value, Input):
        return repr(value)
    if value.each is not None:
        return f"[{written_argument(name, value.each)}] * world_size" if is_code(value.each) else name
    if value.list is not None:
        return _listed(value) if is_code(value) else name
    if value.tuple is not None:
        return _tuple([_dimension(size) for size in value.tuple])
    return _inner_call(value.call, "") if value.call is not None else _single(name, value)


def is_code(value: Argument) -> bool:
    """Whether an argument is written out rather than as a variable: anything but tensors, lists of them and groups."""
    if not isinstance(value, Input):
        return True
    if value.each is not None:
        return is_code(value.each)
    if value.list is not None:
        return all(map(is_code, value.list))
    return value.shape is None and value.group is None


def _listed(value: Input) -> str:
    """A list or tuple; the tensors that several calls in it take get the number of the call."""
    given = list(value.list or [])
    calls = [item.call for item in given if isinstance(item, Input) and item.call is not None]
    items = [
        _inner_call(item.call, f"_{index}" if len(calls) > 1 else "")
        if isinstance(item, Input) and item.call is not None
        else written_argument("value", item)
        for index, item in enumerate(given)
    ]
    return _tuple(items) if value.as_tuple else f"[{', '.join(items)}]"


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _dimension(value: int | str) -> str:
    count = str(value).removesuffix("*world")
    if isinstance(value, int):
        return count
    return "world_size" if count == "1" else f"{count} * world_size"


def _inner_call(made: Call, suffix: str) -> str:
    given = [f"{name}={written_argument(name + suffix, argument)}" for name, argument in made.set.items()]
    return f"{made.api}({', '.join(given)})"


def _single(name: str, value: Input) -> str:
    if value.reduce_op is not None:
        return f"ReduceOp.{value.reduce_op}"
    if value.none is not None:
        return "None"
    if value.text is not None:
        text = value.text.replace("{world}", "{world_size}")
        return f"f{text!r}" if "{" in text else repr(text)
    if value.rank_plus is not None:
        sign = "+" if value.rank_plus > 0 else "-"
        return f"(rank {sign} {abs(value.rank_plus)}) % world_size" if value.rank_plus else "rank"
    if value.seconds is not None:
        return f"timedelta(seconds={value.seconds:g})"
    return value.api if value.api is not None else name
