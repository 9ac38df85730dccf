"""What a call must be like to meet a difference."""

from __future__ import annotations

from apidiff.model.base import Record


class Condition(Record, frozen=True, kw_only=True):
    """What a call must be like. ``name``: the source's parameter.

    ``test``: the argument ``is`` what ``code`` says, is ``passed`` or ``omitted``, or is a ``sequence`` (a tuple or a list), a
    ``number``, a ``negative`` number or a ``tensor``. ``input``: something about the tensors of a call, of which its text tells
    nothing: ``code`` is ``empty``, ``zero_dim``, ``dtype bfloat16`` and the like, or nothing where it is on some inputs.
    """

    test: str
    name: str
    code: str = ""
