"""How far a run record is to be trusted: who vouches for it."""

from __future__ import annotations

from enum import Enum


class Trust(Enum):
    """Who vouches for a record. What it says of itself is no reason to believe it.

    Verdicts of unsigned records stand beside the others and decide nothing.
    """

    ATTESTED = "attested"  # the signature of this project's CI, which made it, verifies
    PROJECT = "project"  # its digest is in this project's list of its own records
    SIGNED = "signed"  # the signature of a known signer verifies
    UNSIGNED = "unsigned"


MOST_TRUSTED = tuple(Trust)
"""In the order in which they are believed."""

OWN = frozenset({Trust.ATTESTED, Trust.PROJECT})
"""This project made the record."""
