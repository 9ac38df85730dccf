"""Judges what upstream's table says of a pair of APIs by the signature that a run recorded of the MindSpore one.

The table's criteria: the same number and order of parameters, the same names, defaults and types. The exceptions that the
table makes are rules here, each a function that says which one it is. Types that are not known, and defaults that are no
literals and not written alike, decide nothing: a pair with such a part is neither consistent nor shown to be otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apidiff.judge.case import Verdict, no_signature, signature_fact
from apidiff.judge.typenames import Relation, relation, type_names
from apidiff.model.claim import Claim, Corresponds, ListedAs
from apidiff.model.literals import literal
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter
from apidiff.model.trace import RunRecord, SignatureDump
from apidiff.model.verdict import Evidence, EvidenceCode, Outcome, evidence
from apidiff.model.version import Version

Signatures = Mapping[tuple[str, str], SignatureFile]
_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}


@dataclass(frozen=True)
class Given:
    """A parameter of one side. ``defaults``: all texts known of its default; empty where it is required."""

    name: str
    defaults: tuple[str, ...] = ()
    type: str | None = None
    keyword_only: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Comparison:
    """Two signatures side by side. ``undecided``: the parts that nothing decides."""

    differences: list[Evidence]
    undecided: list[Evidence]


def judge_correspondence(claim: Claim, name: str, record: RunRecord, signatures: Signatures) -> Verdict:
    """The outcome of a ``corresponds`` claim on the API ``name`` by the signature that ``record`` holds.

    ``not run`` where the record holds none, where no signature of the source is known, or where what is known decides
    neither way.
    """
    body = claim.corresponds
    dump = record.signature_of.get(name)
    if body is None or dump is None:
        return Outcome.NOT_RUN, []
    if dump.missing or dump.error:
        return Outcome.ERROR, [no_signature(dump, record)]
    file = signatures.get((record.framework, record.framework_version))
    comparison = compare(body, recorded(dump, file.apis.get(name) if file else None), signatures)
    note, shown = version_note(body, signatures), signature_fact(dump)
    if body.listed is ListedAs.TEXT:
        if twin := twin_of(name, body, signatures):
            return Outcome.REFUTED, [twin]
        return Outcome.HOLDS, [shown, *note, *comparison.differences] if comparison else [shown]
    if comparison is None:
        return Outcome.NOT_RUN, []
    if body.listed is ListedAs.DIFF:
        return (Outcome.HOLDS, note + comparison.differences) if comparison.differences else (Outcome.NOT_RUN, [])
    if comparison.differences:
        return Outcome.REFUTED, note + comparison.differences
    return (Outcome.NOT_RUN, []) if comparison.undecided else (Outcome.HOLDS, [*note, shown])


def compare(body: Corresponds, target: Sequence[Given], signatures: Signatures) -> Comparison | None:
    """The source that a row names against ``target``; None where no signature of the source is known.

    Of a source with overloads, the one that is nearest to the target.
    """
    file = source_file(body, signatures)
    if file is None or body.source is None or not file.tells_parameters(body.source):
        return None
    source = file.apis[body.source]
    ways = source.overloads or [source.parameters]
    comparisons = [
        side_by_side(
            [_written(parameter) for parameter in way], target, body.excused, overloaded=bool(source.overloads)
        )
        for way in ways
    ]
    return min(comparisons, key=lambda comparison: (len(comparison.differences), len(comparison.undecided)))


def source_file(body: Corresponds, signatures: Signatures) -> SignatureFile | None:
    """The signatures of the torch release that a row speaks of, or of the first later one that is known, or of the last."""
    known = sorted((file for (framework, _), file in signatures.items() if framework == "torch"), key=_release)
    if not known or not body.source_version:
        return None
    wanted = Version(body.source_version)
    fitting = [file for file in known if wanted.covers(_release(file)) or _release(file) >= wanted]
    return fitting[0] if fitting else known[-1]


def version_note(body: Corresponds, signatures: Signatures) -> list[Evidence]:
    """The fact that says which release stands in where that of the row is not known: ``torch 1.13.0 > 1.8.1``."""
    file = source_file(body, signatures)
    if file is None or body.source_version is None or Version(body.source_version).covers(_release(file)):
        return []
    sign = ">" if _release(file) > Version(body.source_version) else "<"
    return [evidence(EvidenceCode.OTHER_RELEASE, known=file.version, sign=sign, wanted=body.source_version)]


def twin_of(name: str, body: Corresponds, signatures: Signatures) -> Evidence | None:
    """The signature of torch's API of the same name, where the row says that torch has none: mint mirrors torch's modules."""
    file = source_file(body, signatures)
    twin = name.replace("mindspore.mint.", "torch.", 1)
    if body.source is not None or file is None or twin not in file:
        return None
    signature = file.apis.get(twin)
    text = signature.text(twin) if signature else twin
    return evidence(EvidenceCode.SAME_NAME_IN_SOURCE, version=file.version, signature=text)


def recorded(dump: SignatureDump, written: Signature | None) -> list[Given]:
    """The parameters as a run recorded them, with the types and the texts of defaults from the source of that version."""
    written_by_name = {parameter.name: parameter for parameter in written.every_parameter} if written else {}
    given = []
    for parameter in dump.parameters:
        same = written_by_name.get(parameter.name)
        texts = {same.default} if same and same.default else set()
        given.append(
            Given(
                parameter.name,
                () if parameter.default is None else (parameter.default, *sorted(texts - {parameter.default})),
                (same.annotation or same.documented) if same else None,
                keyword_only=parameter.kind == ParameterKind.KEYWORD_ONLY.value,
                variadic=parameter.kind in {kind.value for kind in _VARIADIC},
            )
        )
    return given


def read(signature: Signature) -> list[Given]:
    """The parameters as the source of a version has them."""
    return [_written(parameter) for parameter in signature.every_parameter]


def _written(parameter: SignatureParameter) -> Given:
    return Given(
        parameter.name,
        () if parameter.default is None else (parameter.default,),
        parameter.annotation or parameter.documented,
        keyword_only=parameter.kind is ParameterKind.KEYWORD_ONLY,
        variadic=parameter.kind in _VARIADIC,
    )


def _release(file: SignatureFile) -> Version:
    return Version(file.version)


def side_by_side(
    source: Sequence[Given], target: Sequence[Given], excused: Iterable[str] = (), *, overloaded: bool = False
) -> Comparison:
    """What tells the parameters of two signatures apart, by the table's criteria and exceptions."""
    if variadic := [
        evidence(EvidenceCode.VARIADIC, name=parameter.name) for parameter in (*source, *target) if parameter.variadic
    ]:
        return Comparison([], variadic)
    left = without_general(source, target, excused)
    given = {parameter.name: parameter for parameter in without_added(source, target)}
    names = [parameter.name for parameter in left]
    both = given.keys() & names
    differences = [evidence(EvidenceCode.ONLY_IN_SOURCE, name=name) for name in names if name not in both]
    differences += [evidence(EvidenceCode.ONLY_IN_TARGET, name=name) for name in given if name not in both]
    order, target_order = [name for name in names if name in both], [name for name in given if name in both]
    if order != target_order:
        texts = ", ".join(order), ", ".join(target_order)
        differences.append(evidence(EvidenceCode.ORDER_DIFFERS, source=texts[0], target=texts[1]))
    undecided: list[Evidence] = []
    for parameter in left:
        if (twin := given.get(parameter.name)) is not None:
            _defaults(parameter, twin, differences, undecided, overloaded=overloaded)
            _types(parameter, twin, differences, undecided)
    return Comparison(differences, undecided)


def without_general(source: Sequence[Given], target: Sequence[Given], excused: Iterable[str]) -> list[Given]:
    """Exception 2: MindSpore may lack what the table lists as general parameters of torch (``out``, ``device``, …)."""
    lacked = {*excused}.difference(parameter.name for parameter in target)
    return [parameter for parameter in source if parameter.name not in lacked]


def without_added(source: Sequence[Given], target: Sequence[Given]) -> list[Given]:
    """Exception 3: MindSpore may have more parameters if the call without them does the same.

    They have a default, and stand behind those that both have, or are given by keyword only: else they shift the others.
    """
    shared = {parameter.name for parameter in source}
    placed = [place for place, one in enumerate(target) if one.name in shared and not one.keyword_only]
    behind = placed[-1] if placed else -1
    return [
        parameter
        for place, parameter in enumerate(target)
        if parameter.name in shared or not parameter.defaults or not (parameter.keyword_only or place > behind)
    ]


def stands_for_overload(source: Given, target: Given, *, overloaded: bool) -> bool:
    """Exception 4: where torch has overloads, None may stand in MindSpore for what one of them lacks and another requires."""
    return overloaded and not source.defaults and "None" in target.defaults


def _defaults(
    source: Given, target: Given, differences: list[Evidence], undecided: list[Evidence], *, overloaded: bool
) -> None:
    if stands_for_overload(source, target, overloaded=overloaded):
        return
    name = source.name
    if not source.defaults or not target.defaults:
        if target.defaults:
            differences.append(evidence(EvidenceCode.REQUIRED_IN_SOURCE, name=name, target=target.defaults[0]))
        elif source.defaults:
            differences.append(evidence(EvidenceCode.REQUIRED_IN_TARGET, name=name, source=source.defaults[0]))
        return
    if set(source.defaults) & set(target.defaults):
        return
    ours, theirs = source.defaults[0], target.defaults[0]
    left, right = (_literals(side.defaults) for side in (source, target))
    if left is None or right is None:
        undecided.append(evidence(EvidenceCode.DEFAULT_UNDECIDED, name=name, source=ours, target=theirs))
    elif left != right:
        differences.append(evidence(EvidenceCode.DEFAULT_DIFFERS, name=name, source=ours, target=theirs))


def _literals(texts: Iterable[str]) -> tuple[str, object] | None:
    """The value that one of the texts is a literal of, with its type (True is not 1); None where none is one."""
    for text in texts:
        try:
            value = literal(text)
        except ValueError:
            continue
        if value is not ...:  # a stub's way to say that there is a default
            return type(value).__name__, value
    return None


def _types(source: Given, target: Given, differences: list[Evidence], undecided: list[Evidence]) -> None:
    """Exception 1, a narrower range of dtypes, shows in no signature: tensors are tensors here."""
    name, ours, theirs = source.name, _shown(source.type), _shown(target.type)
    match relation(source.type, target.type):
        case Relation.DISJOINT:
            differences.append(evidence(EvidenceCode.TYPE_DIFFERS, name=name, source=ours, target=theirs))
        case Relation.UNKNOWN:
            undecided.append(evidence(EvidenceCode.TYPE_UNDECIDED, name=name, source=ours, target=theirs))


def _shown(text: str | None) -> str:
    return " | ".join(sorted(type_names(text) or {text or "—"}))
