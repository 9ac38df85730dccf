"""Derives from the signatures of both sides which parameters and members there are, how they relate, and claims of them."""

from __future__ import annotations

from dataclasses import dataclass

from apidiff.database.expansion.origins import ORIGIN, Origin, Plain, listed
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.literals import literal
from apidiff.model.ranges import holds
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter, comparable
from apidiff.model.version import Version, VersionError
from apidiff.model.vocabulary import Execution, Relation, Risk, Status

_VALUES = {"GlobalComm.WORLD_COMM_GROUP": "'hccl_world_group'", "ReduceOp.SUM": "'sum'"}
"""What the names stand for that are defaults in MindSpore's signatures, as ``repr`` prints it."""

_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}
_ORDER = list(Relation)
_UNKNOWN = {None, "None", "..."}
_RISKS = {
    Relation.MEANING_DIFFERS: Risk.SILENT,
    Relation.ONLY_IN_SOURCE: Risk.REWRITE,
    Relation.RENAMED: Risk.REWRITE,
    Relation.TYPE_DIFFERS: Risk.REWRITE,
}
"""The risk of a row whose record gives none: of the first of these relations that it has, else none."""


@dataclass(frozen=True)
class Signatures:
    """The signature files, newest first."""

    torch: list[SignatureFile]
    mindspore: list[SignatureFile]

    @classmethod
    def of(cls, files: dict[tuple[str, str], SignatureFile]) -> Signatures:
        """Those of both frameworks in ``files``."""
        return cls(newest_first(files, "torch"), newest_first(files, "mindspore"))

    def source(self, name: str, until: str | None = None) -> tuple[SignatureFile, Signature] | None:
        """The newest signature of a torch API, up to the version ``until``; None where there is none."""
        files = [file for file in self.torch if until is None or Version(file.version) <= Version(until)]
        return next(((file, file.apis[name]) for file in files if name in file.apis), None)

    def target(self, name: str, ranges: list[Plain]) -> tuple[SignatureFile, Signature] | None:
        """The newest signature of a MindSpore API among the versions in which ``ranges`` have it."""
        for bound in [span[end] for span in ranges for end in ("since", "until") if span.get(end) is not None]:
            if not is_version(bound):
                return None  # a check says so
        for file in self.mindspore:
            version = Version(file.version)
            there = any(
                span["status"] != Status.REMOVED.value and holds(span.get("since"), span.get("until"), version)
                for span in ranges
            )
            if there and name in file.apis:
                return file, file.apis[name]
        return None


def is_version(text: str) -> bool:
    """Whether ``text`` is a release version."""
    try:
        Version(text)
    except VersionError:
        return False
    return True


def ranges_of(block: Plain) -> list[Plain]:
    """The ranges of a target, where it gives the short form too."""
    if "since" in block or "status" in block:
        return [{"since": block.get("since"), "status": block.get("status", Status.CURRENT.value)}]
    return [dict(span) for span in block.get("ranges", [])]


def derive_parameters(record: Plain, name: str, signatures: Signatures, unneeded: list[DataError]) -> Plain:
    """``record`` with a row for each parameter, and each member where those are compared, in every target.

    ``unneeded`` gets an error for what the record says of a parameter and the signatures show as well.
    """
    done = {**record, "targets": {}}
    for key, block in record["targets"].items():
        source, target = signatures.source(name), signatures.target(key, ranges_of(block))
        sides = source[1] if source else None, target[1] if target else None
        alike = block.get("kind") == record["source"].get("kind")
        if record.get("execution") == Execution.SINGLE.value and not (alike and comparable(*sides)):
            sides = None, None  # runs say what is refused
        rows = _rows(
            block.get("parameters") or {},
            _parameters(sides[0]),
            _parameters(sides[1]),
            _origin(block, source, target),
            unneeded,
        )
        if record.get("execution") == Execution.SINGLE.value:
            rows = [_called_by_position(row, block) for row in rows]
        changed = {**block, "parameters": rows}
        if block.get("members") is not None:
            left = dict.fromkeys(source[1].members) if source else {}
            right = dict.fromkeys(target[1].members) if target else {}
            changed["members"] = _rows(
                block["members"], left, right, _origin(block, source, target), unneeded, members=True
            )
        done["targets"][key] = changed
    return done


def _called_by_position(row: Plain, block: Plain) -> Plain:
    """``row`` without risk where the target alone has the parameter and no person says so.

    What a target cannot do without is given by position, whatever the other side calls it; samples show it.
    """
    known = row.get("source") is not None or row["target"] in (block.get("parameters") or {})
    return row if known else {**row, "risk": Risk.NONE.value}


def _origin(block: Plain, *sides: tuple[SignatureFile, Signature] | None) -> Origin:
    where: Origin = block[ORIGIN]
    files = [f"{side[0].framework} {side[0].version}" for side in sides if side]
    return Origin(where.path, where.line, f"signatures of {' and '.join(files)}" if files else where.what)


def _parameters(signature: Signature | None) -> dict[str, SignatureParameter | None]:
    if signature is None or signature.overloads:
        return {}
    return {parameter.name: parameter for parameter in signature.every_parameter if _public(parameter)}


_Side = dict[str, SignatureParameter | None] | dict[str, None]


def _rows(
    written: Plain, left: _Side, right: _Side, origin: Origin, unneeded: list[DataError], members: bool = False
) -> list[Plain]:
    """The rows in the order of the source; those that only the target has follow the one before them there."""
    written = {key: item for key, item in written.items() if _speaks_of(key, item, left, right)}
    rows: list[Plain] = []
    taken: dict[str, Plain] = {}
    others = {item["to"] for item in written.values() if item.get("to")}
    for key in [*left, *(key for key in written if key not in left and (written[key].get("to") or key not in right))]:
        item = written.get(key, {})
        relations = listed(item.get("is"))
        counterpart = item.get("to") or (key if key in right and key not in others else None)
        if Relation.ONLY_IN_SOURCE.value in relations:
            counterpart = None
        if counterpart is None and key not in left and Relation.ONLY_IN_SOURCE.value not in relations:
            continue
        sides = (left.get(key), right.get(counterpart or ""))
        row = _row(key, counterpart, item, *sides, origin, members)
        if fault := _unneeded(row, key, item, (key in left, key in right), sides, origin, members):
            unneeded.append(fault)
        rows.append(row)
        if counterpart:
            taken[counterpart] = row
    sources = {row.get("source") for row in rows}
    behind: dict[int, list[Plain]] = {}  # by the number of the row that they follow, and -1: those of the target alone
    numbers = {id(row): number for number, row in enumerate(rows)}
    last = -1
    for key in [*right, *(key for key in written if key not in left and key not in right and key not in taken)]:
        if key in taken:
            last = numbers[id(taken[key])]
            continue
        if key not in right and key in sources:
            continue
        item = written.get(key, {}) if key not in left else {}
        behind.setdefault(last, []).append(_row(None, key, item, None, right.get(key), origin, members))
    return [*behind.get(-1, []), *(one for number, row in enumerate(rows) for one in (row, *behind.get(number, [])))]


def _speaks_of(key: str, item: Plain, left: _Side, right: _Side) -> bool:
    """Whether an entry stands: one of a profile or another target only where the API has what it is about."""
    if item[ORIGIN].what == "record":
        return True
    if item.get("to") or (item.get("is") and Relation.ONLY_IN_SOURCE.value not in listed(item["is"])):
        return key in left and (item.get("to") or key) in right
    return key in left or key in right


def _unneeded(
    row: Plain,
    key: str,
    item: Plain,
    there: tuple[bool, bool],
    sides: tuple[SignatureParameter | None, SignatureParameter | None],
    origin: Origin,
    members: bool,
) -> DataError | None:
    """What a record says of the parameter ``key`` and need not. ``there``: which sides have it now."""
    if not item or item[ORIGIN].what != "record":
        return None
    for part in ("to", "is", "risk", "note", "headline"):
        if part not in item or (part == "to" and not (all(there) and item["to"] == key)):
            continue
        if part == "is" and Relation.ONLY_IN_SOURCE.value in listed(item["is"]) and there != (True, False):
            continue
        rest = {name: value for name, value in item.items() if name != part}
        without = _row(row.get("source"), row.get("target"), rest, sides[0], sides[1], origin, members)
        bare = {name: value for name, value in row.items() if name != ORIGIN}
        if {name: value for name, value in without.items() if name != ORIGIN} == bare:
            found = f"{part!r} of {key!r} says what is so without it"
            where: Origin = item[ORIGIN]
            return where.error(found, f"Remove {part!r}, and the entry where nothing is left of it.")
    return None


def _row(
    source: str | None,
    target: str | None,
    item: Plain,
    left: SignatureParameter | None,
    right: SignatureParameter | None,
    origin: Origin,
    members: bool,
) -> Plain:
    relations = {Relation(value) for value in listed(item.get("is"))}
    if target is None:
        relations.add(Relation.ONLY_IN_SOURCE)
    elif source is None:
        relations.add(Relation.ONLY_IN_TARGET)
    else:
        if source != target:
            relations.add(Relation.RENAMED)
        if left and right and _defaults_differ(left.default, right.default):
            relations.add(Relation.DEFAULT_DIFFERS)
    relations = relations or {Relation.SAME}
    risk = next((value for relation, value in _RISKS.items() if relation in relations), Risk.NONE)
    if members and Relation.ONLY_IN_SOURCE in relations:
        risk = Risk.ERROR  # the attribute is not there
    if Relation.ONLY_IN_TARGET in relations and right is not None and right.default is None:
        risk = Risk.REWRITE  # a call has to give it
    row: Plain = {
        "source": source,
        "target": target,
        "relations": [relation.value for relation in _ORDER if relation in relations],
        "risk": item.get("risk") or risk.value,
        ORIGIN: item.get(ORIGIN, origin),
    }
    if item.get("note"):
        row["note"] = item["note"]
    if item.get("headline"):
        row["headline"] = item["headline"]
    return {key: value for key, value in row.items() if value is not None}


def _defaults_differ(left: str | None, right: str | None) -> bool:
    """Whether two defaults surely differ: of two names for values nobody can tell."""
    return left != right and bool({left, right} & {None, "None"}) and "..." not in {left, right}


def derive_signature_claims(record: Plain, name: str, signatures: Signatures) -> Plain:
    """``record`` with a claim ``has-…`` for each parameter, and ``lacks-…`` for those that a target has none for.

    Not where calls are made in a single process: compiled functions, of which most APIs there are, show no signature when
    they run, and the rows of parameters say the same.
    """
    if record.get("execution") == Execution.SINGLE.value:
        return record
    source = signatures.source(name, load_scope().torch.release)
    done = {**record, "source": _with_has(record["source"], source), "targets": {}}
    known = {parameter.name for parameter in source[1].parameters if _public(parameter)} if source else set()
    for key, block in record["targets"].items():
        if block.get("defined_in"):
            done["targets"][key] = block
            continue
        only = [row["source"] for row in block["parameters"] if Relation.ONLY_IN_SOURCE.value in row["relations"]]
        target = signatures.target(key, ranges_of(block))
        changed = _with_has(block, target)
        lacks = block.get("lacks")
        if target is not None or lacks is not None:
            written = {claim.get("lacks") for claim in changed["claims"].values()}
            every = [name for name in only if name in known and name not in written]
            for missing in every if lacks is None else lacks:
                _add(changed, "lacks", missing, {}, _origin(block, source, target))
        done["targets"][key] = changed
    return done


def _with_has(block: Plain, side: tuple[SignatureFile, Signature] | None) -> Plain:
    shown = {parameter.name: parameter for parameter in side[1].parameters} if side and not side[1].overloads else {}
    claims = {
        key: claim
        for key, claim in block.get("claims", {}).items()
        if claim[ORIGIN].what == "record" or "parameter" not in claim or claim["parameter"] in shown or side is None
    }
    done = {**block, "claims": claims}
    names = block.get("has")
    written = {claim.get("parameter") for claim in done["claims"].values()}
    every = [key for key, parameter in shown.items() if _public(parameter) and key not in written]
    for parameter in every if names is None else names:
        _add(
            done,
            "has",
            parameter,
            _body(shown.get(parameter), _VALUES if side and side[0].framework == "mindspore" else {}),
            _origin(block, side),
        )
    return done


def claim_members(record: Plain) -> Plain:
    """``record`` with the claims of the members that its source and targets list."""

    def claimed(block: Plain) -> Plain:
        claims = dict(block.get("claims", {}))
        for what, key in (("has", "member"), ("lacks", "lacks_member")):
            for name in block.get(f"{what}_members", []):
                claims[f"{what}-{_slug(name)}"] = {key: name, ORIGIN: block[ORIGIN]}
        return {**block, "claims": claims}

    targets = {name: claimed(block) for name, block in record["targets"].items()}
    return {**record, "source": claimed(record["source"]), "targets": targets}


def _slug(name: str) -> str:
    return name.lower().replace("_", "-")


def _public(parameter: SignatureParameter) -> bool:
    return parameter.kind not in _VARIADIC and not parameter.name.startswith("_")


def _add(block: Plain, what: str, parameter: str, body: Plain, origin: Origin) -> None:
    key = {"has": "parameter", "lacks": "lacks"}[what]
    block["claims"].setdefault(f"{what}-{_slug(parameter)}", {key: parameter, **body, ORIGIN: origin})


def _body(parameter: SignatureParameter | None, values: dict[str, str]) -> Plain:
    if parameter is None:
        return {}
    if parameter.default is None:
        return {"required": True}
    try:
        value = literal(parameter.default)
    except ValueError:  # a name
        return {"default": values[parameter.default]} if parameter.default in values else {}
    return {} if value is ... else {"default": repr(value)}
