"""What a probe calls, with ``like`` and ``set`` worked out, and the digest that ties a run to it."""

from __future__ import annotations

import hashlib

import msgspec

from apidiff.model.mapping import Api
from apidiff.model.probe import Argument


class SpecError(ValueError):
    """A probe that names another probe that is not there, or itself."""


def resolve(api: Api, probe: str) -> tuple[dict[str, Argument], dict[str, dict[str, Argument]]]:
    """The arguments of ``probe`` on every rank, and the arguments that single ranks get instead (key: rank or 'others').

    Raises SpecError where ``like`` leads nowhere or in a circle.
    """
    chain: list[str] = []
    name: str | None = probe
    while name is not None:
        if name not in api.probes:
            raise SpecError(f"{api.name}: no probe {name!r}; it has {', '.join(api.probes) or 'none'}")
        if name in chain:
            raise SpecError(f"{api.name}: probe {name!r} is like itself ({' → '.join([*chain, name])})")
        chain.append(name)
        name = api.probes[name].like
    arguments: dict[str, Argument] = {}
    overrides: dict[str, dict[str, Argument]] = {}
    for name in reversed(chain):
        step = api.probes[name]
        arguments = {key: value for key, value in (arguments | step.set).items() if key not in step.drop}
        overrides |= step.on_rank
    return arguments, overrides


def inplace_switch(api: Api, probe: str) -> bool | None:
    """The value of ``set_comm_ops_inplace`` for ``probe``, looked up along ``like``; None leaves the switch alone."""
    name: str | None = probe
    while name is not None:
        if (value := api.probes[name].inplace_switch) is not None:
            return value
        name = api.probes[name].like
    return None


def root_rank(api: Api, probe: str) -> int | None:
    """The root rank of ``probe``, or None where the API has none."""
    value = resolve(api, probe)[0].get(api.root) if api.root else None
    return value if isinstance(value, int) else None


def digest(api: Api, probe: str) -> str:
    """Twelve hexadecimal digits over all that decides what ``probe`` calls. Examples hash their text instead."""
    arguments, overrides = resolve(api, probe)
    parts = (api.name, api.kind.value, api.constructor, arguments, overrides, inplace_switch(api, probe))
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()[:12]


def digest_text(text: str) -> str:
    """The digest of an example: of its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
