"""A small database made by hand: one pair of APIs, a table that lists it, and runs of both frameworks."""

from __future__ import annotations

from collections.abc import Mapping as Dictionary
from pathlib import Path

import msgspec
from factories import run_record

from apidiff.database import Data
from apidiff.database.documented import TableFile, with_listed
from apidiff.derive.official import OfficialReport, official_report
from apidiff.lookup.entry import Builder
from apidiff.model.documented import OfficialTable
from apidiff.model.mapping import Document, Mapping
from apidiff.model.probe_resolution import digest
from apidiff.model.signature import SignatureFile
from apidiff.model.trace import CallError, ParameterDump, ProbeRun, RankTrace, RunRecord, ScalarDump, SignatureDump
from apidiff.model.vocabulary import Framework

SOURCE, TARGET = "torch.distributed.pass_on", "mindspore.mint.distributed.pass_on"
LISTED = f"{TARGET}#listed-2025-07"
PROBES = {"sync": {"set": {"to": 1}}, "other": {"set": {"to": 2}}}
_PARAMETERS = [{"name": "tensor", "documented": "Tensor"}, {"name": "to", "annotation": "int"}]


def mapping(
    source: list[dict[str, object]] | None = None,
    target: list[dict[str, object]] | None = None,
    **difference: object,
) -> Mapping:
    """The pair, with the claims of both sides, and a difference that rests on all of them."""
    mine, theirs = source or [], target or []
    one = {
        "id": "other",
        "kind": "error_behaviour",
        "risk": "error",
        "source_claims": [claim["id"] for claim in mine],
        "target_claims": [claim["id"] for claim in theirs],
    } | difference
    return msgspec.convert(
        {
            "id": SOURCE,
            "category": "p2p",
            "summary": {"en": "Passes on.", "zh": "传递。"},
            "source": {"name": SOURCE, "collective": {"probes": PROBES}, "claims": mine},
            "targets": [
                {
                    "api": {"name": TARGET, "collective": {"probes": PROBES}, "claims": theirs},
                    "ranges": [{"status": "current"}],
                    "differences": [one] if mine or theirs else [],
                }
            ],
        },
        Mapping,
    )


def claims(**kinds: dict[str, object]) -> list[dict[str, object]]:
    """Claims that the probe observes, called as their kinds."""
    return [{"id": kind, kind: body, "probes": ["sync"]} for kind, body in kinds.items()]


def run(
    one: Mapping, framework: str, version: str, error: str = "", default: str | None = None, probes: bool = True
) -> tuple[str, RunRecord]:
    """A run on two ranks in which the probe completes, or raises ``error``; ``default``: that of ``to``."""
    api = one.source if framework == "torch" else one.targets[0].api
    raised = CallError(stage="call", type="RuntimeError", message=error) if error else None
    ranks = [RankTrace(rank=rank, returned=ScalarDump(value=None), error=raised) for rank in (0, 1)]
    traces = [
        ProbeRun(api=api.name, probe=probe, spec=digest(api, probe), end="completed", ranks=ranks) for probe in PROBES
    ]
    backend = "gloo" if framework == "torch" else "mccl"
    parameters = [ParameterDump(name="tensor", kind="x"), ParameterDump(name="to", kind="x", default=default)]
    record = run_record(
        framework,
        version,
        signatures=[SignatureDump(api=api.name, parameters=parameters, text="(tensor, to)")],
        probes=traces if probes else [],
    )
    return f"{framework}-{version}/{backend}-cpu-2-0123456789ab", record


def signatures(**defaults: str | None) -> Dictionary[tuple[str, str], SignatureFile]:
    """Files of torch 2.1.0 and of MindSpore versions; ``v2_7_0="0"``: in 2.7.0 ``to`` has the default 0."""
    found = {("torch", "2.1.0"): _file("torch", "2.1.0", SOURCE, None)}
    for name, default in defaults.items():
        version = name.removeprefix("v").replace("_", ".")
        found["mindspore", version] = _file("mindspore", version, TARGET, default)
    return found


def _file(framework: str, version: str, name: str, default: str | None) -> SignatureFile:
    parameters = [_PARAMETERS[0], {**_PARAMETERS[1], "default": default}]
    apis = {name: {"kind": "function", "parameters": parameters}}
    return msgspec.convert({"framework": framework, "version": version, "tool": "hand", "apis": apis}, SignatureFile)


def report(
    one: Mapping | None,
    runs: list[tuple[str, RunRecord]],
    files: Dictionary[tuple[str, str], SignatureFile],
    listed: str = "consistent",
) -> OfficialReport:
    """The report on a table of one row that lists the pair."""
    row: dict[str, object] = {
        "section": "torch.distributed",
        "row": 1,
        "source": SOURCE,
        "source_version": "2.1",
        "target": TARGET,
        "listed": listed,
    }
    if listed == "text":
        row["remark"] = {"en": "Other `to`.", "zh": "`to` 不同。"}
    table = msgspec.convert({"document": "table", "rows": [row]}, OfficialTable)
    file = TableFile(Path("official/2025-07.yaml"), table, {})
    mappings = with_listed({SOURCE: one} if one else {}, [file])
    document = Document(
        title="The | table", url="https://example.org/t", framework=Framework.MINDSPORE, version="2.6.0"
    )
    data = Data(Path(), mappings, {"table": document}, {}, dict(files), runs, {}, [file])
    builder = Builder(data, [], [])
    return official_report(data, {key: builder.entry(found) for key, found in mappings.items()})
