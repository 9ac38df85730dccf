"""Extracted samples: the calls that the source framework's own test inputs make of one API. Written by a tool, never by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from apidiff.model.base import NonEmpty, Record, Slug
from apidiff.model.sample import Sample

EXTRACTED_SCHEMA = 1


class Tolerance(Record, frozen=True, kw_only=True):
    """How far a value may lie from another: ``atol + rtol * |value|``."""

    rtol: float
    atol: float


class ExtractedSamples(Record, frozen=True, kw_only=True):
    """The samples of one API.

    ``entries``: the names of the framework's own entries that they were drawn from. ``seed``: what its random numbers were
    started with before each entry. ``tolerances``: by dtype, where the framework's tests compare with others than
    `torch.testing.assert_close`. ``digest``: over all the rest.
    """

    schema: int
    api: NonEmpty
    framework: NonEmpty
    framework_version: NonEmpty
    entries: list[str]
    seed: int
    tolerances: dict[str, Tolerance] = {}
    digest: str = ""
    samples: dict[Slug, Sample] = {}

    def own_digest(self) -> str:
        """Twelve hexadecimal digits over all but ``digest``."""
        return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(self, digest=""))).hexdigest()[:12]


def inputs_digest(extracted: Mapping[str, ExtractedSamples]) -> str:
    """Twelve hexadecimal digits over several files, by API: what a run of them is tied to."""
    text = "".join(f"{api} {extracted[api].digest}\n" for api in sorted(extracted))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
