"""What a world of one rank can show: only what that rank decides by itself. Nothing is moved, reduced or waited for there."""

from __future__ import annotations

from apidiff.model import Api, Claim, ClaimKind, Input
from apidiff.model.probe_resolution import names_other_ranks, resolve

# The structure of what is returned, and whose memory it is, follow from the call; values may come from other ranks.
_SHOWN = frozenset({ClaimKind.RETURNS, ClaimKind.ALIASES})


def one_rank_shows(claim: Claim, api: Api, probe: str) -> bool:
    """Whether a run of ``probe`` in a world of one rank says anything of ``claim``.

    A sum over one rank is that rank's input, a barrier of one opens at once, and one rank disagrees with nobody: such runs
    neither show nor refute what is stated of collectives. A constant is shown by a call that no tensor or group goes into.
    """
    if probe not in api.probes or names_other_ranks(api, probe):
        return False
    if claim.kind is ClaimKind.EQUALS:
        return not any(isinstance(value, Input) for value in resolve(api, probe)[0].values())
    return claim.kind in _SHOWN
