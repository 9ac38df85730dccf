"""Mappings: one source API and what replaces it, version range by version range."""

from __future__ import annotations

from typing import Annotated

import msgspec

from apidiff.model.base import Address, AddressOrNone, DottedName, NonEmpty, Record, ReleaseVersion, Script, Slug, Text
from apidiff.model.claim import Claim, Stated
from apidiff.model.collective import Collective
from apidiff.model.rule import refuse_other_fill
from apidiff.model.sample import Sample
from apidiff.model.vocabulary import (
    AnswerKind,
    ApiKind,
    DifferenceKind,
    Execution,
    Framework,
    Reach,
    Relation,
    Risk,
    Status,
)


class Release(Record, frozen=True, kw_only=True):
    """A known release of a framework."""

    version: ReleaseVersion
    date: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$(?!\n)")] | None = None


LONGEST_TITLE = 300
Releases = Annotated[list[Release], msgspec.Meta(max_length=300)]


class Document(Record, frozen=True, kw_only=True):
    """A document that states claims: its address, what it is about and the framework version it speaks of.

    ``url_zh``, ``title_zh``: of its Chinese twin, empty where it has none.
    """

    title: Annotated[NonEmpty, msgspec.Meta(max_length=LONGEST_TITLE)]
    url: Address
    framework: Framework
    version: ReleaseVersion
    language: str = "en"
    api: DottedName | None = None
    seed: str | None = None  # file name of the seed, for the user's five documents
    url_zh: AddressOrNone = ""
    title_zh: Annotated[str, msgspec.Meta(max_length=LONGEST_TITLE)] = ""

    @property
    def speaks_of(self) -> tuple[str, str]:
        """The framework, and the version of it that the document names."""
        return self.framework.value, self.version


class TargetRange(Record, frozen=True, kw_only=True):
    """MindSpore versions from ``since`` up to and including ``until`` (open where None), and the standing there.

    Both ends are read at their precision: ``until: "2.8"`` includes 2.8.0 and any 2.8.x.
    """

    since: str | None = None
    until: str | None = None
    status: Status


class ParameterRow(Record, frozen=True, kw_only=True):
    """One pair of parameters; ``source`` or ``target`` is missing where only the other side has it."""

    source: str | None = None
    target: str | None = None
    relations: list[Relation]
    risk: Risk = Risk.NONE
    note: Text | None = None
    headline: Text | None = None


class Api(Record, frozen=True, kw_only=True):
    """An API with what is claimed of it.

    ``collective``: how ranks call it, where the mapping's execution is collective. An API that replaces several sources has
    its claims and probes in one record; the others name that record's ID as ``defined_in`` and leave them out. ``canonical``:
    how it is ordinarily called, as code to copy; a run makes it as the probe ``canonical``.
    """

    name: DottedName
    kind: ApiKind = ApiKind.FUNCTION
    collective: Collective | None = None
    claims: list[Claim] = []
    defined_in: DottedName | None = None
    canonical: str | None = None


class Difference(Record, frozen=True, kw_only=True):
    """A difference a porter must know. Its text is made from the claims it cites; ``note`` says what they cannot.

    ``source_claims`` and ``target_claims`` are claim IDs without the API name. ``headline`` and ``reach``: where a person gave
    them; ``because`` says why the reach is another than the probes say.
    """

    id: Slug
    kind: DifferenceKind
    risk: Risk
    source_claims: list[Slug] = []
    target_claims: list[Slug] = []
    note: Text | None = None
    headline: Text | None = None
    reach: Reach | None = None
    because: Text | None = None


class Target(Record, frozen=True, kw_only=True):
    """One MindSpore API that replaces the source in some versions.

    ``members``: of a class or an enumeration, its public members side by side, as ``parameters`` does for parameters.
    ``headlines``: what to say of differences that runs of samples show, by the ID of the difference, where a person says more.
    ``reach``: whom such a difference meets, where PyTorch's own tests make calls that few programs do.
    ``fill``: parameter of the target → what a port writes for it where the source's call passes nothing, because the defaults
    differ: a literal, or ``{name}`` for what the call passes for that parameter of the source.
    """

    api: Api
    ranges: list[TargetRange]
    parameters: list[ParameterRow] = []
    fill: dict[NonEmpty, NonEmpty] = {}
    members: list[ParameterRow] = []
    differences: list[Difference] = []
    headlines: dict[Slug, Text] = {}
    reach: dict[Slug, Reach] = {}
    note: Text | None = None

    def __post_init__(self) -> None:
        refuse_other_fill(self.fill)


class Otherwise(Record, frozen=True, kw_only=True):
    """The answer for MindSpore versions from ``since`` to ``until`` in which no target replaces the source.

    ``why`` says why there is none; ``instead`` what people do instead. ``recipe`` is the path of a script below
    executable_examples/ that does it in MindSpore, and ``uses`` the MindSpore APIs that go into it or take its place.
    """

    answer: AnswerKind
    since: str | None = None
    until: str | None = None
    why: Text
    instead: Text | None = None
    recipe: Script | None = None
    uses: list[DottedName] = []
    stated: list[Stated] = []


class Mapping(Record, frozen=True, kw_only=True):
    """One source API and what answers it at each MindSpore version: a target or an ``otherwise``, never both.

    The path of the file is the ID. ``caveats`` are differences that hold whatever the target (they cite only source claims).
    ``execution``: how its calls are made; ``samples`` are those of ``single``, each made with the source and with every target.
    ``left_out``: what their code has for a comparison alone, so that the call shown as the ordinary one goes without it.
    """

    id: DottedName
    category: Slug
    summary: Text
    execution: Execution = Execution.COLLECTIVE
    aliases: list[str] = []
    samples: dict[Slug, Sample] = {}
    left_out: list[NonEmpty] = []
    source: Api
    targets: list[Target] = []
    otherwise: list[Otherwise] = []
    caveats: list[Difference] = []
