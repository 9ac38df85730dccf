"""What is known of the signature of a run record."""

from __future__ import annotations

from enum import Enum

from apidiff.model.base import Record


class State(Enum):
    """What is known of a record's signature. One that does not verify is none of these: it is refused."""

    UNSIGNED = "unsigned"
    VERIFIED = "verified"
    UNKNOWN_KEY = "unknown_key"
    NOT_CHECKED = "not_checked"


class Signed(Record, frozen=True, kw_only=True):
    """Whether a record is signed. ``signer``: whose key it is, where that is known. ``key``: the ID of the key.

    ``not_checked``: the signature names a key of the signer's, and minisign is not there to check it.
    """

    state: State = State.UNSIGNED
    signer: str = ""
    about: str = ""
    key: str = ""
