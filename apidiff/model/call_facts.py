"""What is known of the calls of one source API: by form of call, target and version. What `apidiff scan` judges calls by."""

from __future__ import annotations

from apidiff.model.base import Record, Text
from apidiff.model.condition import Condition
from apidiff.model.rule import WritingRule


class Form(Record, frozen=True, kw_only=True):
    """What a call passes: by position, by keyword, as written. ``open``: more may come from ``*`` or ``**``.

    An argument is written ``=`` with its Python literal, ``:`` with the full name of an API, ``tensor``, ``tuple``, ``list``, or
    ``?`` where nobody knows.
    """

    args: list[str] = []
    keywords: dict[str, str] = {}
    open: bool = False


class DifferenceFact(Record, frozen=True, kw_only=True):
    """A difference that claims show, and the calls that meet it.

    ``about``: the parameters or members without which it says nothing; ``always``: it matters to calls that leave them out.
    ``when``: alternatives, each of conditions that all hold; empty for any call. ``devices``: on which runs showed it, empty
    where it is of none. ``alike``: the versions of the target of which runs show the same of both sides.
    ``extracted``: shown by samples taken from the source's own tests, not by claims.
    """

    id: str
    kind: str
    risk: str
    reach: str
    headline: Text
    about: list[str] = []
    always: bool = False
    when: list[list[Condition]] = []
    devices: list[str] = []
    alike: list[str] = []
    extracted: bool = False


class ProblemFact(Record, frozen=True, kw_only=True):
    """A way in which samples differ; ``kernel``: a device had none for the call."""

    id: str
    kind: str
    risk: str
    reach: str
    headline: Text
    kernel: bool = False


class SampleFact(Record, frozen=True, kw_only=True):
    """A sample: the form of its call, None where lines of code make it. ``shown``: version → device → the problems by number."""

    form: Form | None
    shown: dict[str, dict[str, list[int]]] = {}


class MemberFact(Record, frozen=True, kw_only=True):
    """A member of a source class. ``target``: its name there, None where it has none; ``versions``: that have it, all if None."""

    target: str | None
    versions: str | None
    risk: str
    headline: Text | None = None


class RangeFact(Record, frozen=True, kw_only=True):
    """The standing of a target in a range of versions."""

    since: str | None
    until: str | None
    status: str


class DeviceFact(Record, frozen=True, kw_only=True):
    """What is known of a target on a device. ``outcomes``: how its ordinary call ended, by version."""

    documented: bool
    outcomes: dict[str, str] = {}


class TargetFacts(Record, frozen=True, kw_only=True):
    """What is known of a target.

    ``renamed``: source parameter → the target's name of it; ``missing``: those it lacks. ``ways``: to call the target, as those
    of the source are written. ``written``: how code names it: ``call`` (in calls and elsewhere), ``annotation`` (in annotations
    alone), empty where no rule writes it. ``rule``: what names alone do not tell of it. ``left_out``: parameters of the source
    that a port leaves out, with what is to be known then. ``note``: what a person says of it.
    """

    name: str
    ways: list[list[str]] = []
    written: str = ""
    rule: WritingRule = WritingRule()
    left_out: dict[str, Text] = {}
    ranges: list[RangeFact]
    renamed: dict[str, str] = {}
    missing: list[str] = []
    differences: list[DifferenceFact] = []
    members: dict[str, MemberFact] = {}
    samples: list[SampleFact] = []
    problems: list[ProblemFact] = []
    devices: dict[str, DeviceFact] = {}
    note: Text | None = None


class OtherwiseFacts(Record, frozen=True, kw_only=True):
    """What answers the source in versions without a target; ``headline`` says why there is none."""

    answer: str
    since: str | None
    until: str | None
    risk: str
    headline: Text


class CallFacts(Record, frozen=True, kw_only=True):
    """What is known of one source API.

    ``ways``: to call it, each a list of parameters: ``name``, ``name/`` (by position only), ``name=`` (by keyword only),
    ``*name`` or ``**name``; ``needed``: of each, the parameters that it cannot be called without. ``help``: the address of its
    official documentation. ``guide``: the section of the guide that tells what to do where no rule ports it. ``stand_in``: the
    class that annotations and ``isinstance`` name instead of one without a target.
    """

    mapping: str
    source: str
    is_class: bool
    single: bool
    ways: list[list[str]] = []
    needed: list[list[str]] = []
    targets: list[TargetFacts] = []
    otherwise: list[OtherwiseFacts] = []
    help: Text | None = None
    guide: str | None = None
    stand_in: str | None = None
