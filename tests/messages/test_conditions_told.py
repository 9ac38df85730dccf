"""Reads every sentence back against the probes that decide it: each setting beyond the plain call stands in both languages.

What a probe sets is worked out here from its data alone, by no code that the sentences are made with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from apidiff.database import Data
from apidiff.messages.phrases import phrase
from apidiff.model.base import Text
from apidiff.model.claim import CANONICAL, CANONICAL_CLAIM, Claim
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import (
    PEERS,
    caller_ranks,
    collective_of,
    inplace_switch,
    partner,
    resolve,
    variables,
    with_probes,
)
from tests.factories import collective_api

# What a sentence says of each layout: code, or English | Chinese.
VIEWS = {
    "contiguous": "",
    "strided": "gaps|间隔",
    "slice": "`f[n:2*n]`",
    "head": "`f[:n]`",
    "row": "`m[1]`",
    "first-row": "`m[0]`",
    "chunk": "`f.chunk(3)[1]`",
    "transposed": "`m.T`",
    "head-contiguous": "`f[:n].contiguous()`",
    "slice-copied": "copy|副本",
    "chunks": "`list(f.chunk(n))`",
    "rows": "`[m[i] for i in range(n)]`",
}
# A setting, and the pieces of code that a sentence has to hold for it.
Settings = dict[str, list[str]]


def apis(database: Data) -> Iterator[Api]:
    """Every API of a mapping, once."""
    seen: set[str] = set()
    for mapping in database.mappings.values():
        for api in [mapping.source, *(target.api for target in mapping.targets)]:
            if api.name not in seen and not api.defined_in:
                seen.add(api.name)
                yield api


def plain(value: object) -> Any:
    """A part of a probe as plain data, without what tensors are filled with and without defaults, such as float32."""
    return _without_fill(json.loads(msgspec.json.encode(value)))


def _without_fill(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = {"fill", "dtype"} if value.get("dtype") == "float32" else {"fill"}
        return {key: _without_fill(item) for key, item in value.items() if key not in left_out}
    return [_without_fill(item) for item in value] if isinstance(value, list) else value


def settings(api: Api, probe: str, *, about_others: bool = False) -> Settings:
    """What ``probe`` sets that the canonical call does not, each with what a sentence must name."""
    canonical = collective_of(api).plain_probe or probe
    usual, usual_overrides = map(plain, resolve(api, canonical))
    code = collective_of(api).probes[probe].code
    if code is not None:  # nothing of the canonical call is in it
        usual = {}
    arguments, overrides = map(plain, resolve(api, probe))
    given = {name for row in overrides.values() for name in row}
    told: Settings = {f"no {name}": [f"`{name}`"] for name in usual if name not in arguments and name not in given}
    size = next((len(value["group"]) for value in arguments.values() if is_group(value) and value["group"]), 0)
    for name, value in arguments.items():
        if value != usual.get(name, ...) and not (size and for_members(usual.get(name), size) == value):
            told[name] = pieces(name, usual.get(name), value)
        elif value == usual.get(name) and is_choice(api, name, value):
            told[name] = pieces(name, None, value)
    if overrides.get("others") == usual_overrides.get("others") and not about_others:
        overrides.pop("others", None)
    for rank, row in overrides.items():
        for name, value in row.items():
            who = [collective_of(api).root or "root"] if rank == "others" else [rank]
            told[f"{name} on {rank}"] = (
                [f"`{name}`"] if name == "port" else [*who, *pieces(name, arguments.get(name), value)]
            )
    other = partner(api, probe)
    if ranks := caller_ranks(api, probe):
        told["callers"] = [str(rank) for rank in ranks]
    if other:
        told["partner"] = [f"`{other.api}`", *map(str, other.ranks)]
    if code is not None:
        told["code"] = [f"`{line}`" for line in code.splitlines() if line and not line.startswith(("import", "from"))]
    for name, value in variables(api, probe).items():
        told[name] = [f"`{name}={value}`"]
    switch = inplace_switch(api, probe)
    if switch is not None:
        told["switch"] = [f"`set_comm_ops_inplace({switch})`"]
    counted = not size and any(is_as_long(usual.get(name), value) for name, value in arguments.items())
    if collective_of(api).probes[probe].world_sizes and (ranks or other or overrides or counted or code):
        told["ranks"] = [str(size) for size in collective_of(api).probes[probe].world_sizes]
    return told


def is_group(value: Any) -> bool:
    return isinstance(value, dict) and value.get("group") is not None


def is_as_long(usual: Any, value: Any) -> bool:
    """Whether ``value`` is a list of a certain length where the canonical call has an item for each rank."""
    per_rank = isinstance(usual, dict) and usual.get("each") is not None
    return per_rank and isinstance(value, dict) and bool(value.get("list"))


def is_choice(api: Api, name: str, value: Any) -> bool:
    """Whether the canonical call might as well have another value: no tensor, no root, no object that is sent."""
    text = json.dumps(value)
    data = any(mark in text for mark in ('"shape"', "{rank}", '"none"', "[null"))
    return is_group(value) or not (data or name == collective_of(api).root or name in PEERS)


def for_members(value: Any, size: int) -> Any:
    """An argument of the canonical call as a group of ``size`` ranks needs it."""
    if isinstance(value, dict) and value.get("each") is not None:
        element = None if value["each"].get("none") else value["each"]
        return {"list": [element] * size}
    if isinstance(value, dict) and value.get("shape") is not None:
        shape = [
            int(length.removesuffix("*world")) * size if isinstance(length, str) else length
            for length in value["shape"]
        ]
        return {**value, "shape": shape}
    return value


def pieces(name: str, usual: Any, value: Any) -> list[str]:
    """What a sentence has to hold for ``name`` being ``value``: its name, and dtype, shape, ranks or number if it has one."""
    if is_group(value):
        limit = [f"{value['timeout']:g} seconds|{value['timeout']:g} 秒"] if value.get("timeout") else []
        return [str(rank) for rank in value["group"]] + limit or [f"`{name}`"]
    if not isinstance(value, dict):
        return [f"`{name}={value!r}`"]
    found = [name, *numbers(value)]
    for key in ("dtype", "layout", "shape", "reduce_op", "seconds", "api"):
        found += [spoken(key, item) for item in under(value, key) if item not in under(usual, key)]
    return found


def numbers(value: dict[str, Any]) -> list[str]:
    """What a sentence has to hold for an argument that is a number counted from the rank, or holds nothing but numbers."""
    if (ahead := value.get("rank_plus")) is not None:
        sign = "+" if ahead > 0 else "-"
        return [f"=(rank {sign} {abs(ahead)}) % world_size`" if ahead else "=rank`"]
    items = value.get("list") or value.get("tuple") or []
    return [", ".join(map(str, items))] if items and all(type(item) is int for item in items) else []


def spoken(key: str, value: Any) -> str:
    if key == "shape":
        sizes = ["n" if size == "1*world" else str(size).replace("*world", "·n") for size in value]
        return "" if 0 in value else f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
    if key == "layout":
        return VIEWS[value]
    return f"seconds={value:g}" if key == "seconds" else str(value)


def under(value: Any, key: str) -> list[Any]:
    """Everything that stands under ``key``, at whatever depth."""
    if isinstance(value, list):
        return [item for part in value for item in under(part, key)]
    if not isinstance(value, dict):
        return []
    here = [value[key]] if value.get(key) is not None else []
    return here + [item for name, part in value.items() if name != key for item in under(part, key)]


def missing(claim: Claim, api: Api, text: Text) -> list[str]:
    """The settings of the deciding probes that ``text`` does not hold, as ``language: setting: piece``.

    A claim that the plain call decides too needs none. Of several probes each needs what all of them set, and where none
    is without something more, that too.
    """
    about_others = plain(claim.body).get("ranks") == "others"
    made = [probe for probe in claim.probes if probe != CANONICAL]  # it is shown as it is, not told
    each = [settings(api, probe, about_others=about_others) for probe in made]
    if not each or (collective_of(api).plain_probe in claim.probes and len(each) > 1):
        return []
    shared = {name: needed for name, needed in each[0].items() if all(other.get(name) == needed for other in each)}
    wanted = [shared] if any(one.keys() == shared.keys() for one in each) else each
    return [
        f"{language}: {name}: {piece}"
        for needed in wanted
        for name, parts in needed.items()
        for piece in parts
        for language, sentence, number in (("en", text.en, 0), ("zh", text.zh, -1))
        if piece.split("|")[number] not in sentence
    ]


def test_every_sentence_holds_the_conditions_of_its_probes(database: Data) -> None:
    silent = {
        f"{api.name}#{claim.id}": (lost, phrase(claim, api).en)
        for api in apis(database)
        for claim in api.claims
        if claim.probes and (lost := missing(claim, api, phrase(claim, api)))
    }
    assert silent == {}


def test_claims_without_probes_tell_theirs(database: Data) -> None:
    for api in apis(database):
        for claim in api.claims:
            if claim.when is not None and claim.id != CANONICAL_CLAIM:
                described = with_probes(api, {**collective_of(api).probes, "when": claim.when})
                given = msgspec.structs.replace(claim, probes=["when"], when=None)
                assert missing(given, described, phrase(claim, api)) == [], f"{api.name}#{claim.id}"


API = collective_api(
    {
        "name": "torch.distributed.barrier",
        "probes": {
            "sync": {},
            "async": {"set": {"async_op": True}},
            "late": {"set": {"timeout": {"seconds": 2}}, "ranks": [0, 1], "world_sizes": [3]},
            "uneven": {"on_rank": {"1": {"tensor": {"shape": [4], "dtype": "int64"}}}, "world_sizes": [3]},
            "switched": {"inplace_switch": False},
            "received": {"partner": {"api": "torch.distributed.send", "ranks": [1]}, "ranks": [0]},
            "group": {"set": {"group": {"group": [1, 2]}}},
            "tagged": {"set": {"tag": 7}, "ranks": [0], "world_sizes": [3]},
            "sizes": {"set": {"sizes": {"list": [1, 2]}}},
            "itself": {"set": {"peer": {"rank_plus": 0}}},
            "limit": {"set": {"group": {"group": [], "timeout": 2.0}}},
            "variable": {"environment": {"LIMIT": "5"}},
            "chunks": {"set": {"tensors": {"each": {"shape": [2], "layout": "chunks"}}}},
            "code": {"set": {"tensor": {"shape": [3]}}, "code": "import a\n\nb = a.c()\na.d(b)", "world_sizes": [4]},
        },
    }
)
# (probe, a sentence that leaves one thing out, what is missed)
LOST = [
    ("async", "The call returns `Work`.", "async_op"),
    ("late", "With `timeout=timedelta(seconds=5)` when ranks 0 and 1 call with 3 ranks, it raises.", "timeout"),
    ("late", "With `timeout=timedelta(seconds=2)` and with 3 ranks, the call raises.", "callers"),
    ("late", "When only ranks 0 and 1 call with `timeout=timedelta(seconds=2)`, it raises.", "ranks"),
    ("uneven", "When rank 1 passes `tensor` of dtype int64, with 3 ranks, it raises.", "tensor on 1"),
    ("switched", "The call completes.", "switch"),
    ("received", "When ranks 0 and 1 call, it raises.", "partner"),
    ("group", "With a group of ranks 0, 1, it raises.", "group"),
    ("tagged", "When only rank 0 makes the call with `tag=8` and with 3 ranks, it raises.", "tag"),
    ("sizes", "With `sizes=[2, 2]`, it raises.", "sizes"),
    ("itself", "With `peer=(rank + 1) % world_size`, it raises.", "peer"),
    ("limit", "With a `group` that has a timeout, it raises.", "group"),
    ("variable", "With the environment variable `LIMIT`, it raises.", "LIMIT"),
    ("chunks", "For `tensors` of shape `(2,)`, it raises.", "tensors"),
    ("code", "For a `tensor` of shape `(3,)`, where `b = a.c()` is executed with 4 ranks, it raises.", "code"),
    ("code", "For a `tensor` of shape `(3,)`, where `b = a.c()` and `a.d(b)` are executed, it raises.", "ranks"),
    ("code", "Where `b = a.c()` and `a.d(b)` are executed with 4 ranks, it raises.", "tensor"),
]


@pytest.mark.parametrize(("probe", "sentence", "lost"), LOST)
def test_a_lost_condition_is_noticed(probe: str, sentence: str, lost: str) -> None:
    claim = msgspec.convert({"id": "it", "probes": [probe], "raises": {}}, Claim)
    assert missing(claim, API, phrase(claim, API)) == []
    assert any(f": {lost}: " in line for line in missing(claim, API, Text(en=sentence, zh=sentence)))
