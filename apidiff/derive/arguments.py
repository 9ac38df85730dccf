"""Writes an argument of a probe as the code a reader would type."""

from __future__ import annotations

from apidiff.model import Input
from apidiff.model.probe import Argument, Call


def written(name: str, value: Argument) -> str:
    """The argument called ``name`` as code; tensors, lists of them and groups are variables of that name."""
    if not isinstance(value, Input):
        return repr(value)
    if value.each is not None:
        return f"[{written(name, value.each)}] * world_size" if is_code(value.each) else name
    if value.list is not None:
        return _listed(value) if is_code(value) else name
    if value.tuple is not None:
        return _tuple([_dimension(one) for one in value.tuple])
    return _call(value.call, "") if value.call is not None else _single(name, value)


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
        _call(item.call, f"_{index}" if len(calls) > 1 else "")
        if isinstance(item, Input) and item.call is not None
        else written("value", item)
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


def _call(made: Call, suffix: str) -> str:
    return f"{made.api}({', '.join(f'{name}={written(name + suffix, one)}' for name, one in made.set.items())})"


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
