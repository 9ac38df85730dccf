"""Claims: one checkable statement about one API. The key that is present says the kind."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from apidiff.model.base import DottedName, NonEmpty, Record, Script, Seconds, Slot, Slug, Text
from apidiff.model.probe import LARGEST_WORLD_SIZE, Described

Plain = int | float | bool | str | None
_Rank = Annotated[int, msgspec.Meta(ge=0, lt=LARGEST_WORLD_SIZE)]
_Group = Annotated[list[_Rank], msgspec.Meta(max_length=LARGEST_WORLD_SIZE)]
Groups = Annotated[list[_Group], msgspec.Meta(max_length=LARGEST_WORLD_SIZE)]

# The docstrings of examples show the output of this many ranks.
EXAMPLE_WORLD_SIZE = 3
CANONICAL = "canonical"  # the probe that makes the canonical call
CANONICAL_CLAIM = "canonical-call-completes"


class RankSet(Enum):
    """Which ranks a claim speaks of. The root is the rank given by the API's root argument (``dst`` or ``src``)."""

    ALL = "all"
    ROOT = "root"
    OTHERS = "others"  # every rank but the root
    MEMBERS = "members"  # ranks of the group passed
    OUTSIDERS = "outsiders"  # ranks that are not in the group passed
    CALLERS = "callers"  # ranks that make the call, where the probe says that not all do
    PARTNERS = "partners"  # ranks that make the partner's call: the other end of a send or a receive


class Formula(Enum):
    """What a result is, over the inputs X_r of the ranks r = 0 … n-1, seen on rank k. Lists have one tensor a rank."""

    SUM = "sum"  # Σ_r X_r, element by element
    MAX = "max"
    MIN = "min"
    PRODUCT = "product"
    AVERAGE = "average"  # Σ_r X_r / n
    CONCATENATED = "concatenated"  # X_0 … X_{n-1} joined along dimension 0
    STACKED = "stacked"  # a new first dimension of size n
    GATHERED = "gathered"  # the list [X_0, …, X_{n-1}]
    REDUCED_SLOT = "reduced-slot"  # Σ_r X_r[k], X_r a list
    REDUCED_CHUNK = "reduced-chunk"  # the k-th of n equal parts along dimension 0 of Σ_r X_r
    EXCHANGED = "exchanged"  # the list [X_0[k], …, X_{n-1}[k]], X_r a list
    EXCHANGED_CHUNKS = "exchanged-chunks"  # k-th parts along dimension 0 of X_0 … X_{n-1}, joined along dimension 0
    EXCHANGED_PARTS = "exchanged-parts"  # the same, where each X_r is cut into parts of written sizes
    INPUT = "input"  # X_k itself
    ZEROS = "zeros"  # zeros in the shape of X_k
    SHAPE_SAME = "shape-same"  # any values in the shape and dtype of X_k
    SHAPE_STACKED = "shape-stacked"  # any values in the shape (n, *X_k.shape)
    SHAPE_CONCATENATED = "shape-concatenated"  # any values in the shape (n * X_k.shape[0], …)
    SHAPE_CHUNK = "shape-chunk"  # any values in the shape (X_k.shape[0] / n, …)
    FROM_ROOT = "from-root"  # X of the root rank
    SCATTERED = "scattered"  # X[k] of the root rank's list X
    SCATTERED_CHUNK = "scattered-chunk"  # the k-th of n equal parts along dimension 0 of the root rank's X
    SENT = "sent"  # X of the rank at the other end: the partner's for a caller, the caller's for a partner
    RANK = "rank"  # k, the rank's number in the group
    WORLD = "world"  # n, the number of ranks
    LENGTH_WORLD = "length-world"  # a list or tuple of n elements


class Writes(Record, frozen=True, kw_only=True):
    """The call changes the contents of ``argument`` on every rank of ``ranks`` (with ``some``: on at least one)."""

    argument: Slot
    ranks: RankSet = RankSet.ALL
    some: bool = False


class Keeps(Record, frozen=True, kw_only=True):
    """``argument`` holds the same values after the call as before it on every rank of ``ranks``."""

    argument: Slot
    ranks: RankSet = RankSet.ALL


class KeepsRest(Record, frozen=True, kw_only=True):
    """What lies around ``argument``, in the larger tensor that it is a part of, holds the same values after the call."""

    argument: Slot
    ranks: RankSet = RankSet.ALL


class Returns(Record, frozen=True, kw_only=True):
    """The call returns an object of this structure.

    ``structure`` is written as ``None``, ``Tensor``, ``Work``, ``CommHandle``, ``(Tensor, None)``,
    ``((Tensor, ...), CommHandle)``; ``(Tensor, ...)`` is a tuple of tensors of any length, ``[Tensor, ...]`` a list.
    """

    structure: NonEmpty
    ranks: RankSet = RankSet.ALL


class Result(Record, frozen=True, kw_only=True):
    """What stands at ``at`` after the call (and after waiting for the handle) equals ``formula`` of argument ``of``.

    ``of`` is left out for ``rank`` and ``world``, which no argument goes into. ``sizes``: the argument that says, on each rank,
    how long the parts of its tensor are, for formulas that cut it so. Objects are compared as they are recorded. ``among``:
    groups of ranks that the code of a probe makes; n and the ranks r are then those of the group that holds k.
    """

    at: Slot
    formula: Formula
    of: Slot | None = None
    sizes: Slot | None = None
    among: Groups = []
    ranks: RankSet = RankSet.ALL


class Equals(Record, frozen=True, kw_only=True):
    """What stands at ``at`` after the call equals ``value``: a number, a text, true or false, null, or a list of those.

    With ``as_repr`` it is an object, and ``value`` what ``repr`` shows of it.
    """

    at: Slot
    value: Plain | list[Plain]
    as_repr: bool = False
    ranks: RankSet = RankSet.ALL

    @property
    def written(self) -> str:
        """The value as Python shows it."""
        return str(self.value) if self.as_repr else repr(self.value)


class Raises(Record, frozen=True, kw_only=True):
    """The call raises on every rank of ``ranks`` (with ``some``: on at least one). ``type``: class name, None for any.

    ``after``, ``within``: how many seconds after the call it does so at the earliest and at the latest.
    """

    type: str | None = None
    after: Seconds | None = None
    within: Seconds | None = None
    ranks: RankSet = RankSet.ALL
    some: bool = False

    def __post_init__(self) -> None:
        if (self.after is None) is not (self.within is None):
            raise ValueError("after and within stand together")


class Completes(Record, frozen=True, kw_only=True):
    """The call returns, and its handle can be waited for, without an exception."""

    ranks: RankSet = RankSet.ALL


class Aliases(Record, frozen=True, kw_only=True):
    """Whether ``slot`` and ``with_`` (YAML key ``with``) share storage, are the same object, or share nothing."""

    slot: Slot
    with_: Slot = msgspec.field(name="with")
    share: AliasKind
    ranks: RankSet = RankSet.ALL


class AliasKind(Enum):
    """What two values have in common."""

    OBJECT = "object"
    STORAGE = "storage"
    NOTHING = "nothing"


class Parameter(Record, frozen=True, kw_only=True):
    """The API has a parameter of this name; if ``default`` is given, with this default as ``repr`` prints it."""

    name: NonEmpty
    default: str | None = None
    required: bool = False


class Lacks(Record, frozen=True, kw_only=True):
    """The API has no parameter of this name."""

    parameter: NonEmpty


class Member(Record, frozen=True, kw_only=True):
    """The API, a class or an enumeration, has a public member of this name."""

    name: NonEmpty


class LacksMember(Record, frozen=True, kw_only=True):
    """The API, a class or an enumeration, has no public member of this name."""

    name: NonEmpty


class ListedAs(Enum):
    """The standing that upstream's table gives a pair."""

    CONSISTENT = "consistent"  # the same names, order, defaults and types of parameters, but for named exceptions
    DIFF = "diff"  # there is a page with the differences
    TEXT = "text"  # a remark


class Corresponds(Record, frozen=True, kw_only=True):
    """The API corresponds to ``source`` as upstream's table says. Made from the table, never written in a mapping.

    ``excused``: parameters of the source that the table does not count as a difference where the API lacks them.
    """

    source: DottedName | None = None
    source_version: str | None = None
    listed: ListedAs
    excused: list[str] = []


class Prints(Record, frozen=True, kw_only=True):
    """The example script prints, on every rank, the lines its docstring shows."""

    example: Script


class Stated(Record, frozen=True, kw_only=True):
    """A document says what the claim says. ``part`` names the row or sentence: 'parameters/1', 'pytorch/2', 'returns/1'.

    ``text``: what exactly the document says, in our words, where that is more or other than the claim itself.
    """

    document: NonEmpty
    part: NonEmpty
    text: Text | None = None


class ClaimKind(Enum):
    """The keys of a claim, one of which is present."""

    WRITES = "writes"
    KEEPS = "keeps"
    KEEPS_REST = "keeps_rest"
    RETURNS = "returns"
    RESULT = "result"
    RAISES = "raises"
    COMPLETES = "completes"
    ALIASES = "aliases"
    PARAMETER = "parameter"
    LACKS = "lacks"
    EQUALS = "equals"
    MEMBER = "member"
    LACKS_MEMBER = "lacks_member"
    CORRESPONDS = "corresponds"
    PRINTS = "prints"


_KINDS = tuple((kind.value, kind) for kind in ClaimKind)


class Claim(Record, frozen=True, kw_only=True):
    """One checkable statement about one API.

    Exactly one of the kind keys is present. ``probes`` names the probes of the API that observe it; for ``parameter``,
    ``lacks``, ``member`` and ``lacks_member`` it stays empty (the signature is recorded with every run). ``reason`` says why
    a claim has no probe, and ``when`` which call it speaks of then.
    """

    id: Slug
    probes: list[Slug] = []
    writes: Writes | None = None
    keeps: Keeps | None = None
    keeps_rest: KeepsRest | None = None
    returns: Returns | None = None
    result: Result | None = None
    raises: Raises | None = None
    completes: Completes | None = None
    aliases: Aliases | None = None
    parameter: Parameter | None = None
    lacks: Lacks | None = None
    equals: Equals | None = None
    member: Member | None = None
    lacks_member: LacksMember | None = None
    corresponds: Corresponds | None = None
    prints: Prints | None = None
    stated: list[Stated] = []
    reason: Text | None = None
    when: Described | None = None

    def __post_init__(self) -> None:
        present = [key for key, _ in _KINDS if getattr(self, key) is not None]
        if len(present) != 1:
            raise ValueError(f"claim {self.id!r} needs exactly one kind key, got {present or 'none'}")

    @property
    def kind(self) -> ClaimKind:
        """The kind, read from the key that is present."""
        return next(kind for key, kind in _KINDS if getattr(self, key) is not None)

    @property
    def body(self) -> Record:
        """The record under the kind key."""
        body: Record = getattr(self, self.kind.value)
        return body
