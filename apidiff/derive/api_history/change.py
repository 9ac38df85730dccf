"""One change of an API between two versions of its framework."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

# The evidence of what was read from a framework's own files: from its source or the installed package, or from the type
# stubs of compiled modules, which were seen to be wrong and to be mended late. Any other evidence is the key of a document.
SIGNATURES = "signatures"
STUBS = "stubs"


class ChangeKind(Enum):
    """What changed, in the order in which changes of one version are told."""

    FIRST = "first"  # there in the oldest version that was looked at
    ADDED = "added"
    REMOVED = "removed"
    DEPRECATED = "deprecated"
    NOT_DEPRECATED = "not_deprecated"
    KIND = "kind"  # function, class, …
    PARAMETERS_ADDED = "parameters_added"
    PARAMETERS_REMOVED = "parameters_removed"
    PARAMETER_ORDER = "parameter_order"
    PARAMETER_DEFAULT = "parameter_default"
    PARAMETER_KIND = "parameter_kind"  # positional, keyword-only, …
    MEMBERS_ADDED = "members_added"
    MEMBERS_REMOVED = "members_removed"


@dataclass(frozen=True)
class Change:
    """``api`` changed in ``version``, seen against ``after`` (None: nothing older is known).

    ``names``: the parameters or members concerned. ``old`` and ``new``: what stood before and stands now, as source text:
    orders, defaults (None: required), kinds; of parameters added, ``old`` is the first that stands behind one and so moves;
    of a deprecation, ``old`` is the version of its mark and ``new`` the
    replacement it names. ``evidence``: SIGNATURES, STUBS or the key of the document that tells ``version``;
    ``after_evidence`` the same for ``after``.
    """

    api: str
    kind: ChangeKind
    version: str
    after: str | None = None
    names: tuple[str, ...] = ()
    old: str | None = None
    new: str | None = None
    evidence: str = SIGNATURES
    after_evidence: str = SIGNATURES

    @property
    def whole(self) -> bool:
        """Whether the change is one of the API as a whole, not of a parameter or member."""
        return not self.names
