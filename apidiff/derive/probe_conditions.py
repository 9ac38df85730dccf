"""Finds under which conditions a claim's probes observe it: what they set that the API's plain call does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from apidiff.derive.argument_changes import (
    ArgumentChange,
    Change,
    changes_of,
    is_same_list,
    is_shortened,
    shape_code,
    tensor_of,
)
from apidiff.derive.calls import is_code, written_argument
from apidiff.model.claim import CANONICAL, Claim, ClaimKind, RankSet
from apidiff.model.kept_for import KeptFor
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Input, Probe, Situation
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

Who = Literal["everyone", "others", "partner"] | int


@dataclass(frozen=True)
class Callers:
    """Only ``ranks`` make the call (all if empty); meanwhile ``partners`` call ``partner``, where there is one."""

    ranks: list[int]
    partners: list[int] = field(default_factory=list)
    partner: str | None = None


@dataclass(frozen=True)
class Without:
    """The argument ``name`` is left out."""

    name: str


@dataclass(frozen=True)
class With:
    """The argument ``name`` is what ``code`` says. ``next_rank``: the number of the rank that comes next."""

    name: str
    code: str
    next_rank: bool = False


@dataclass(frozen=True)
class OwnGroup:
    """A group is passed as ``name``: of ``ranks`` (all if empty), as a string if ``by_name``, with a ``timeout`` in seconds."""

    name: str
    ranks: list[int]
    by_name: bool
    timeout: float | None = None


@dataclass(frozen=True)
class Passes:
    """The argument ``name`` differs from the plain call's as ``change`` says.

    ``who`` passes it so: every rank, every rank but the root, the rank at the other end, or one rank.
    """

    who: Who
    name: str
    change: ArgumentChange


@dataclass(frozen=True)
class OthersPassToo:
    """Every rank but the root passes the argument ``name`` too, which the plain call needs on the root alone."""

    name: str


@dataclass(frozen=True)
class Disagree:
    """The ``ranks`` pass different ``name``: those ``values``, in order; ``in_shape``: tensors, of which these are shapes.

    ``values`` is empty where each rank passes one of its own and which it is matters to nobody: a port.
    """

    name: str
    ranks: list[int]
    values: list[str]
    in_shape: bool = False


@dataclass(frozen=True)
class Switched:
    """``set_comm_ops_inplace`` was called with ``value`` before."""

    value: bool


@dataclass(frozen=True)
class Executed:
    """Every rank that calls executes ``lines`` of code."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Started:
    """The environment ``variable`` has a ``value`` when the ranks start."""

    variable: str
    value: str


@dataclass(frozen=True)
class WorldSizes:
    """The probe runs with so many ranks only, and would be another one with more or fewer."""

    sizes: list[int]


@dataclass(frozen=True)
class Happens:
    """Something about the process that no argument says."""

    situation: Situation


@dataclass(frozen=True)
class Either:
    """One of several probes, each with the conditions of its own."""

    branches: list[list[Condition]]


Condition = (
    Callers
    | Without
    | With
    | OwnGroup
    | Passes
    | OthersPassToo
    | Disagree
    | Executed
    | Started
    | Switched
    | WorldSizes
    | Happens
    | Either
)
# The name under which a claim's own description of a call that nobody makes is looked up among the probes.
_UNPROBED = "when"


def conditions(claim: Claim, api: Api) -> list[Condition]:
    """All that the probes of the claim set and the plain call does not; for a claim without probes what it says itself.

    What all of them set comes first. Where each sets something more, these stand beside each other in an `Either`.
    """
    known = _known(api)
    if claim.id not in known or known[claim.id][0] is not claim:
        known[claim.id] = claim, _found(claim, api)
    return [*known[claim.id][1]]


# By claim: hundreds of differences may cite one.
_known: KeptFor[Api, dict[str, tuple[Claim, list[Condition]]]] = KeptFor(lambda _api: {}, most=128)


def _found(claim: Claim, api: Api) -> list[Condition]:
    if claim.when is not None and claim.when.code is not None:
        return []
    if claim.when is not None:
        described = with_probes(api, {**collective_of(api).probes, _UNPROBED: claim.when})
        situation = [Happens(claim.when.situation)] if claim.when.situation else []
        return [*probe_conditions(described, _UNPROBED), *situation]
    known = collective_of(api).probes
    probes = [probe for probe in claim.probes if probe in known and probe != CANONICAL]
    if not probes:
        return []
    about_others = getattr(claim.body, "ranks", None) is RankSet.OTHERS
    each = [probe_conditions(api, probe, about_others=about_others) for probe in probes]
    shared = [condition for condition in each[0] if all(condition in other for other in each)]
    branches = [[condition for condition in own if condition not in shared] for own in each]
    if all(branches) and collective_of(api).plain_probe not in probes:
        shared.append(Either([branch for number, branch in enumerate(branches) if branch not in branches[:number]]))
    if claim.kind in {ClaimKind.RETURNS, ClaimKind.ALIASES} and _has_async(api) and _is_never_async(api, probes):
        shared.append(With("async_op", "False"))
        shared.sort(key=lambda condition: _ORDER.index(type(condition)))
    return shared


def probe_conditions(api: Api, probe: str, *, about_others: bool = False) -> list[Condition]:
    """What ``probe`` sets that the plain call of its API does not, and what that one has to choose freely.

    ``about_others``: what ranks other than the root pass is told even where it is what they always pass.
    """
    return list(_conditions(api, probe, collective_of(api).plain_probe or probe, about_others=about_others))


def executed_lines(code: str) -> tuple[str, ...]:
    """The lines of a probe's code but for imports."""
    return tuple(line for line in code.splitlines() if line and not line.startswith(("import ", "from ")))


def _has_async(api: Api) -> bool:
    return any(resolve(api, probe)[0].get("async_op") is True for probe in collective_of(api).probes)


def _is_never_async(api: Api, probes: list[str]) -> bool:
    return all(resolve(api, probe)[0].get("async_op") is not True for probe in probes)


def _conditions(api: Api, probe: str, canonical: str, *, about_others: bool) -> Iterator[Condition]:
    plain, plain_overrides = resolve(api, canonical)
    arguments, overrides = resolve(api, probe)
    ranks, other = caller_ranks(api, probe), partner(api, probe)
    code = collective_of(api).probes[probe].code
    if code is not None:
        plain = {}  # what it passes to the calls that it makes stands in it
    if ranks or other:
        yield Callers(ranks, other.ranks if other else [], other.api if other else None)
    own = {name for changes in overrides.values() for name in changes}
    for name in plain:
        if name not in arguments and name not in own:
            yield Without(name)
    if not about_others and overrides.get("others") == plain_overrides.get("others"):
        overrides = {rank: row for rank, row in overrides.items() if rank != "others"}
    told = [*_of_arguments(api, plain, arguments), *_of_ranks(arguments, overrides)]
    told += [Executed(executed_lines(code))] if code is not None else _of_partner(api, probe, canonical)
    told.sort(key=lambda condition: _ORDER.index(type(condition)))
    yield from told
    for name, value in variables(api, probe).items():
        yield Started(name, value)
    if sizes := _sizes_that_matter(collective_of(api).probes[probe], plain, arguments, bool(ranks or other), told):
        yield WorldSizes(sizes)
    if (switch := inplace_switch(api, probe)) is not None:
        yield Switched(switch)


# In which order conditions are told: who calls, then with what.
_ORDER = (
    Callers,
    Without,
    Passes,
    With,
    OwnGroup,
    Disagree,
    OthersPassToo,
    Executed,
    Either,
    Started,
    WorldSizes,
    Happens,
    Switched,
)


def _of_arguments(api: Api, plain: dict[str, Argument], arguments: dict[str, Argument]) -> Iterator[Condition]:
    """What every rank passes."""
    group = next((value for value in arguments.values() if isinstance(value, Input) and value.group), None)
    size = len(group.group) if group and group.group else 0
    for name, value in arguments.items():
        if name in plain and plain[name] == value:
            if _is_chosen(api, name, value):
                yield from _changed(name, None, value)
        elif not (size and name in plain and is_shortened(plain[name], value, size)):
            yield from _changed(name, plain.get(name), value)


def _is_chosen(api: Api, name: str, value: Argument) -> bool:
    """Whether an argument of the plain call is one of many that would do, so that a sentence has to name it.

    Tensors, what stands for data and room for results are not. Of the root and the other end the sentence speaks anyway.
    """
    if isinstance(value, Input) and value.group is not None:
        return True
    return name != collective_of(api).root and name not in PEERS and is_code(value) and not _holds_data(value)


def _holds_data(value: Argument) -> bool:
    """Whether an argument is or holds a tensor, text made from the rank, or None where a result will be."""
    if not isinstance(value, Input):
        return False
    inner = [*(value.list or ()), *([value.each] if value.each else ())]
    called = list(value.call.set.values()) if value.call else []
    data = "{rank}" in (value.text or "") or value.shape is not None or value.none is True
    return data or any(item is None or _holds_data(item) for item in [*inner, *called])


def _changed(name: str, before: Argument, value: Argument) -> Iterator[Condition]:
    if isinstance(value, Input) and value.group is not None:
        yield OwnGroup(name, [*value.group], value.by_name, value.timeout)
        return
    for change in changes_of(name, before, value):
        if change.change is Change.CODE:
            yield With(name, change.detail, change.next_rank)
        else:
            yield Passes("everyone", name, change)


def _of_ranks(arguments: dict[str, Argument], overrides: dict[str, dict[str, Argument]]) -> Iterator[Condition]:
    """What single ranks pass instead."""
    names = list(dict.fromkeys(name for changes in overrides.values() for name in changes))
    uneven = [name for name in names if sum(name in changes for changes in overrides.values()) > 1]
    for name in uneven:
        yield _disagreement(name, {rank: row[name] for rank, row in overrides.items() if name in row})
    for rank, row in overrides.items():
        for name, value in row.items():
            usual = arguments.get(name)
            if name in uneven:
                continue
            if rank == "others" and is_same_list(usual, value):
                yield OthersPassToo(name)
                continue
            for change in changes_of(name, usual, value):
                yield Passes("others" if rank == "others" else int(rank), name, change)


def _disagreement(name: str, values: dict[str, Argument]) -> Disagree:
    ranks = [int(rank) for rank in values if rank.isdigit()]
    tensors = [tensor_of(value) for value in values.values()]
    if all(tensors) and len({(tensor.dtype, tensor.layout) for tensor in tensors if tensor}) == 1:
        return Disagree(name, ranks, [shape_code(tensor.shape or ()) for tensor in tensors if tensor], in_shape=True)
    if name == "port":
        return Disagree(name, [], [])
    return Disagree(name, ranks, [written_argument(name, value) for value in values.values()])


def _of_partner(api: Api, probe: str, canonical: str) -> Iterator[Condition]:
    """What the rank at the other end passes otherwise than beside the plain call, and the caller does not pass too."""
    usual, other = partner(api, canonical), partner(api, probe)
    if usual is None or other is None or usual.api != other.api:
        return
    plain, arguments = resolve(api, canonical)[0], resolve(api, probe)[0]
    for name, value in other.set.items():
        before = usual.set.get(name)
        if value == before:
            continue
        mine = changes_of(name, plain.get(name), arguments[name]) if name in arguments else []
        for change in changes_of(name, before, value):
            if change not in mine:
                yield Passes("partner", name, change)


def _sizes_that_matter(
    probe: Probe, plain: dict[str, Argument], arguments: dict[str, Argument], some_call: bool, told: list[Condition]
) -> list[int]:
    """The numbers of ranks that a probe is limited to, where it would be another with more or fewer of them.

    That an argument is refused, or a group of two made, is tried with three ranks for brevity alone.
    """
    depends = some_call or probe.code is not None or any(_depends_on_size(condition) for condition in told)
    listed = any(name in {"mesh", "ranks_per_subgroup_list"} for name in arguments)
    return [*probe.world_sizes] if depends or listed or _counts_ranks(plain, arguments) else []


def _counts_ranks(plain: dict[str, Argument], arguments: dict[str, Argument]) -> bool:
    """Whether a list of a written length stands where the plain call has an item for each rank of the world."""
    given = {name: value for name, value in arguments.items() if isinstance(value, Input)}
    if any(value.group is not None for value in given.values()):
        return False  # it is as long as the group should be, or is not
    usual = {name for name, value in plain.items() if isinstance(value, Input) and value.each is not None}
    return any(name in usual and value.list for name, value in given.items())


def _depends_on_size(condition: Condition) -> bool:
    match condition:
        case Disagree() | OthersPassToo():
            return True
        case Passes(who=who, change=change):
            return who != "everyone" or change.change in _SIZES
    return False


_SIZES = {Change.LENGTH, Change.UNEQUAL_SHAPES, Change.SHAPE, Change.SHAPE_OF_ELEMENTS}
