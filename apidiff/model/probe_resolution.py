"""What a probe calls and on which ranks, with ``like`` and ``set`` worked out, and the digest that ties a run to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from apidiff.model.base import Slug
from apidiff.model.collective import Collective
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Input, Partner, Probe

_NOT_CALLED_BY_RANKS = Collective()


def collective_of(api: Api) -> Collective:
    """How ranks call ``api``; without probes where they do not."""
    return api.collective or _NOT_CALLED_BY_RANKS


def with_probes(api: Api, probes: dict[Slug, Probe]) -> Api:
    """``api`` with ``probes`` instead of its own."""
    return msgspec.structs.replace(api, collective=msgspec.structs.replace(collective_of(api), probes=probes))


MAX_LIKE = 16  # steps from a probe to the one that is like no other


class SpecError(ValueError):
    """A probe that names another probe that is not there, or itself."""


def resolve(api: Api, probe: str) -> tuple[dict[str, Argument], dict[str, dict[str, Argument]]]:
    """The arguments of ``probe`` on every rank, and the arguments that single ranks get instead (key: rank or 'others').

    Raises SpecError where ``like`` leads nowhere or in a circle.
    """
    arguments: dict[str, Argument] = {}
    overrides: dict[str, dict[str, Argument]] = {}
    for step in reversed(list(_chain(api, probe))):
        arguments = {key: value for key, value in (arguments | step.set).items() if key not in step.drop}
        overrides |= step.on_rank
    return arguments, overrides


def _chain(api: Api, probe: str) -> Iterator[Probe]:
    """``probe``, then the one it is like, and so on to the end. Raises SpecError as ``resolve`` says."""
    seen: list[str] = []
    name: str | None = probe
    probes = collective_of(api).probes
    while name is not None:
        if name not in probes:
            raise SpecError(f"{api.name}: no probe {name!r}; it has {', '.join(probes) or 'none'}")
        if name in seen:
            raise SpecError(f"{api.name}: probe {name!r} is like itself ({' → '.join([*seen, name])})")
        if len(seen) == MAX_LIKE:
            raise SpecError(f"{api.name}: probe {probe!r} is like another over more than {MAX_LIKE} steps")
        seen.append(name)
        yield probes[name]
        name = probes[name].like


def inplace_switch(api: Api, probe: str) -> bool | None:
    """The value of ``set_comm_ops_inplace`` for ``probe``, looked up along ``like``; None leaves the switch alone."""
    return next((step.inplace_switch for step in _chain(api, probe) if step.inplace_switch is not None), None)


def variables(api: Api, probe: str) -> dict[str, str]:
    """The environment variables that ``probe`` sets before its ranks start, those along ``like`` included."""
    return {name: value for step in reversed(list(_chain(api, probe))) for name, value in step.environment.items()}


def partner(api: Api, probe: str) -> Partner | None:
    """What the other end does while ``probe`` makes its call, looked up along ``like``."""
    return next((step.partner for step in _chain(api, probe) if step.partner is not None), None)


def caller_ranks(api: Api, probe: str) -> list[int]:
    """The ranks that ``probe`` names as its callers, looked up along ``like``; empty for all."""
    return next((step.ranks for step in _chain(api, probe) if step.ranks), [])


def is_partial(api: Api, probe: str) -> bool:
    """Whether ``probe`` leaves ranks out: some do nothing, or make the partner's call."""
    return bool(caller_ranks(api, probe)) or partner(api, probe) is not None


def callers(api: Api, probe: str, world_size: int) -> list[int]:
    """The ranks that make the call of ``probe``: those it names, or all that are not the partner's."""
    other, named = partner(api, probe), caller_ranks(api, probe)
    everyone = range(world_size)
    if named:
        return [rank for rank in everyone if rank in named]
    return [rank for rank in everyone if other is None or rank not in other.ranks]


def partners(api: Api, probe: str, world_size: int) -> list[int]:
    """The ranks that make the call of the partner of ``probe``; a rank that it names as a caller too is none of them."""
    other, named = partner(api, probe), caller_ranks(api, probe)
    return [rank for rank in range(world_size) if other is not None and rank in other.ranks and rank not in named]


# How the APIs of both frameworks name another rank.
PEERS = ("peer", "group_peer", "src", "dst", "group_src", "group_dst", "src_rank", "dest_rank")


def names_other_ranks(api: Api, probe: str) -> bool:
    """Whether ``probe`` speaks of ranks that a world of one does not have: another root, a peer, a group, a partner.

    So does one that is said to run at larger worlds only.
    """
    arguments, overrides = resolve(api, probe)
    sizes = collective_of(api).probes[probe].world_sizes
    return (
        is_partial(api, probe)
        or bool(overrides)
        or bool(sizes and 1 not in sizes)
        or any(_names_others(name, value) for name, value in arguments.items())
    )


def _names_others(name: str, value: Argument) -> bool:
    if not isinstance(value, Input):
        return (name in PEERS or "rank" in name) and isinstance(value, int) and value != 0
    if value.rank_plus is not None or any(rank != 0 for rank in value.group or ()):
        return True
    if name in {"ranks", "rank_ids"} and any(rank != 0 for rank in _listed(value)):
        return True
    inner = [*(value.list or ()), *([value.each] if value.each else ())]
    called = value.call.set.items() if value.call else ()
    return any(_names_others("", one) for one in inner) or any(_names_others(key, one) for key, one in called)


def group_ranks(arguments: dict[str, Argument], world_size: int) -> list[int]:
    """The ranks of the group that ``arguments`` pass or make, in order; all where they name none or all."""
    passed = next((value.group for value in arguments.values() if isinstance(value, Input) and value.group), None)
    chosen = passed or _listed(arguments.get("ranks")) or _listed(arguments.get("rank_ids"))
    everyone = list(range(world_size))
    return [rank for rank in chosen if rank < world_size] if chosen else everyone


def _listed(value: Argument) -> list[int]:
    """The ranks that an argument writes out, as ``new_group`` and ``create_group`` take them."""
    return [one for one in value.list if isinstance(one, int)] if isinstance(value, Input) and value.list else []


def root_rank(api: Api, probe: str) -> int | None:
    """The root rank of ``probe`` counted over all ranks, or None where the API or the probe names none.

    An argument ``group_<root>``, as torch has it since 2.6, counts within the group that is passed.
    """
    root = collective_of(api).root
    if root is None:
        return None
    arguments = resolve(api, probe)[0]
    value, within = arguments.get(root), arguments.get(f"group_{root}")
    if value is None and isinstance(within, int):
        passed = next((one.group for one in arguments.values() if isinstance(one, Input) and one.group), None)
        if within < 0 or (passed and within >= len(passed)):
            return None
        return passed[within] if passed else within
    return value if isinstance(value, int) else None


def digest(api: Api, probe: str) -> str:
    """Twelve hexadecimal digits over all that decides what ``probe`` calls. Examples hash their text instead."""
    arguments, overrides = resolve(api, probe)
    parts: tuple[object, ...] = (api.name, api.kind.value, collective_of(api).constructor, arguments, overrides)
    parts += (inplace_switch(api, probe),)
    if is_partial(api, probe):
        parts += (caller_ranks(api, probe), partner(api, probe))
    if (code := collective_of(api).probes[probe].code) is not None:
        parts += (code,)
    if environment := variables(api, probe):
        parts += (environment,)
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()[:12]


def digest_text(text: str) -> str:
    """The digest of an example: of its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
