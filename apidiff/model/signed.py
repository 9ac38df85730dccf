"""What is known of the signature of a run record."""

from __future__ import annotations

from enum import Enum

from apidiff.model.base import Record
from apidiff.model.trust import Trust


class State(Enum):
    """What is known of a record's signature. With one that does not verify no record is taken in."""

    ATTESTED = "attested"  # with a key that this project's CI has, and nobody else
    LISTED = "listed"  # as this project's own: no signature is needed
    IN_SIGNED_LIST = "in_signed_list"  # the same, and a known signer signed the list
    UNSIGNED = "unsigned"
    VERIFIED = "verified"
    UNKNOWN_KEY = "unknown_key"
    NOT_CHECKED = "not_checked"
    REFUSED = "refused"


class Signed(Record, frozen=True, kw_only=True):
    """Whether a record is signed. ``signer``: whose key it is, where that is known. ``key``: the ID of the key.

    In a signed list, both are those of the list's signature; of a listed record, ``key`` is that of a list whose signature
    was not checked.

    ``unlinked``: pages cannot lead to the signature, which is of compressed bytes, while the JSON is published.

    ``not_checked``: the signature names a key of the signer's, and minisign is not there to check it, or gave no answer.
    """

    state: State = State.UNSIGNED
    signer: str = ""
    about: str = ""
    key: str = ""
    unlinked: bool = False

    @property
    def has_file(self) -> bool:
        """Whether pages lead to a signature of the record's JSON, which is published beside it."""
        return not self.unlinked and self.state not in {State.UNSIGNED, State.LISTED, State.IN_SIGNED_LIST}

    @property
    def unchecked(self) -> bool:
        """Whether there is a signature of a known key, of the record or of the list, that nothing here checked."""
        return self.state is State.NOT_CHECKED or (self.state is State.LISTED and bool(self.key))

    @property
    def trust(self) -> Trust:
        """Who vouches for the record."""
        known = {
            State.ATTESTED: Trust.ATTESTED,
            State.LISTED: Trust.PROJECT,
            State.IN_SIGNED_LIST: Trust.PROJECT,
            State.VERIFIED: Trust.SIGNED,
        }
        return known.get(self.state, Trust.UNSIGNED)
