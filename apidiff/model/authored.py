"""What a person writes: records, profiles and notes, before they are expanded to mappings.

A record says what only a person knows. ``apidiff.database.expansion`` adds what profiles, signatures and the catalogue of
notes tell, and makes a `Mapping` of it. Where a profile is merged in, an entry of the record changes the keys it gives; a
claim that names its kind, and a probe, stand for themselves.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from apidiff.model.base import NonEmpty, Record, Script, Seconds, Slug, Text
from apidiff.model.claim import AliasKind, Formula, Groups, Plain, RankSet, Stated
from apidiff.model.mapping import TargetRange
from apidiff.model.probe import Argument, Described, Probe, Sweep
from apidiff.model.sample import Sample, SampleCode
from apidiff.model.vocabulary import AnswerKind, ApiKind, DifferenceKind, Execution, Reach, Relation, Risk, Status

# A name, or in a profile a name with placeholders: '$output', '$output[0]'.
Name = Annotated[
    str, msgspec.Meta(pattern=r"^[$A-Za-z_][\w$]*([.\[][\w$.\[\]]*)?$(?!\n)", description="a name, or $placeholder")
]
FormulaName = Annotated[str, msgspec.Meta(pattern=rf"^(\$\w+|{'|'.join(one.value for one in Formula)})$(?!\n)")]
Key = Annotated[str, msgspec.Meta(pattern=r"^[\w-]+$(?!\n)", description="the name of an entry")]
LeftOut = Annotated[list[NonEmpty], msgspec.Meta(max_length=20)]  # each is looked for in all code
SweepName = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(one.value for one in Sweep)})$(?!\n)")]
# In these unions the texts have no pattern: msgspec 0.22 crashes on a type that stands twice and has one in a union.
Slugs = str | list[str]
Note = str | Text
Value = msgspec.UnsetType | Plain | list[Plain]


class AuthoredClaim(Record, frozen=True, kw_only=True):
    """A claim, under its ID. The key of its kind holds what matters most; the others stand beside it.

    ``writes``, ``keeps``, ``keeps_rest``: the argument (``ranks``, ``some``). ``returns``: the structure. ``result``: the
    formula (``at``, ``of``, ``sizes``, ``among``). ``equals``: the value (``at``, by default the returned one; ``as_repr``
    where it is what ``repr`` shows of an object). ``raises``: the class, or ``any`` (``after``, ``within``: seconds).
    ``completes``: true. ``aliases``: the place (``with``, ``share``). ``parameter``: its name (``default``, ``required``).
    ``lacks``, ``member``, ``lacks_member``: the name. ``prints``: the example. ``by``: the probes that observe it.
    ``reason``: why there is none, and ``when``: which call it speaks of then, written as a probe is.
    """

    by: Slugs = []
    writes: Name | None = None
    keeps: Name | None = None
    keeps_rest: Name | None = None
    returns: NonEmpty | None = None
    result: FormulaName | None = None
    equals: Value = msgspec.UNSET
    raises: NonEmpty | None = None
    completes: bool | None = None
    aliases: Name | None = None
    parameter: Name | None = None
    lacks: Name | None = None
    member: Name | None = None
    lacks_member: Name | None = None
    prints: NonEmpty | None = None
    ranks: RankSet | None = None
    some: bool | None = None
    after: Seconds | None = None
    within: Seconds | None = None
    at: Name | None = None
    of: Name | None = None
    with_: Name | None = msgspec.field(name="with", default=None)
    share: AliasKind | None = None
    as_repr: bool | None = None
    sizes: Name | None = None
    among: Groups = []
    default: str | None = None
    required: bool | None = None
    reason: Note | None = None
    when: Described | None = None


class AuthoredCitation(Record, frozen=True, kw_only=True):
    """The claims that one part of a document states, and what exactly it says where that is more or other."""

    claims: Slugs
    text: Note | None = None


# Document → part of it → the claims it states. 'page' is the API's own page, 'diff' upstream's page on the differences. Under
# 'parameters/*' stand the claims of parameters/1, parameters/2 and so on, null for a number that states none of them.
Citations = dict[NonEmpty, dict[NonEmpty, str | AuthoredCitation | list[str | AuthoredCitation | None]]]


class AuthoredSweep(Record, frozen=True, kw_only=True):
    """A family of probes: the plain call, the first of the probes ``of`` that an API has, ``over`` dtypes or layouts."""

    of: list[Slug]
    over: list[NonEmpty]


class AuthoredParameter(Record, frozen=True, kw_only=True):
    """What the signatures do not say of one parameter or member.

    ``to``: the name of its counterpart, where that is another. ``is_`` (key ``is``): relations that a signature does not
    show. ``risk``: where it is not the usual one of the relations.
    ``headline``: the fact in at most ten words, where the relations do not tell it.
    """

    to: Name | None = None
    is_: Relation | list[Relation] | None = msgspec.field(name="is", default=[])
    risk: Risk | None = None
    note: Note | None = None
    headline: Note | None = None


class AuthoredDifference(Record, frozen=True, kw_only=True):
    """A difference, under its ID. ``source``, ``target``: the claims it cites of either side.

    ``headline``: the fact in at most ten words, where claims cannot tell it. ``reach``: where it is not what the probes say, and
    ``because``: why.
    """

    kind: DifferenceKind | None = None
    risk: Risk | None = None
    source: Slugs = []
    target: Slugs = []
    note: Note | None = None
    headline: Note | None = None
    reach: Reach | None = None
    because: Note | None = None


class AuthoredSource(Record, frozen=True, kw_only=True):
    """What is claimed of the source API, and the probes that observe it.

    ``profile``: profiles whose ``source`` is merged in. ``has``: the parameters that get a claim ``has-…``; without it all
    of the signature do. ``has_members``, ``lacks_members``: of a class, the members that get a claim.
    ``without``: entries of the profiles that do not stand here, by their names.
    """

    profile: Slugs = []
    with_: dict[str, str] = msgspec.field(name="with", default={})
    without: list[Key] = []
    kind: ApiKind | None = None
    root: Name | None = None
    constructor: list[Name] = []
    probes: dict[Slug, Probe] = {}
    claims: dict[Slug, AuthoredClaim] = {}
    cite: Citations = {}
    has: list[Name] | None = None
    has_members: list[Name] = []
    lacks_members: list[Name] = []


class AuthoredTarget(AuthoredSource, frozen=True, kw_only=True):
    """A target.

    ``like``: another target of the record whose probes, claims, rows and differences hold here too, or ``source`` where its
    probes and what they observe do. In a profile, a generation stands for its target of the same last name; null in a record
    takes that back.

    ``since`` (and ``status``, by default current) stands for ``ranges`` with one open range. ``lacks``: the parameters that
    get a claim ``lacks-…``; without it all do that only the source has. ``members``: present, if only as ``{}``, where the
    members of the two classes are compared. ``headlines``, ``reach``, ``fill``: see `Target`.
    """

    like: NonEmpty | None = None
    defined_in: NonEmpty | None = None
    since: str | None = None
    status: Status | None = None
    ranges: list[TargetRange] = []
    lacks: list[Name] | None = None
    parameters: dict[Name, str | AuthoredParameter] = {}
    members: dict[Name, str | AuthoredParameter] | None = None
    differences: dict[Slug, AuthoredDifference] = {}
    headlines: dict[Slug, Text] = {}
    reach: dict[Slug, Reach] = {}
    fill: dict[Name, NonEmpty] = {}
    note: Note | None = None


class AuthoredOtherwise(Record, frozen=True, kw_only=True):
    """The answer where no target replaces the source, as in `Otherwise`; texts may be named.

    What it leaves out is taken from the answer of the record's profile.
    """

    answer: AnswerKind | None = None
    since: str | None = None
    until: str | None = None
    why: Note | None = None
    instead: Note | None = None
    recipe: Script | None = None
    uses: list[Name] = []
    stated: list[Stated] = []


# Samples and their code are gone through for each; no record has more than 8.
Targets = Annotated[dict[Name, AuthoredTarget], msgspec.Meta(max_length=40)]


class Profile(Record, frozen=True, kw_only=True):
    """What the APIs of a family have in common: a part of a record with placeholders (``$tensor``).

    ``profile``: others that it builds on. ``with``: values of placeholders where a record gives none. ``targets``: by
    generation (mint, ops, comm_func, primitive, communication, other), or ``any``. ``otherwise``: the answer where no target
    replaces the source. ``samples``: written for functions; of a method the first argument is the receiver.
    ``sweeps``: families of probes for the source and every target.
    """

    about: NonEmpty
    profile: Slugs = []
    with_: dict[str, str] = msgspec.field(name="with", default={})
    category: Slug | None = None
    summary: Text | None = None
    execution: Execution | None = None
    samples: dict[Slug, Sample] = {}
    source: AuthoredSource | None = None
    targets: dict[Key, AuthoredTarget] = {}
    otherwise: AuthoredOtherwise | None = None
    caveats: dict[Slug, AuthoredDifference] = {}
    sweeps: dict[SweepName, AuthoredSweep] = {}


class AuthoredRecord(Record, frozen=True, kw_only=True):
    """One source API and what replaces it, as a person writes it; the path of the file is its name.

    ``profile``: families it belongs to. ``with``: values of their placeholders. ``targets``: by full name. ``summary``: there,
    unless a profile has it. ``notes``: texts by name; a difference or caveat that names none has the one of its own ID.
    """

    profile: Slugs = []
    with_: dict[str, str] = msgspec.field(name="with", default={})
    without: list[Key] = []
    category: Slug | None = None
    summary: Text | None = None
    aliases: list[str] = []
    execution: Execution | None = None
    samples: dict[Slug, Sample] = {}
    source: AuthoredSource | None = None
    targets: Targets = {}
    otherwise: list[AuthoredOtherwise] = []
    caveats: dict[Slug, AuthoredDifference] = {}
    sweeps: dict[SweepName, AuthoredSweep] = {}
    notes: dict[Slug, Text] = {}


class CanonicalCalls(Record, frozen=True, kw_only=True):
    """How one source and what replaces it are ordinarily called; the key is the source's name.

    ``given``: what a reader has before the call, on both sides. ``targets``: the code by full name or generation; None where
    no call is shown. ``reason``: why no run makes the calls. ``run``: the sides that a run makes, ``source`` or generations; all
    if empty.
    ``leave_out``: of an API with samples, in place of all else: lines and pieces of the first sample's code that are there for
    the comparison alone.
    """

    source: SampleCode | None = None
    given: dict[str, Argument] = {}
    targets: dict[Name, SampleCode | None] = {}
    run: list[Key] = []
    reason: Text | None = None
    leave_out: LeftOut = []


class NamedNote(Text, frozen=True, kw_only=True):
    """A text of the catalogue."""
