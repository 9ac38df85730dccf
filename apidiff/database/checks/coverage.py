"""Coverage: every public name and pair of upstream's has a record, every MindSpore API a source or a reason to have none.

Upstream's rows on distributed training stand twice: among all in ``upstream/*.csv``, with what they say in ``official/*.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from apidiff.database.checks.languages import text_faults
from apidiff.database.data import Data, mapping_path
from apidiff.database.documented import ONLY_FILE, TableFile, holders, load_mindspore_only
from apidiff.database.paths import conf_file
from apidiff.database.scope import FILE, read_scope
from apidiff.database.signatures import names_to_match, newest_first, public_names
from apidiff.database.terms import Term
from apidiff.database.upstream_tables import TABLES, UpstreamRow, UpstreamTable, table_rows
from apidiff.errors import Damage, DataError

_RESTORE = "Restore the file from version control."


def torch_is_covered(data: Data) -> Iterator[DataError]:
    """Each name in scope of the covered release has a record, or is an exception that is still needed."""
    path = conf_file(FILE)
    scope, lines = read_scope(path)
    release, exceptions = scope.torch.release, scope.torch.exceptions
    file = data.signatures.get(("torch", release))
    if file is None:
        missing = data.root / "signatures" / f"torch-{release}.json"
        remedy = "Write it with `apidiff signatures extract`."
        yield DataError(missing, None, "is not there: it says which names need a record", remedy)
        return
    names = public_names(file)
    for name in names:
        if name not in data.mappings and name not in exceptions:
            found = f"is not there: {name} is public in torch {release} and has no record"
            yield DataError(mapping_path(data.root, name), None, found, f"Add the record, or an exception in {path}.")
    for name in exceptions:
        line = lines["torch", "exceptions", name]
        if name in data.mappings:
            yield DataError(path, line, f"{name} is an exception and has a record", "Remove the exception.")
        elif name not in names:
            found = f"{name} is an exception and no name in scope of torch {release}"
            yield DataError(path, line, found, "Remove the exception, or mend its name.")


def mindspore_is_covered(data: Data) -> Iterator[DataError]:
    """Each API in scope of the newest MindSpore is named by a record, or listed as having no counterpart."""
    path = data.root / ONLY_FILE
    named = named_in_records(data)
    for file in newest_first(data.signatures, "mindspore")[:1]:
        for name in names_to_match(file):
            if name not in named and name not in data.mindspore_only:
                found = f"does not list {name} of MindSpore {file.version}, which no record names either"
                remedy = "Name it in a record, as a target or in 'uses', or say here why it has no PyTorch counterpart."
                yield DataError(path, None, found, remedy)


def mindspore_only_fits(data: Data, terms: list[Term]) -> Iterator[DataError]:
    """What is listed as having no counterpart exists, is named by no record, and says so in both languages."""
    path = data.root / ONLY_FILE
    _, lines = load_mindspore_only(data.root) if data.mindspore_only else ({}, {})
    files = newest_first(data.signatures, "mindspore")
    named = named_in_records(data)
    for name, only in data.mindspore_only.items():
        line = lines.get((name,))
        if not any(name in file for file in files):
            yield DataError(path, line, f"no signature file of MindSpore has {name}", "Mend the name or remove it.")
        if name in named:
            found = f"{name} is said to have no PyTorch counterpart, but {named[name]} names it"
            yield DataError(path, line, found, "Remove it here, or there.")
        for mapping in only.nearest:
            if mapping not in data.mappings:
                found = f"{name} has {mapping} for one of the nearest, and no mapping has that ID"
                yield DataError(path, line, found, "Name a mapping, or leave it out.")
        for found, remedy in text_faults(only.why, terms):
            yield DataError(path, line, found, remedy)


def named_in_records(data: Data) -> dict[str, str]:
    """MindSpore APIs that records name as a target or in ``uses``, with one record each; of a member also its class."""
    found: dict[str, str] = {}
    for key, mapping in data.mappings.items():
        for target in mapping.targets:
            found.setdefault(target.api.name, key)
        for answer in mapping.otherwise:
            for name in answer.uses:
                found.setdefault(name, key)
                found.setdefault(name.rpartition(".")[0], key)
    return found


def pairs_have_records(data: Data) -> Iterator[DataError]:
    """The pair of each row is a mapping and one of its targets."""
    for file in data.tables:
        for index, row in enumerate(file.table.rows):
            if any(holders(data.mappings, row)):
                continue
            found, remedy = f"no mapping has the target {row.target}", "Add it to the mapping of its source."
            if row.source is not None:
                found = f"no mapping has the pair {row.source} → {row.target}"
                remedy = _remedy(data, file, row.source)
            yield file.error(index, "target", found, remedy)


def tables_are_whole(data: Data) -> Iterator[DataError]:
    """Tables of ``official/`` have upstream's rows on distributed training, all of them and no others, listed as there.

    There is one for each of upstream's whole tables, under its document.
    """
    files = {file.name: file for file in data.tables}
    for table in TABLES:
        with suppress(DataError):  # which `tables_are_readable` tells
            rows = table_rows(data.root / "upstream", table)
            if (file := files.get(table.release)) is not None:
                yield from _of_document(file, table)
                yield from _against(file, rows)
                continue
            found = f"is not there, with the rows on distributed training of upstream/{table.file}"
            yield DataError(data.root / "official" / f"{table.release}.yaml", None, found, _RESTORE, Damage.UNREADABLE)
    releases = {table.release for table in TABLES}
    for name in sorted(files.keys() - releases):
        found = f"is none of upstream's tables, {' and '.join(f'{one}.yaml' for one in sorted(releases))}"
        yield DataError(files[name].path, None, found, "Give it its name, or delete it.", Damage.NAME)


def _of_document(file: TableFile, table: UpstreamTable) -> Iterator[DataError]:
    if file.table.document != table.document:
        found = f"is said to be of the document {file.table.document!r}, and holds rows of {table.document!r}"
        yield DataError(file.path, file.lines.get(("document",)), found, _RESTORE)


def _against(file: TableFile, upstream: Iterable[UpstreamRow]) -> Iterator[DataError]:
    there = {(row.source, row.target): row for row in upstream if ".distributed." in (row.source or row.target)}
    own = {(row.source or "", row.target) for row in file.table.rows}
    for pair, one in there.items():
        if pair not in own:
            stands = f"{' → '.join(filter(None, pair))}, which stands in upstream/{one.table.file}:{one.line}"
            yield DataError(file.path, None, f"lacks the row {stands}", _RESTORE)
    for index, row in enumerate(file.table.rows):
        whole = there.get((row.source or "", row.target))
        if whole is None:
            yield file.error(index, "target", f"{row.target} stands in no such row of upstream's whole table", _RESTORE)
            continue
        if whole.listed != row.listed.value:
            found = f"{row.target} is listed as {row.listed.value!r}, in upstream's whole table as {whole.listed!r}"
            yield file.error(index, "listed", found, _RESTORE)
        if whole.source_version not in {"", row.source_version}:  # it names none where PyTorch has no such API
            found = (
                f"{row.target} is of PyTorch {row.source_version}, in upstream's whole table of {whole.source_version}"
            )
            yield file.error(index, "source_version", found, _RESTORE)


def _remedy(data: Data, file: TableFile, source: str) -> str:
    if source in data.mappings:
        return (
            f"Add the target to {data.path_of(source)}, with the ranges in which it stands: table {file.name} lists it."
        )
    return f"Add the record {mapping_path(data.root, source)}."
