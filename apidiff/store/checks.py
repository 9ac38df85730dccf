"""Checks on the data that a schema cannot make: each is a named pass that yields errors with file, line and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from apidiff.model import Api, ClaimKind, Difference, Mapping, Relation, Status, Target, Text, Version, VersionError
from apidiff.model.signature import Signature
from apidiff.model.spec import SpecError, resolve
from apidiff.store.data import Data
from apidiff.store.errors import DataError
from apidiff.store.terms import Term, load_terms

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class _Subject:
    """One mapping under check, with the means to say where something stands."""

    data: Data
    mapping: Mapping

    def error(self, at: Place, found: str, remedy: str) -> DataError:
        lines = self.data.lines.get(self.mapping.id, {})
        while at and at not in lines:
            at = at[:-1]
        return DataError(self.data.path_of(self.mapping.id), lines.get(at), found, remedy)

    def apis(self) -> Iterator[tuple[Place, Api]]:
        yield ("source",), self.mapping.source
        for index, target in enumerate(self.mapping.targets):
            yield ("targets", index, "api"), target.api


def run_checks(data: Data, examples: Path | None = None) -> list[DataError]:
    """Every error that the passes find, in the order of mappings and passes. ``examples``: the folder of the scripts."""
    from apidiff.store.paths import examples_folder

    folder = examples or examples_folder()
    terms = load_terms()
    found: list[DataError] = []
    for mapping in data.mappings.values():
        subject = _Subject(data, mapping)
        for check in _PASSES:
            found.extend(check(subject))
        found.extend(_examples_exist(subject, folder))
        found.extend(_languages_agree(subject, terms))
    return found


def _names_fit(subject: _Subject) -> Iterator[DataError]:
    """The source API is the mapping's ID, and no API is a target twice."""
    if subject.mapping.source.name != subject.mapping.id:
        found = f"the source is {subject.mapping.source.name!r} but the id is {subject.mapping.id!r}"
        yield subject.error(("source", "name"), found, "Make them the same.")
    seen: set[str] = set()
    for index, target in enumerate(subject.mapping.targets):
        if target.api.name in seen:
            yield subject.error(("targets", index), f"target {target.api.name!r} stands twice", "Join the two.")
        seen.add(target.api.name)


def _claims_are_observable(subject: _Subject) -> Iterator[DataError]:
    """Every claim has probes that exist and take its arguments, or says why it has none; IDs are unique in an API."""
    for place, api in subject.apis():
        for name in api.probes:
            try:
                resolve(api, name)
            except SpecError as error:
                yield subject.error((*place, "probes", name), str(error), "Name a probe of the same API in 'like'.")
                return
        seen: set[str] = set()
        for index, claim in enumerate(api.claims):
            at = (*place, "claims", index)
            if claim.id in seen:
                yield subject.error((*at, "id"), f"claim {claim.id!r} stands twice in {api.name}", "Rename one.")
            seen.add(claim.id)
            free = claim.kind in {ClaimKind.PARAMETER, ClaimKind.LACKS, ClaimKind.PRINTS}
            if not free and not claim.probes and claim.reason is None:
                remedy = "Add 'probes', or 'reason' to say why it cannot be observed."
                yield subject.error(at, f"claim {claim.id!r} has no probe", remedy)
            for probe in claim.probes:
                if probe not in api.probes:
                    known = ", ".join(api.probes) or "none"
                    yield subject.error(
                        (*at, "probes"), f"claim {claim.id!r} names probe {probe!r}", f"{api.name} has: {known}."
                    )
                else:
                    yield from _slots_fit(subject, at, api, claim.id, claim.body, probe)


def _slots_fit(
    subject: _Subject, at: Place, api: Api, claim: str, body: msgspec.Struct, probe: str
) -> Iterator[DataError]:
    arguments, _ = resolve(api, probe)
    for field in ("argument", "at", "of", "slot", "with_"):
        slot = getattr(body, field, None)
        name = re.split(r"\[", slot)[0] if slot else None
        if name is not None and name != "return" and name not in arguments:
            found = f"claim {claim!r} speaks of {slot!r}, which probe {probe!r} does not pass"
            yield subject.error(at, found, f"The probe passes: {', '.join(arguments)}.")


def _citations_exist(subject: _Subject) -> Iterator[DataError]:
    """Differences cite claims that exist, say something, and have an ID of their own; stated claims cite documents."""
    source = {claim.id for claim in subject.mapping.source.claims}
    places: list[tuple[Place, Difference, set[str]]] = [
        (("caveats", i), one, set()) for i, one in enumerate(subject.mapping.caveats)
    ]
    for t, target in enumerate(subject.mapping.targets):
        mine = {claim.id for claim in target.api.claims}
        places += [(("targets", t, "differences", i), one, mine) for i, one in enumerate(target.differences)]
    for t, target in enumerate(subject.mapping.targets):
        taken = {one.id for one in subject.mapping.caveats}
        for i, one in enumerate(target.differences):
            if one.id in taken:
                found = f"difference {one.id!r} of {target.api.name} is also that of a caveat or an earlier one"
                yield subject.error(("targets", t, "differences", i), found, "Rename one: it is an anchor on the page.")
            taken.add(one.id)
    for at, difference, mine in places:
        missing = [name for name in difference.source_claims if name not in source]
        missing += [name for name in difference.target_claims if name not in mine]
        for name in missing:
            yield subject.error(
                at, f"difference {difference.id!r} cites claim {name!r}", "There is no such claim there."
            )
        if not (difference.source_claims or difference.target_claims):
            yield subject.error(at, f"difference {difference.id!r} cites no claim", "Cite the claims it rests on.")
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            for number, stated in enumerate(claim.stated):
                if stated.document not in subject.data.documents:
                    spot = (*place, "claims", index, "stated", number)
                    remedy = "Add the document to documents.yaml or mend the key."
                    yield subject.error(spot, f"unknown document {stated.document!r}", remedy)


def _ranges_partition(subject: _Subject) -> Iterator[DataError]:
    """At every known MindSpore release exactly one target is current, and no target has two standings."""
    from apidiff.model.ranges import status_at

    releases: list[Version] = []
    for known in subject.data.frameworks.get("mindspore", []):
        try:
            releases.append(Version(known.version))
        except VersionError:
            continue
    for index, target in enumerate(subject.mapping.targets):
        for number, one in enumerate(target.ranges):
            for bound in (one.since, one.until):
                try:
                    Version(bound or "1")
                except VersionError as error:
                    yield subject.error(("targets", index, "ranges", number), str(error), "Write it as 2.4 or 2.4.10.")
                    return
    releases.sort()
    covered = [any(status_at(target, release) for target in subject.mapping.targets) for release in releases]
    first = covered.index(True) if True in covered else len(releases)
    for release in releases[first:]:
        current = [
            target.api.name for target in subject.mapping.targets if status_at(target, release) is Status.CURRENT
        ]
        if len(current) != 1:
            found = f"at MindSpore {release} {len(current)} targets are current ({', '.join(current) or 'none'})"
            yield subject.error(("targets",), found, "Mend the ranges: exactly one target is current at each release.")
            return


def _parameters_fit(subject: _Subject) -> Iterator[DataError]:
    """Parameter rows name the parameters that the extracted signatures show, all of them, with fitting relations."""
    source = _newest(subject.data, subject.mapping.source.name)
    for index, target in enumerate(subject.mapping.targets):
        at: Place = ("targets", index, "parameters")
        signature = _newest(subject.data, target.api.name)
        for side, found, named in (
            ("source", source, [row.source for row in target.parameters if row.source]),
            ("target", signature, [row.target for row in target.parameters if row.target]),
        ):
            if found is None:
                continue
            names = [one.name for one in [*found.parameters, *(found.call or [])]]
            for name in [name for name in named if name not in names]:
                remedy = f"Its signature has: {', '.join(names)}."
                yield subject.error(at, f"{side} {_side(subject, target, side)} has no parameter {name!r}", remedy)
            for name in [name for name in names if name not in named]:
                found_text = f"no row for parameter {name!r} of {_side(subject, target, side)}"
                yield subject.error(at, found_text, "Add a parameter row for it.")
        for number, row in enumerate(target.parameters):
            fault = _relation_fault(row.source, row.target, row.relations, source, signature)
            if fault:
                yield subject.error((*at, number), fault[0], fault[1])


def _side(subject: _Subject, target: Target, side: str) -> str:
    return subject.mapping.source.name if side == "source" else target.api.name


def _relation_fault(
    source: str | None,
    target: str | None,
    relations: list[Relation],
    source_signature: Signature | None,
    target_signature: Signature | None,
) -> tuple[str, str] | None:
    """What is wrong with a row's relations, and the remedy; None where they fit."""
    name = source or target
    if not relations or (Relation.SAME in relations and len(relations) > 1):
        return (
            f"row {name!r} has relations {[r.value for r in relations]}",
            "'same' stands alone; else list what differs.",
        )
    for relation, present in ((Relation.ONLY_IN_SOURCE, target is None), (Relation.ONLY_IN_TARGET, source is None)):
        if (relation in relations) != present:
            return f"row {name!r} does not fit relation {relation.value!r}", "Name both sides, or only one with it."
    if source is None or target is None:
        return None
    if (Relation.RENAMED in relations) != (source != target):
        return f"row {source!r} → {target!r} does not fit relation 'renamed'", "Use 'renamed' where the names differ."
    if source_signature and target_signature:
        left, right = _default(source_signature, source), _default(target_signature, target)
        decided = left == right or "None" in {left, right} or None in {left, right}
        if decided and (Relation.DEFAULT_DIFFERS in relations) != (left != right):
            remedy = "Use 'default_differs' exactly where the defaults differ."
            return f"row {source!r}: defaults are {left} and {right}", remedy
    return None


def _default(signature: Signature, name: str) -> str | None:
    return next((one.default for one in [*signature.parameters, *(signature.call or [])] if one.name == name), None)


def _newest(data: Data, name: str) -> Signature | None:
    files = sorted(data.signatures.items(), key=lambda item: Version(item[0][1]), reverse=True)
    return next((file.apis[name] for _, file in files if name in file.apis), None)


def _examples_exist(subject: _Subject, folder: Path) -> Iterator[DataError]:
    """The script a ``prints`` claim names is there."""
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            if claim.prints and not (folder / claim.prints.example).is_file():
                found = f"example {claim.prints.example!r} is not there"
                yield subject.error((*place, "claims", index), found, f"Add it below {folder}.")


_IDENTIFIER = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")


def _languages_agree(subject: _Subject, terms: list[Term]) -> Iterator[DataError]:
    """Both languages of a text name the same identifiers and numbers, and the Chinese keeps to the agreed terms."""
    for at, text in _texts(subject.mapping, ()):
        for what, pattern in (("identifiers", _IDENTIFIER), ("numbers", _NUMBER)):
            plain = _IDENTIFIER if what == "numbers" else re.compile(r"(?!)")
            en, zh = (set(pattern.findall(plain.sub("", one))) for one in (text.en, text.zh))
            if en != zh:
                only = ", ".join(sorted(en ^ zh))
                yield subject.error(at, f"en and zh name different {what}: {only}", "Name the same in both.")
        for term in terms:
            for avoided in term.avoid:
                if avoided in text.zh:
                    yield subject.error(
                        at, f"zh says {avoided!r} for {term.en!r}", f"Write {term.zh!r} (conf/terms.yaml)."
                    )


def _texts(value: object, at: Place) -> Iterator[tuple[Place, Text]]:
    if isinstance(value, Text):
        yield at, value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _texts(getattr(value, field), (*at, field))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*at, index))


_PASSES: list[Callable[[_Subject], Iterator[DataError]]] = [
    _names_fit,
    _claims_are_observable,
    _citations_exist,
    _ranges_partition,
    _parameters_fit,
]
