"""Says in a line what is known of a record's signature."""

from __future__ import annotations

from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.model.signed import Signed


def signed_words(signed: Signed, language: Language) -> str:
    """``signed by NAME (verified)``, ``unsigned``, or why it is not known."""
    return label(f"signed.{signed.state.value}", language, name=one_line(signed.signer), key=signed.key)
