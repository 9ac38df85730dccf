"""MindSpore APIs that no source API is answered with."""

from __future__ import annotations

from apidiff.model.base import DottedName, Record, Text
from apidiff.model.claim import Stated


class MindsporeOnly(Record, frozen=True, kw_only=True):
    """Why no PyTorch API corresponds to a MindSpore API. ``nearest``: IDs of the mappings a reader may be looking for."""

    why: Text
    nearest: list[DottedName] = []
    stated: list[Stated] = []
