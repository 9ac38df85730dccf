"""Judges a reference to PyTorch: what answers it at a MindSpore version, which differences its call can meet, what runs prove.

A difference is left out where the arguments that are written there rule it out, or where samples of the same form agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Protocol

import msgspec

from apidiff.derive.call_conditions import Standing, standing_of_any
from apidiff.messages.labels import LABELS, filled
from apidiff.model.base import Text
from apidiff.model.call_facts import CallFacts, DifferenceFact, OtherwiseFacts, SampleFact, TargetFacts
from apidiff.model.ranges import holds, told
from apidiff.model.rule import PLACE
from apidiff.model.source_names import KnownApi, SourceNames
from apidiff.model.version import Version
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk, Status
from apidiff.porting.call_forms import CallForm
from apidiff.porting.call_matching import SEVERAL, TUPLE, Bound, bind, bound_by, fits

DEVICES = {"ascend": "npu", "gpu": "cuda", "cpu": "cpu"}
"""How a user names a device, and how records do."""
# NumPy's names, which PyTorch takes too: its parser of arguments renames them.
_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input"}
_MOVE, _MOVE_OR_CAST = "torch.Tensor.cuda", "torch.Tensor.to"
_MOVES = {"torch.nn.Module.cuda", "torch.nn.Module.cpu"}
OBJECTS = "objects"  # the role of a class that is named where objects may be made of it
_MAY_MOVE = {_MOVE_OR_CAST, "torch.nn.Module.to"}


class Label(Enum):
    """How far runs have proven what is written instead of a reference."""

    VERIFIED = "verified"  # every facet agrees on every sample of that form
    UNSAFE = "unsafe"  # some differ, or no sample of that form was run
    MANUAL = "manual"  # no rule writes it
    UNKNOWN = "unknown"  # the database has nothing about it


_DEFAULT = "default-"


class Met(msgspec.Struct, frozen=True, gc=False):
    """A difference that a call can meet. ``id``: the same in every version of the database, such as ``parameter-out``."""

    id: str
    kind: str
    risk: str
    reach: str
    headline: Text


class Judgement(msgspec.Struct, frozen=True, gc=False):
    """What is said of a reference. ``replacement``: the full name to write instead, where nothing else changes."""

    label: Label
    mapping: str | None = None
    target: str | None = None
    differences: tuple[Met, ...] = ()
    replacement: str | None = None
    help: Text | None = None
    guide: str | None = None


class CallIndex(Protocol):
    """What an index tells of calls. `apidiff.lookup.index.Index` is one."""

    @property
    def releases(self) -> dict[str, list[str]]:
        """The known releases of each framework, newest first."""

    @property
    def source_names(self) -> SourceNames:
        """What names in code stand for."""

    def call_facts(self, mapping: str, /) -> CallFacts:
        """Read the facts of a mapping."""


class Judge:
    """Judges references for one MindSpore version and device.

    Args:
        facts_of: reads the facts of a mapping.
        apis: the APIs of the database by name.
        version: the MindSpore release.
        known: all known releases, newest first.
        device: ``npu``, ``cuda`` or ``cpu``; of a device alone nothing is told where it is None.
    """

    def __init__(
        self,
        facts_of: Callable[[str], CallFacts],
        apis: Mapping[str, KnownApi],
        version: str,
        known: list[str],
        device: str | None,
    ) -> None:
        self._facts_of, self._apis, self._device, self._known = facts_of, apis, device, known
        self._release, self._version = version, Version(version)
        self._facts: dict[str, CallFacts] = {}
        self._judged: dict[tuple[str, str, CallForm | None], Judgement] = {}

    @classmethod
    def of_index(cls, index: CallIndex, release: str, device: str | None) -> Judge:
        """Judge by an index, for a device as a user names it: ``ascend``, ``gpu`` or ``cpu``."""
        known = index.releases["mindspore"]
        return cls(index.call_facts, index.source_names.apis, release, known, DEVICES[device] if device else None)

    def judge(self, name: str, role: str, form: CallForm | None) -> Judgement:
        """Judge the API ``name`` used as ``role``; ``form``: what its call passes, None where it is not called."""
        key = name, role, form
        if key not in self._judged:
            self._judged[key] = self._judge(name, role, form)
        return self._judged[key]

    def _judge(self, name: str, role: str, form: CallForm | None) -> Judgement:
        found = self._meaning(name)
        if self._is_move(name, form):
            return self._of_move(found[0] if found is not None else _MOVE)
        if found is None:
            return Judgement(Label.UNKNOWN)
        mapping, member = found
        facts = self._facts_of_mapping(mapping)
        target = next((one for one in facts.targets if self._standing(one) == Status.CURRENT.value), None)
        if target is None:
            return self._without_target(facts, role)
        if member is not None:
            return self._of_member(facts, target, member)
        if role == OBJECTS and facts.is_class:
            return self._of_objects(facts, target)
        judged = self._of_target(facts, target, role, form)
        if judged.label is Label.VERIFIED or self._device is None:
            return judged
        # Another target is used where it is proven on the device, and the recommended one is not, or where it has a kernel.
        lacking = self._lacking(facts, target, judged, form)
        for other in self._available(facts):
            instead = self._of_target(facts, other, role, form)
            if instead.label is Label.VERIFIED or self._lacking(facts, other, instead, form) < lacking:
                return instead
        return judged

    def _available(self, facts: CallFacts) -> list[TargetFacts]:
        """The targets beside the recommended one that calls may be written with."""
        return [one for one in facts.targets if self._standing(one) == Status.AVAILABLE.value and one.written]

    def other_targets(self, facts: CallFacts, target: TargetFacts) -> list[str]:
        """The other targets that calls may be written with on the device; none where no device is chosen."""
        return [one.name for one in self._available(facts) if one is not target] if self._device is not None else []

    def lacks_kernel(self, target: TargetFacts) -> bool:
        """Whether no sample found a kernel of ``target`` on the device."""
        return self._lack_kernel(target, target.samples)

    def _lack_kernel(self, target: TargetFacts, samples: list[SampleFact]) -> bool:
        shown = [numbers for sample in samples if (numbers := self._shown(sample)) is not None]
        return bool(shown) and all(any(target.problems[number].kernel for number in one) for one in shown)

    def _is_move(self, name: str, form: CallForm | None) -> bool:
        """Whether a call only moves a tensor or a layer to a device: `.to(device)`, and not `.to(dtype)`."""
        if name in _MOVES:
            return True
        if name not in _MAY_MOVE or form is None or _MOVE_OR_CAST not in self._apis:
            return False
        cast = self._facts_of_mapping(_MOVE_OR_CAST)
        bound = bind(form, cast.ways, cast.needed)
        return "device" in bound and "dtype" not in bound

    def _of_move(self, mapping: str) -> Judgement:
        """What the database says of `.cuda()`, which also holds of others that move to a device."""
        moved = self._without_target(self._facts_of_mapping(_MOVE))
        return msgspec.structs.replace(moved, mapping=mapping, help=self._facts_of_mapping(mapping).help)

    def _of_target(self, facts: CallFacts, target: TargetFacts, role: str, form: CallForm | None) -> Judgement:
        if role == "import" or (role == "name" and facts.is_class):
            return self._of_import(facts, target)
        bound = bind(form, facts.ways, facts.needed) if form is not None else None
        if bound is not None:  # sizes given one by one are written as a tuple where the target takes them so
            several = {name: TUPLE for name in bound if bound[name] == SEVERAL and takes_tuple(facts, target, name)}
            bound = {**bound, **several}
        differences = tuple(self._met(facts, target, form, bound))
        label = self._label(facts, target, form, bound, differences)
        replacement = _replacement(facts, target, bound, label)
        return Judgement(label, facts.mapping, target.name, differences, replacement, facts.help, facts.guide)

    def target_of(self, judgement: Judgement) -> TargetFacts | None:
        """The facts of the target that a judgement names."""
        facts = self.facts_of(judgement)
        return next((one for one in facts.targets if one.name == judgement.target), None) if facts else None

    def facts_of(self, judgement: Judgement) -> CallFacts | None:
        """The facts of the mapping that a judgement names."""
        return self._facts_of_mapping(judgement.mapping) if judgement.mapping is not None else None

    def is_on_ranks(self, name: str) -> bool:
        """Whether an API, or the class of a member, works with other ranks, or on what they have in common: a process group."""
        found = self._meaning(name)
        return found is not None and not self._facts_of_mapping(found[0]).single

    def _meaning(self, name: str) -> tuple[str, str | None] | None:
        known = self._apis.get(name)
        if known is not None:
            return known.mapping, None
        owner, _, member = name.rpartition(".")
        known = self._apis.get(owner)
        if known is None or not known.is_class:
            return None
        facts = self._facts_of_mapping(known.mapping)
        has_members = any(member in target.members for target in facts.targets)
        return (known.mapping, member) if has_members else None

    def _facts_of_mapping(self, mapping: str) -> CallFacts:
        if mapping not in self._facts:
            self._facts[mapping] = self._facts_of(mapping)
        return self._facts[mapping]

    def _standing(self, target: TargetFacts) -> str | None:
        spans = (span for span in target.ranges if holds(span.since, span.until, self._version))
        return next((span.status for span in spans), None)

    def _without_target(self, facts: CallFacts, role: str = "call") -> Judgement:
        answer = next((one for one in facts.otherwise if holds(one.since, one.until, self._version)), None)
        if answer is None:
            return Judgement(Label.UNKNOWN, facts.mapping, help=facts.help, guide=facts.guide)
        written = facts.stand_in if role in {"name", OBJECTS} else None
        label = Label.UNSAFE if written is not None else Label.MANUAL
        return Judgement(label, facts.mapping, written, (_met_answer(answer),), None, facts.help, facts.guide)

    def _of_member(self, facts: CallFacts, target: TargetFacts, name: str) -> Judgement:
        member = target.members.get(name)
        if member is None:
            return Judgement(Label.UNKNOWN, facts.mapping, target.name, help=facts.help)
        there = member.versions is None or self._release in told(self._known, member.versions)
        if member.target is None or not there:
            headline = member.headline if there else None
            text = headline or filled("scan.no_member", member=name, version=self._release)
            risk = member.risk if member.risk != Risk.NONE.value else Risk.ERROR.value
            met = Met(f"member-{name}", DifferenceKind.MEMBER.value, risk, Reach.EVERYDAY.value, text)
            return Judgement(Label.MANUAL, facts.mapping, target.name, (met,), None, facts.help)
        full = f"{target.name}.{member.target}"
        if member.target == name or member.headline is None:
            return Judgement(Label.VERIFIED, facts.mapping, full, (), full, facts.help)
        met = Met(f"member-{name}", DifferenceKind.MEMBER.value, member.risk, Reach.EVERYDAY.value, member.headline)
        return Judgement(Label.UNSAFE, facts.mapping, full, (met,), None, facts.help)

    def _of_import(self, facts: CallFacts, target: TargetFacts) -> Judgement:
        """An import, or a class that is named in an annotation: what its calls meet is told of these."""
        proven = any(self._shown(sample) is not None for sample in target.samples) or self._ran(target)
        label = Label.VERIFIED if proven else Label.UNSAFE
        return Judgement(
            label if target.written else Label.MANUAL, facts.mapping, target.name, help=facts.help, guide=facts.guide
        )

    def _of_objects(self, facts: CallFacts, target: TargetFacts) -> Judgement:
        """A class that others are given to call: verified where a call is that passes no more than it has to."""
        named = self._of_import(facts, target)
        forms = [
            (),
            *(tuple(sample.form.args) for sample in target.samples if sample.form and not sample.form.keywords),
        ]
        plain = [CallForm(args) for args in dict.fromkeys(forms) if self._is_plain(facts, CallForm(args))]
        if named.label is not Label.VERIFIED or not plain:
            return named
        judged = [self._of_target(facts, target, "call", form) for form in plain]
        return next((named for one in judged if one.label is Label.VERIFIED), judged[0])

    @staticmethod
    def _is_plain(facts: CallFacts, form: CallForm) -> bool:
        """Whether a call passes what it cannot do without, and nothing else."""
        return any(
            (bound := bound_by(form, way)) is not None and bound.keys() == set(needed)
            for way, needed in zip(facts.ways, facts.needed, strict=False)
        )

    def _met(self, facts: CallFacts, target: TargetFacts, form: CallForm | None, bound: Bound | None) -> Iterator[Met]:
        """The differences that a call can meet; of a name that is not called, those of any call."""
        parameters = frozenset(name.strip("*/=") for way in facts.ways for name in way)
        for difference in target.differences:
            if not self._matters(difference):
                continue
            unknown = form is None or bound is None
            if (unknown and not _is_rare(difference)) or (
                form is not None and bound is not None and _can_meet(difference, bound, parameters, more=form.open)
            ):
                reach = _reach(difference, bound or {})
                yield Met(difference.id, difference.kind, difference.risk, reach, difference.headline)
        if form is not None:
            yield from _undocumented(facts, form, parameters)
        if form is not None and bound is not None and not form.open:
            yield from _written_out(target, bound)
        yield from self._met_samples(facts, target, form, bound)
        device = target.devices.get(self._device) if self._device is not None else None
        if device is not None and not device.documented and self._release not in device.outcomes:
            text = filled("scan.not_documented", device=LABELS[f"device.{self._device}"])
            kind = DifferenceKind.BACKEND_SUPPORT.value
            yield Met("device-not-documented", kind, Risk.ERROR.value, Reach.EVERYDAY.value, text)

    def _matters(self, difference: DifferenceFact) -> bool:
        if difference.reach == Reach.SOURCE_ONLY.value or difference.risk == Risk.NONE.value:
            return False
        if self._release in difference.alike:
            return False
        if difference.kind == DifferenceKind.BACKEND_SUPPORT.value:
            return self._device is not None and (not difference.devices or self._device in difference.devices)
        return difference.kind != DifferenceKind.DOCUMENTATION.value

    def _met_samples(
        self, facts: CallFacts, target: TargetFacts, form: CallForm | None, bound: Bound | None
    ) -> Iterator[Met]:
        """What runs of samples show that the call may be like."""
        seen: dict[int, None] = {}
        for sample in self._like(facts, target, form, bound)[0]:
            seen |= dict.fromkeys(self._shown(sample) or [])
        for number in seen:
            problem = target.problems[number]
            if problem.risk != Risk.NONE.value and (not problem.kernel or self._device is not None):
                yield Met(problem.id, problem.kind, problem.risk, problem.reach, problem.headline)

    def _like(
        self, facts: CallFacts, target: TargetFacts, form: CallForm | None, bound: Bound | None
    ) -> tuple[list[SampleFact], bool]:
        """The samples that a call may be like as it is written with the target, and whether they are of its very form."""
        if bound is None or (form is not None and form.open):
            return target.samples, False
        bound = {name: value for name, value in bound.items() if not is_left_out(target, name)}
        forms = [(sample, self._bound(facts, sample)) for sample in target.samples]
        same = [sample for sample, passed in forms if passed is None or fits(bound, passed, more=False)]
        if any(self._shown(sample) is not None for sample in same):
            return same, True
        return [sample for sample, passed in forms if passed is not None and fits(bound, passed, more=True)], False

    def _lacking(self, facts: CallFacts, target: TargetFacts, judged: Judgement, form: CallForm | None) -> int:
        """How far a target lacks a kernel on the device for what a call is like: 0 nothing tells so, 1 somewhat, 2 wholly."""
        if all(met.kind != DifferenceKind.BACKEND_SUPPORT.value for met in judged.differences):
            return 0
        bound = bind(form, facts.ways, facts.needed) if form is not None else None
        return 2 if self._lack_kernel(target, self._like(facts, target, form, bound)[0]) else 1

    @staticmethod
    def _bound(facts: CallFacts, sample: SampleFact) -> Bound | None:
        if sample.form is None:
            return None
        form = CallForm(tuple(sample.form.args), tuple(sample.form.keywords.items()))
        return bind(form, facts.ways, facts.needed)

    def _shown(self, sample: SampleFact) -> list[int] | None:
        """The problems that runs at the release show; None where there is no run on the device."""
        devices = sample.shown.get(self._release)
        if devices is None or (self._device is not None and self._device not in devices):
            return None
        chosen = devices.values() if self._device is None else [devices[self._device]]
        return [number for numbers in chosen for number in numbers]

    def _ran(self, target: TargetFacts) -> bool:
        """Whether the target's ordinary call came back at the release, on the device."""
        devices = target.devices if self._device is None else {self._device: target.devices.get(self._device)}
        return any(one is not None and one.outcomes.get(self._release) == "holds" for one in devices.values())

    def _label(
        self,
        facts: CallFacts,
        target: TargetFacts,
        form: CallForm | None,
        bound: Bound | None,
        differences: tuple[Met, ...],
    ) -> Label:
        left_out = target.left_out if facts.single else {}
        if target.written != "call" or any(name in target.missing and name not in left_out for name in bound or ()):
            return Label.MANUAL
        if any(name in left_out for name in bound or ()):
            return Label.UNSAFE
        # What a graph changes is told, but ported code runs in PyNative mode until somebody compiles it.
        if any(not is_by_rule(met, target) and met.kind != DifferenceKind.GRAPH.value for met in differences):
            return Label.UNSAFE
        if not facts.single:
            return Label.VERIFIED if self._ran(target) else Label.UNSAFE
        like, same = self._like(facts, target, form, bound)
        if form is None:
            same = True  # a name that is not called: all samples are of it
        compared = [
            numbers
            for sample in like
            if (numbers := self._shown(sample)) is not None
            and not any(target.problems[number].kernel for number in numbers)
        ]
        return Label.VERIFIED if same and compared else Label.UNSAFE


def is_left_out(target: TargetFacts, name: str) -> bool:
    """Whether a port leaves an argument out: the target has no parameter for it, or another one of the same name."""
    names = {parameter.strip("*/=") for way in target.ways for parameter in way}
    return name in target.left_out and (name not in names or name == "device" or name in target.missing)


def takes_tuple(facts: CallFacts, target: TargetFacts, name: str) -> bool:
    """Whether arguments that the source takes one by one for ``name`` are one argument of the target."""
    one_by_one = any(f"*{name}" in way for way in facts.ways)
    return one_by_one and bool(target.ways) and all(name in way for way in target.ways)


def is_by_rule(met: Met, target: TargetFacts) -> bool:
    """Whether a difference is that a parameter has another name or another default, which the rule writes."""
    names = {f"parameter-{name.replace('_', '-')}" for pair in target.renamed.items() for name in pair}
    return met.kind == DifferenceKind.PARAMETER.value and (met.id in names or met.id.startswith(_DEFAULT))


def _can_meet(difference: DifferenceFact, call: Bound, parameters: frozenset[str], *, more: bool) -> bool:
    """Whether a call is one that a difference can be about."""
    if difference.about and not difference.always and not more and not any(name in call for name in difference.about):
        return False
    standing = standing_of_any(difference.when, call, known=parameters, more=more)
    if _is_rare(difference):
        return standing is Standing.HOLDS
    return standing is not Standing.CANNOT_HOLD


def _is_rare(difference: DifferenceFact) -> bool:
    """Whether a difference is told of a call only where its text shows that it meets it.

    Test inputs go to the edges of every API: what depends on data that no text tells would be told of every call.
    """
    return difference.extracted and difference.reach != Reach.EVERYDAY.value


def _reach(difference: DifferenceFact, call: Bound) -> str:
    """Whom it meets: a call that passes the parameter that it is about is everyday code to its author."""
    is_passed = difference.kind == DifferenceKind.PARAMETER.value and any(name in call for name in difference.about)
    return Reach.EVERYDAY.value if is_passed else difference.reach


def _undocumented(facts: CallFacts, form: CallForm, parameters: frozenset[str]) -> Iterator[Met]:
    """Keywords that PyTorch takes although its signatures do not tell of them, such as NumPy's ``axis`` for ``dim``."""
    if not facts.ways or any(name.startswith("**") for way in facts.ways for name in way):
        return
    for name, _ in form.keywords:
        if name in _NUMPY_NAMES and name not in parameters:
            headline = filled("scan.undocumented_keyword", name=name, instead=_NUMPY_NAMES[name])
            kind = DifferenceKind.PARAMETER.value
            yield Met(f"keyword-{name}", kind, Risk.ERROR.value, Reach.EVERYDAY.value, headline)


def _written_out(target: TargetFacts, call: Bound) -> Iterator[Met]:
    """Parameters that the call leaves to a default which is another one in MindSpore: the rule writes them."""
    passed = {target.renamed.get(name, name) for name in call}
    for name, text in target.rule.fill.items():
        if name not in passed:
            headline = filled("scan.written_out", name=name, value=PLACE.sub(r"\1", text))
            kind = DifferenceKind.PARAMETER.value
            yield Met(f"{_DEFAULT}{name}", kind, Risk.SILENT.value, Reach.EVERYDAY.value, headline)


def _met_answer(answer: OtherwiseFacts) -> Met:
    return Met(answer.answer.replace("_", "-"), answer.answer, answer.risk, Reach.EVERYDAY.value, answer.headline)


def _replacement(facts: CallFacts, target: TargetFacts, bound: Bound | None, label: Label) -> str | None:
    """The name to write instead where this is the whole edit; None where more changes, or nothing: a method of the same name."""
    rule = target.rule
    more = rule.fill or rule.values or rule.arguments or rule.forms
    if label is not Label.VERIFIED or more or any(name in target.renamed for name in bound or ()):
        return None
    if facts.source.startswith("torch.Tensor.") and facts.source != "torch.Tensor":
        return None
    return target.name
