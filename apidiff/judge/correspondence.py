"""Judges what upstream's table says of a pair of APIs by the signature that a run recorded of the MindSpore one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apidiff.judge.judgement import Verdict
from apidiff.judge.parameters import Comparison, Given, side_by_side
from apidiff.model import Claim, Corresponds, ListedAs, Outcome, RunRecord, SignatureDump, Version
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter

Signatures = Mapping[tuple[str, str], SignatureFile]
_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}


def judge_correspondence(claim: Claim, name: str, record: RunRecord, signatures: Signatures) -> Verdict:
    """The outcome of a ``corresponds`` claim on the API ``name`` by the signature that ``record`` holds.

    ``not run`` where the record holds none, where no signature of the source is known, or where what is known decides
    neither way.
    """
    body = claim.corresponds
    dump = next((found for found in record.signatures if found.api == name), None)
    if body is None or dump is None:
        return Outcome.NOT_RUN, []
    if dump.missing or dump.error:
        return Outcome.ERROR, [dump.error or f"{name} is not in {record.framework} {record.framework_version}"]
    file = signatures.get((record.framework, record.framework_version))
    found = compare(body, recorded(dump, file.apis.get(name) if file else None), signatures)
    note, text = version_note(body, signatures), f"{name.rpartition('.')[2]}{dump.text}"
    if body.listed is ListedAs.TEXT:
        if twin := twin_of(name, body, signatures):
            return Outcome.REFUTED, [twin]
        return Outcome.HOLDS, [text, *note, *found.differences] if found else [text]
    if found is None:
        return Outcome.NOT_RUN, []
    if body.listed is ListedAs.DIFF:
        return (Outcome.HOLDS, note + found.differences) if found.differences else (Outcome.NOT_RUN, [])
    if found.differences:
        return Outcome.REFUTED, note + found.differences
    return (Outcome.NOT_RUN, []) if found.undecided else (Outcome.HOLDS, [*note, text])


def compare(body: Corresponds, target: Sequence[Given], signatures: Signatures) -> Comparison | None:
    """The source that a row names against ``target``; None where no signature of the source is known.

    Of a source with overloads, the one that is nearest to the target.
    """
    file = source_file(body, signatures)
    if file is None or body.source is None or not file.tells_parameters(body.source):
        return None
    source = file.apis[body.source]
    ways = source.overloads or [source.parameters]
    found = [
        side_by_side([_written(one) for one in way], target, body.excused, overloaded=bool(source.overloads))
        for way in ways
    ]
    return min(found, key=lambda one: (len(one.differences), len(one.undecided)))


def source_file(body: Corresponds, signatures: Signatures) -> SignatureFile | None:
    """The signatures of the torch release that a row speaks of, or of the first later one that is known, or of the last."""
    known = sorted((file for (framework, _), file in signatures.items() if framework == "torch"), key=_release)
    if not known or not body.source_version:
        return None
    wanted = Version(body.source_version)
    fitting = [file for file in known if wanted.covers(_release(file)) or _release(file) >= wanted]
    return fitting[0] if fitting else known[-1]


def version_note(body: Corresponds, signatures: Signatures) -> list[str]:
    """The line that says which release stands in where that of the row is not known: ``torch 1.13.0 > 1.8.1``."""
    file = source_file(body, signatures)
    if file is None or body.source_version is None or Version(body.source_version).covers(_release(file)):
        return []
    sign = ">" if _release(file) > Version(body.source_version) else "<"
    return [f"torch {file.version} {sign} {body.source_version}"]


def twin_of(name: str, body: Corresponds, signatures: Signatures) -> str | None:
    """The signature of torch's API of the same name, where the row says that torch has none: mint mirrors torch's modules."""
    file = source_file(body, signatures)
    twin = name.replace("mindspore.mint.", "torch.", 1)
    if body.source is not None or file is None or twin not in file:
        return None
    signature = file.apis.get(twin)
    return f"torch {file.version}: {signature.text(twin) if signature else twin}"


def recorded(dump: SignatureDump, written: Signature | None) -> list[Given]:
    """The parameters as a run recorded them, with the types and the texts of defaults from the source of that version."""
    source = {one.name: one for one in written.every_parameter} if written else {}
    found = []
    for one in dump.parameters:
        twin = source.get(one.name)
        texts = {twin.default} if twin and twin.default else set()
        found.append(
            Given(
                one.name,
                () if one.default is None else (one.default, *sorted(texts - {one.default})),
                (twin.annotation or twin.documented) if twin else None,
                keyword_only=one.kind == ParameterKind.KEYWORD_ONLY.value,
                variadic=one.kind in {kind.value for kind in _VARIADIC},
            )
        )
    return found


def read(signature: Signature) -> list[Given]:
    """The parameters as the source of a version has them."""
    return [_written(one) for one in signature.every_parameter]


def _written(one: SignatureParameter) -> Given:
    return Given(
        one.name,
        () if one.default is None else (one.default,),
        one.annotation or one.documented,
        keyword_only=one.kind is ParameterKind.KEYWORD_ONLY,
        variadic=one.kind in _VARIADIC,
    )


def _release(file: SignatureFile) -> Version:
    return Version(file.version)
