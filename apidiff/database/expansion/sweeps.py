"""Makes the probes and claims of sweeps: the plain call with every dtype, and with parts of larger tensors.

A family says once what a sweep runs through. For each API of a record that makes one of the calls ``of`` the sweep, and each
value, a probe is made that is like that call, and each claim on its result is made of that probe too. A part of a larger
tensor is passed as one argument at a time; what lies around it is then claimed to keep its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from apidiff.database.expansion.origins import ORIGIN, Plain, counted
from apidiff.model.probe import PARTS_OF_ONE, Layout, Sweep
from apidiff.model.probe_resolution import MAX_LIKE

_PARTS_OF_ONE = {layout.value for layout in PARTS_OF_ONE}
_WORLD_SIZE = 3  # a partial sum does not show with two


def expand_sweeps(record: Plain) -> Plain:
    """``record`` with the probes and claims of its sweeps in its source and its targets."""
    sweeps: dict[str, Plain] = record.get("sweeps", {})
    done = {key: value for key, value in record.items() if key != "sweeps"}
    if sweeps:
        done["source"] = _swept(record["source"], sweeps, 0)
        values = counted(0, done["source"])
        done["targets"] = {}
        for name, block in record["targets"].items():
            done["targets"][name] = _swept(block, sweeps, values)
            values = counted(values, done["targets"][name])
    return done


def _swept(block: Plain, sweeps: dict[str, Plain], before: int) -> Plain:
    """``block`` with what its sweeps make; ``before``: how many values the blocks before it hold."""
    probes, claims = dict(block.get("probes", {})), dict(block.get("claims", {}))
    for kind, sweep in sweeps.items():
        plain = next((name for name in sweep["of"] if name in probes), None)
        results = {key: claim for key, claim in claims.items() if _tells_values(claim) and plain in claim.get("by", [])}
        if plain is None or not results:
            continue
        make = _dtype_probes if kind == Sweep.DTYPE.value else _view_probes
        for made, changes, rest in make(_arguments(probes, plain), sweep["over"]):
            before = counted(before, {"made": [changes, *results.values()], ORIGIN: block[ORIGIN]})
            name = f"{made}-part" if made in probes else made  # a record may have a probe of that name
            sizes = probes[plain].get("world_sizes") or [_WORLD_SIZE]
            size = _WORLD_SIZE if _WORLD_SIZE in sizes else sizes[0]
            probes[name] = {"like": plain, **changes, "world_sizes": [size], "sweep": kind, ORIGIN: block[ORIGIN]}
            for key, claim in results.items():
                kept = {part: claim[part] for part in claim if part not in {"by", "stated"}}
                claims[f"{key}-{name}"] = {**kept, "by": [name]}
            if rest is not None and any(_argument_of(claim.get("at", "")) == rest for claim in results.values()):
                alone = any(rest in row and row[rest] is None for row in _arguments(probes, plain)["on_rank"].values())
                ranks = {"ranks": "root"} if alone else {}  # others pass nothing around which anything lies
                claims[f"rest-kept-{name}"] = {"keeps_rest": rest, **ranks, "by": [name], ORIGIN: block[ORIGIN]}
    return {**block, "probes": probes, "claims": claims} if probes else block


def _arguments(probes: Plain, name: str | None) -> Plain:
    """What a probe sets, its partner and what single ranks set instead, with ``like`` worked out. Raises DataError."""
    chain: list[str] = []
    while name is not None:
        if name not in probes or len(chain) > MAX_LIKE:
            steps = f"another over more than {MAX_LIKE} steps" if name in probes else f"{name!r}, which is not there"
            raise probes[chain[-1]][ORIGIN].error(
                f"probe {chain[0]!r} is like {steps}", "Name one of the same API in 'like'."
            )
        chain.append(name)
        name = probes[name].get("like")
    done: Plain = {"set": {}, "on_rank": {}}
    for probe in (probes[step] for step in reversed(chain)):
        given = {**done["set"], **probe.get("set", {})}
        partner = probe.get("partner", done.get("partner"))
        done = {
            "set": {key: value for key, value in given.items() if key not in probe.get("drop", [])},
            "on_rank": {**done["on_rank"], **probe.get("on_rank", {})},
            **({"partner": partner} if partner else {}),
        }
    return done


def _tells_values(claim: Plain) -> bool:
    return not (claim.get("result") or "length-").startswith(("length-", "shape-"))


def _argument_of(slot: str) -> str:
    return re.split(r"[\[.]", slot, maxsplit=1)[0]


def _dtype_probes(arguments: Plain, dtypes: list[str]) -> Iterator[tuple[str, Plain, None]]:
    """The name of each probe and what it changes of the plain call: the dtype of every tensor."""
    for dtype in dtypes:
        small = {"dtype": dtype}

        def changed(tensor: Plain, small: Plain = small) -> Plain:
            return {**tensor, **small} if tensor.get("fill") == "sentinel" else {**tensor, **small, "fill": "small"}

        yield f"dtype-{dtype}", _mapped(arguments, changed), None


def _view_probes(arguments: Plain, layouts: list[str]) -> Iterator[tuple[str, Plain, str | None]]:
    """The same for each argument that is a tensor or a list of tensors, and the argument where something lies around it."""
    for name, value in arguments["set"].items():
        tensors = list(_tensors(value))
        several = len(tensors) > 1 or (isinstance(value, dict) and "each" in value)
        alike = len({str(tensor["shape"]) for tensor in tensors}) == 1
        for layout in layouts if tensors else []:
            if layout in _PARTS_OF_ONE and not (several and alike):
                continue
            transposed = layout == Layout.TRANSPOSED.value

            def widened(tensor: Plain) -> Plain:
                return {**tensor, "shape": [*tensor["shape"], 2]}

            def carved(tensor: Plain, layout: str = layout) -> Plain:
                return {**tensor, "layout": layout}

            made = _mapped(arguments, widened) if transposed else arguments
            mine = {"set": {name: made["set"][name]}, "on_rank": _of_argument(made["on_rank"], name)}
            mine = _mapped(mine, carved)
            changes = made if transposed else {}
            changes = {
                **changes,
                "set": {**changes.get("set", {}), **mine["set"]},
                "on_rank": {
                    rank: {**row, **mine["on_rank"].get(rank, {})} for rank, row in made["on_rank"].items() if row
                },
            }
            filling = layout in {Layout.TRANSPOSED.value, Layout.CHUNKS.value}  # nothing lies around
            yield f"{layout}-{name.replace('_', '-')}", changes, None if filling else name


def _of_argument(rows: Plain, name: str) -> Plain:
    return {rank: {name: row[name]} for rank, row in rows.items() if name in row}


def _tensors(value: Any) -> Iterator[Plain]:
    """The tensors in an argument, those in lists and calls included; of one per rank of the world the first."""
    if isinstance(value, list):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict) and "shape" in value:
        yield value
    elif isinstance(value, dict):
        inner = [value.get("each"), value.get("list"), *value.get("call", {}).get("set", {}).values()]
        yield from (tensor for item in inner for tensor in _tensors(item))


def _mapped(arguments: Plain, change: Callable[[Plain], Plain]) -> Plain:
    """``arguments`` with every tensor changed."""
    done = {"set": {name: _of(value, change) for name, value in arguments["set"].items()}}
    done["on_rank"] = {
        rank: {name: _of(value, change) for name, value in row.items()} for rank, row in arguments["on_rank"].items()
    }
    if partner := arguments.get("partner"):
        done["partner"] = {
            **partner,
            "set": {name: _of(value, change) for name, value in partner.get("set", {}).items()},
        }
    return done


def _of(value: Any, change: Callable[[Plain], Plain]) -> Any:
    if isinstance(value, list):
        return [_of(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    if "shape" in value:
        return change(value)
    if "call" in value:
        given = {name: _of(item, change) for name, item in value["call"].get("set", {}).items()}
        return {**value, "call": {**value["call"], "set": given}}
    return {key: _of(item, change) if key in {"each", "list"} else item for key, item in value.items()}
