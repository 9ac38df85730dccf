"""Says in a line what is known of a record's signature."""

from __future__ import annotations

from apidiff.render.labels import Language, label
from apidiff.render.visible import one_line
from apidiff.store.signed import Signed


def signed_words(signed: Signed, language: Language) -> str:
    """``signed by NAME (verified)``, ``unsigned``, or why it is not known."""
    return label(f"signed.{signed.state.value}", language).format(name=one_line(signed.signer), key=signed.key)
