"""Finds what documents state and runs show otherwise.

Devices, types and defaults of parameters, shapes and dtypes of what is returned, and pairs that are called consistent.

Nothing in it is written by hand: it is derived each time from signatures with their docstrings, upstream's tables and the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

import msgspec

from apidiff.database import Data
from apidiff.database.difference_pages import PageRow, States
from apidiff.database.signatures import newest_first
from apidiff.database.upstream_tables import UpstreamRow, load_upstream_rows
from apidiff.derive.difference_pages import PageVerdict, page_verdicts
from apidiff.derive.repeat_script import repeat_command
from apidiff.derive.returned_otherwise import ReturnedOtherwise, returned_otherwise
from apidiff.errors import DataError
from apidiff.model.base import Record, Text
from apidiff.model.condition import Condition
from apidiff.model.signature import Signature, SignatureFile
from apidiff.model.verdict import Outcome
from apidiff.model.views import DifferenceEntry, Entry, RunsOnEntry, TargetEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk


class Stated(Enum):
    """What a document states that runs show otherwise."""

    DEVICE = "device"  # it lists a device on which there is no kernel, or every call fails
    NO_DEVICE = "no_device"  # it lists devices without one on which calls come back
    TYPE = "type"  # it gives a type of a parameter, and a value of that type is refused
    DEFAULT = "default"  # it names a default of a parameter, and the signature has another one
    RETURNED = "returned"  # it says which argument's shape or dtype is returned, and a call returned another one
    PARAMETER = (
        "parameter"  # upstream's page on a difference tells of a parameter, and the signatures have it otherwise
    )
    CONSISTENT = "consistent"  # upstream's table calls the pair consistent
    DIFFERENT = "different"  # upstream's table has a page on the difference of the pair, and no run shows one


class DocumentRow(Record, frozen=True, kw_only=True):
    """One statement of a document that runs show otherwise.

    ``stated``: the words of the document that decide it: a device, a parameter with its type, the table's status. ``shown``: what
    runs of ``version`` on ``device`` show instead, by headline. ``address``: of the document, in each language,
    where it is known. ``command``: repeats it.
    """

    kind: str
    mapping: str
    target: str
    stated: str
    shown: list[Text]
    version: str
    device: str
    address: Text | None
    command: str


def documents_report(data: Data, entries: Mapping[str, Entry]) -> list[DocumentRow]:
    """List every statement of documents that runs show otherwise. ``entries``: what is known of each mapping, by ID.

    Raises DataError where a table of upstream's cannot be read, and where there are no signatures of MindSpore.
    """
    newest = next(iter(newest_first(data.signatures, "mindspore")), None)
    if newest is None:
        remedy = "Restore the folder from version control, or reinstall apidiff."
        raise DataError(data.root / "signatures", None, "holds no file of MindSpore that can be read", remedy)
    addresses = {
        key: Text(en=document.url, zh=document.url_zh or document.url) for key, document in data.documents.items()
    }
    rows = document_rows(entries, newest, load_upstream_rows(data.root / "upstream"), addresses)
    returned = [_of_returned(found, entries, newest.version) for found in returned_otherwise(data, newest)]
    pages = [
        _of_page(verdict, verdict.shown, newest.version)
        for verdict in page_verdicts(data.pages, newest_first(data.signatures, "torch"), newest)
        if verdict.shown and verdict.row.source in entries
    ]
    return _in_order([*rows, *returned, *pages], entries)


def document_rows(
    entries: Mapping[str, Entry],
    release: SignatureFile,
    tables: Iterable[UpstreamRow],
    addresses: Mapping[str, Text],
) -> list[DocumentRow]:
    """List every statement that runs show otherwise, by kind, then by how often code uses the API.

    Args:
        entries: what is known of each mapping, by ID.
        release: signatures of the newest MindSpore release.
        tables: the rows of upstream's tables.
        addresses: of the tables, by document key.
    """
    rows = [
        row
        for entry in entries.values()
        for target in entry.targets
        for row in (
            *_of_devices(entry, target),
            *_of_types(entry, target, release.apis.get(target.name)),
            *_of_defaults(entry, target, release.apis.get(target.name), release.version),
        )
    ]
    by_source = {entry.source: entry for entry in entries.values()}
    rows += [row for listed in tables if (row := _of_table(listed, by_source, addresses)) is not None]
    return _in_order(rows, entries)


def _in_order(rows: Iterable[DocumentRow], entries: Mapping[str, Entry]) -> list[DocumentRow]:
    kinds = [kind.value for kind in Stated]
    return sorted(rows, key=lambda row: (kinds.index(row.kind), -entries[row.mapping].uses, row.mapping))


def _of_devices(entry: Entry, target: TargetEntry) -> Iterator[DocumentRow]:
    listed = [place for place in target.runs_on if place.documented]
    for place in target.runs_on:
        version = next(iter(place.outcomes), None)
        if version is None or not listed:
            continue
        outcome = place.outcomes[version]
        if place.documented and outcome != Outcome.HOLDS.value:
            support = [one for one in target.differences if one.kind == DifferenceKind.BACKEND_SUPPORT.value]
            shown = [one for one in support if one.reach != Reach.SOURCE_ONLY.value]
            yield _row(Stated.DEVICE, entry, target, _named(listed), shown, version, place.device)
        elif not place.documented and outcome == Outcome.HOLDS.value:
            yield _row(Stated.NO_DEVICE, entry, target, _named(listed), [], version, place.device)


def _named(places: Iterable[RunsOnEntry]) -> str:
    names = {"npu": "Ascend", "cuda": "GPU", "cpu": "CPU"}
    return ", ".join(names[place.device] for place in places)


def _of_types(entry: Entry, target: TargetEntry, signature: Signature | None) -> Iterator[DocumentRow]:
    """Documented types that are refused, where a condition says that this is what decides."""
    documented = {one.name: one.documented for one in signature.every_parameter} if signature else {}
    names = {row.source: row.target for row in target.parameters if row.source and row.target}
    version = next((one.framework_version for one in target.agreements), None)
    for difference in target.differences:
        if difference.kind != "error" or difference.risk != Risk.ERROR.value or version is None:
            continue
        for condition in _alone(difference):
            name = names.get(condition.name, condition.name)
            text = documented.get(name) or ""
            if _takes(text, condition):
                yield _row(Stated.TYPE, entry, target, f"{name}: {text}", [difference], version, "cpu")


def _of_defaults(entry: Entry, target: TargetEntry, signature: Signature | None, version: str) -> Iterator[DocumentRow]:
    """Documented defaults that are not those of the signature; the command prints the signature of the installed package."""
    module, _, name = target.name.rpartition(".")
    for parameter in signature.every_parameter if signature else []:
        if parameter.documented_default is not None:
            row = _row(
                Stated.DEFAULT, entry, target, f"{parameter.name}={parameter.documented_default}", [], version, "cpu"
            )
            shown = f"`{parameter.name}={parameter.default}`"
            yield msgspec.structs.replace(
                row,
                shown=[Text(en=f"the signature has {shown}", zh=f"签名中为 {shown}")],
                command=f'python -c "import inspect; from {module} import {name}; print(inspect.signature({name}))"',
            )


def _of_returned(found: ReturnedOtherwise, entries: Mapping[str, Entry], version: str) -> DocumentRow:
    entry = entries[found.mapping]
    target = next(target for target in entry.targets if target.name == found.target)
    row = _row(Stated.RETURNED, entry, target, f"{found.what} as {found.name}", [], version, "cpu")
    shown = Text(
        en=f"`{found.name}`: {found.argument}; returned: {found.returned}",
        zh=f"`{found.name}` 为 {found.argument}，返回值为 {found.returned}",
    )
    return msgspec.structs.replace(row, shown=[shown], command=repeat_command(entry.id, found.sample))


def _of_page(verdict: PageVerdict, shown: Text, version: str) -> DocumentRow:
    row = verdict.row
    return DocumentRow(
        kind=Stated.PARAMETER.value,
        mapping=row.source,
        target=row.target,
        stated=f"{_notation(row)} ({row.release})",
        shown=[shown],
        version=version,
        device="cpu",
        address=Text(en=row.document.url, zh=row.document.url_zh),
        command=f"python -m pydoc {verdict.api}",
    )


def _notation(row: PageRow) -> str:
    if row.states is States.TORCH_ONLY:
        return f"- {row.source_name}"
    if row.states is States.MINDSPORE_ONLY:
        return f"+ {row.target_name}"
    return f"{row.source_name} {'≠' if row.states is States.DEFAULT else '='} {row.target_name}"


def _alone(difference: DifferenceEntry) -> list[Condition]:
    """The condition that alone decides, if there is one."""
    return difference.when[0] if len(difference.when) == 1 and len(difference.when[0]) == 1 else []


def _takes(documented: str, condition: Condition) -> bool:
    """Whether a documented type is one of those that a condition speaks of."""
    if (
        condition.test == "sequence"
    ):  # does not tell a tuple from a list: only a document of both is contradicted for sure
        return "tuple" in documented and "list" in documented
    words = {"number": ("int", "float", "number", "Number"), "tensor": ("Tensor",)}
    return any(word in documented for word in words.get(condition.test, ()))


def _of_table(listed: UpstreamRow, entries: Mapping[str, Entry], addresses: Mapping[str, Text]) -> DocumentRow | None:
    entry = entries.get(listed.source)
    target = next((one for one in entry.targets if one.name == listed.target), None) if entry else None
    if entry is None or target is None or not target.agreements:
        return None
    version = target.agreements[0].framework_version
    address = (
        Text(en=listed.page, zh=listed.page.replace("/en/", "/zh-CN/"))
        if listed.page
        else addresses.get(listed.table.document)
    )
    stated = f"{listed.listed} ({listed.table.document.removeprefix('mindspore-').removesuffix('-api-mapping')})"
    apart = [one for one in target.differences if one.repeat is not None and one.risk != Risk.NONE.value]
    if listed.listed == "consistent":
        everyday = [one for one in apart if one.reach == Reach.EVERYDAY.value and one.kind != "backend_support"]
        if everyday:
            return _row(Stated.CONSISTENT, entry, target, stated, everyday, version, "cpu", address)
    elif listed.listed == "diff" and not target.differences:
        return _row(Stated.DIFFERENT, entry, target, stated, [], version, "cpu", address)
    return None


def _row(
    kind: Stated,
    entry: Entry,
    target: TargetEntry,
    stated: str,
    shown: Iterable[DifferenceEntry],
    version: str,
    device: str,
    address: Text | None = None,
) -> DocumentRow:
    told = list(shown)
    repeats = [one.repeat for one in told if one.repeat is not None]
    return DocumentRow(
        kind=kind.value,
        mapping=entry.id,
        target=target.name,
        stated=stated,
        shown=[one.headline or one.text for one in told],
        version=version,
        device=device,
        address=address or entry.official.get(target.name),
        command=repeats[0].command if repeats else f"apidiff verify {entry.id}",
    )
