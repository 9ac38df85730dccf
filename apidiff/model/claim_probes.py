"""Names the probes and examples that claims are judged from, and tells what each calls today by a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apidiff.model.claim import Claim
from apidiff.model.kept_for import KeptFor
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import digest, digest_text

# Of each example, by its path: its text, and the lines that its docstring shows.
Examples = Mapping[str, tuple[str, Sequence[str]]]

_EXAMPLE = "example:"


def example_probe(path: str) -> str:
    """The name under which a run records the example at ``path``."""
    return f"{_EXAMPLE}{path}"


def example_of(probe: str) -> str | None:
    """The path of the example that a run records as ``probe``; None for a probe of an API."""
    return probe.removeprefix(_EXAMPLE) if probe.startswith(_EXAMPLE) else None


def wanted_probes(claim: Claim) -> list[str]:
    """The names of the probe runs that a claim is judged from; empty for claims on the signature."""
    return [example_probe(claim.prints.example)] if claim.prints else list(claim.probes)


def framework_of(claim: Claim, api: Api) -> str:
    """The framework whose runs judge the claim: the API's, for an example the one that its script's file name begins with."""
    name = claim.prints.example.rpartition("/")[2] if claim.prints else api.name
    return name.partition("_" if claim.prints else ".")[0]


def spec_of(api: Api, probe: str, examples: Examples) -> str | None:
    """The digest of what ``probe`` calls today, or None where its example is not there."""
    if path := example_of(probe):
        return digest_text(examples[path][0]) if path in examples else None
    digests = _digests(api)
    return digests.get(probe) or digests.setdefault(probe, digest(api, probe))


# By probe; every claim asks again for every record.
_digests: KeptFor[Api, dict[str, str]] = KeptFor(lambda _api: {})
