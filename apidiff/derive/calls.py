"""Writes a probe, its arguments and its results as the code a reader would type."""

from __future__ import annotations

from apidiff.model.claim import Formula, Result
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Call, Input
from apidiff.model.probe_resolution import collective_of, resolve
from apidiff.model.signature import Signature
from apidiff.model.vocabulary import ApiKind


def call(api: Api, probe: str, signature: Signature | None = None) -> str:
    """The code of a probe, or its call on one line, e.g. ``torch.distributed.reduce(tensor, dst=0, async_op=True)``.

    Tensors are written as variables of the parameter's name; leading arguments are positional where ``signature`` shows
    the same order.
    """
    if (code := collective_of(api).probes[probe].code) is not None:
        return code
    arguments, _ = resolve(api, probe)
    if api.kind is ApiKind.CONSTANT:
        return api.name
    if api.kind is ApiKind.PRIMITIVE:
        settings = collective_of(api).constructor
        made = ", ".join(
            f"{name}={written_argument(name, value)}" for name, value in arguments.items() if name in settings
        )
        called = ", ".join(written_argument(name, value) for name, value in arguments.items() if name not in settings)
        return f"{api.name}({made})({called})"
    order = [parameter.name for parameter in signature.parameters] if signature else []
    parts, positional = [], True
    for index, (name, value) in enumerate(arguments.items()):
        code = written_argument(name, value)
        positional = positional and code == name and order[index : index + 1] == [name]
        parts.append(code if positional else f"{name}={code}")
    return f"{api.name}({', '.join(parts)})"


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
    Formula.EXCHANGED_PARTS: "concat_r split({x}_r, {sizes}_r)[k]",
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
    return SYMBOLS[result.formula].format(x=result.of if simple else f"({result.of})", sizes=result.sizes)


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
