"""Extracted samples: the calls that the source framework's own test inputs make of one API. Written by a tool, never by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated

import msgspec

from apidiff.model.base import NonEmpty, Record, Slug
from apidiff.model.sample import Sample

EXTRACTED_SCHEMA = 1
MOST_EXTRACTED = 1_000  # samples of one API; of none are there more than 24
Entries = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=100)]


class Tolerance(Record, frozen=True, kw_only=True):
    """How far a value may lie from another: ``atol + rtol * |value|``."""

    rtol: float
    atol: float


Tolerances = Annotated[dict[str, Tolerance], msgspec.Meta(max_length=100)]


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
    entries: Entries
    seed: int
    tolerances: Tolerances = {}
    digest: str = ""
    samples: dict[Slug, Sample] = {}

    def own_digest(self) -> str:
        """Twelve hexadecimal digits over all but ``digest``."""
        return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(self, digest=""))).hexdigest()[:12]


def inputs_digest(extracted: Mapping[str, ExtractedSamples]) -> str:
    """Twelve hexadecimal digits over several files, by API: what a run of them is tied to."""
    text = "".join(f"{api} {extracted[api].digest}\n" for api in sorted(extracted))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
