"""What upstream's table says of a pair, judged by the signature that a run recorded."""

from __future__ import annotations

import msgspec
import pytest
from factories import run_record

from apidiff.judge import Context, observe
from apidiff.judge.correspondence import Signatures, judge_correspondence, source_file
from apidiff.messages.evidence import evidence_lines
from apidiff.model.claim import Claim, Corresponds
from apidiff.model.mapping import Api
from apidiff.model.signature import SignatureFile
from apidiff.model.trace import ParameterDump, RunRecord, SignatureDump
from apidiff.model.verdict import Outcome

NAME, SOURCE = "mindspore.mint.distributed.send", "torch.distributed.send"
TENSOR = {"name": "tensor", "annotation": "Tensor"}
DST = {"name": "dst", "annotation": "int"}
GROUP = {"name": "group", "default": "None", "annotation": "Optional[ProcessGroup]"}
NAMED = {"name": "group", "default": "None", "documented": "str"}
UNKNOWN = {"name": "group", "default": "None"}


def file(framework: str, version: str, name: str, *parameters: dict, **more: object) -> SignatureFile:
    signature = {"kind": "function", "parameters": list(parameters), **more}
    return msgspec.convert(
        {"framework": framework, "version": version, "tool": "by hand", "apis": {name: signature}}, SignatureFile
    )


def files(*torch: dict, mindspore: tuple[dict, ...] = (), **more: object) -> Signatures:
    return {
        ("torch", "2.1.0"): file("torch", "2.1.0", SOURCE, *torch, **more),
        ("mindspore", "2.10.0"): file("mindspore", "2.10.0", NAME, *mindspore),
    }


def record(*parameters: dict, **more: object) -> RunRecord:
    dumps = [
        ParameterDump(name=one["name"], kind="positional or keyword", default=one.get("default")) for one in parameters
    ]
    text = f"({', '.join(one['name'] for one in parameters)})"
    return run_record("mindspore", signatures=[SignatureDump(api=NAME, parameters=dumps, text=text, **more)])


def claim(listed: str, source: str | None = SOURCE, version: str = "2.1") -> Claim:
    body = {"source": source, "source_version": version, "listed": listed}
    return msgspec.convert({"id": "listed-2025-07", "corresponds": body}, Claim)


ROWS = [
    # consistent: refuted by any difference, holds only where everything is decided
    ("consistent", [TENSOR, DST], [TENSOR, DST], "holds", ["send(tensor, dst)"]),
    ("consistent", [TENSOR, GROUP], [TENSOR, NAMED], "refuted", ["group: ProcessGroup ≠ str"]),
    ("consistent", [TENSOR, DST], [TENSOR, {**DST, "default": "0"}], "refuted", ["dst: required ≠ 0"]),
    ("consistent", [TENSOR, GROUP], [TENSOR, UNKNOWN], "not run", []),
    ("consistent", [TENSOR, GROUP], [TENSOR], "refuted", ["- group"]),
    # diff: holds by any difference; that the signatures agree refutes nothing, behaviour may differ
    ("diff", [TENSOR, GROUP], [TENSOR, NAMED], "holds", ["group: ProcessGroup ≠ str"]),
    ("diff", [TENSOR, DST], [TENSOR, DST], "not run", []),
    # text: the API is there; what differs is told
    ("text", [TENSOR, GROUP], [TENSOR, NAMED], "holds", ["send(tensor, group)", "group: ProcessGroup ≠ str"]),
    ("text", [TENSOR, DST], [TENSOR, DST], "holds", ["send(tensor, dst)"]),
]


@pytest.mark.parametrize(("listed", "torch", "mindspore", "outcome", "evidence"), ROWS)
def test_outcome(listed: str, torch: list, mindspore: list, outcome: str, evidence: list[str]) -> None:
    signatures = files(*torch, mindspore=tuple(mindspore))
    found = judge_correspondence(claim(listed), NAME, record(*mindspore), signatures)
    assert (found[0].value, evidence_lines(found[1], "en")) == (outcome, evidence)


def test_the_run_decides_not_the_package() -> None:
    signatures = files(TENSOR, DST, mindspore=(TENSOR, DST))
    outcome, facts = judge_correspondence(
        claim("consistent"), NAME, record(TENSOR, {**DST, "default": "0"}), signatures
    )
    assert (outcome, evidence_lines(facts, "en")) == (Outcome.REFUTED, ["dst: required ≠ 0"])


@pytest.mark.parametrize(("listed", "name"), [("consistent", NAME), ("diff", NAME), ("text", NAME)])
def test_an_api_that_is_gone_is_an_error(listed: str, name: str) -> None:
    gone = record(missing=True, error="AttributeError: send")
    outcome, facts = judge_correspondence(claim(listed), name, gone, files(TENSOR))
    assert (outcome, evidence_lines(facts, "en")) == (Outcome.ERROR, ["AttributeError: send"])


def test_a_run_without_the_api_and_a_source_without_signature_decide_nothing() -> None:
    assert judge_correspondence(claim("consistent"), "mindspore.other", record(), files(TENSOR))[0] is Outcome.NOT_RUN
    other = claim("consistent", "torch.distributed.other")
    assert judge_correspondence(other, NAME, record(TENSOR), files(TENSOR))[0] is Outcome.NOT_RUN
    unreadable = files(TENSOR)
    unreadable["torch", "2.1.0"].unreadable[f"{SOURCE}.__init__"] = "generated"  # type: ignore[index]
    assert judge_correspondence(claim("consistent"), NAME, record(TENSOR), unreadable)[0] is Outcome.NOT_RUN


def test_said_to_be_mindspores_own() -> None:
    """A row without a source is refuted where torch has the API that mint mirrors."""
    alone = claim("text", None)
    outcome, facts = judge_correspondence(alone, NAME, record(TENSOR), files(TENSOR, DST))
    assert outcome is Outcome.REFUTED
    assert evidence_lines(facts, "en") == ["torch 2.1.0: torch.distributed.send(tensor: Tensor, dst: int)"]
    absent = {("torch", "2.1.0"): file("torch", "2.1.0", "torch.distributed.recv", TENSOR)}
    assert judge_correspondence(alone, NAME, record(TENSOR), absent)[0] is Outcome.HOLDS


def test_of_overloads_the_nearest_counts() -> None:
    signatures = files(overloads=[[TENSOR], [TENSOR, DST]])
    half = [TENSOR, {**DST, "default": "None"}]
    package = files(mindspore=(TENSOR, DST))
    both = {**signatures, ("mindspore", "2.10.0"): package["mindspore", "2.10.0"]}
    assert judge_correspondence(claim("consistent"), NAME, record(*half), both)[0] is Outcome.HOLDS


VERSIONS = [
    ("2.1", "2.1.0", []),
    ("2.1.0", "2.1.0", []),
    ("2.0", "2.1.0", ["torch 2.1.0 > 2.0"]),
    ("1.8.1", "1.13.0", ["torch 1.13.0 > 1.8.1"]),
    ("2.7", "2.6.0", ["torch 2.6.0 < 2.7"]),
]


@pytest.mark.parametrize(("asked", "used", "note"), VERSIONS)
def test_the_release_that_stands_in_is_named(asked: str, used: str, note: list[str]) -> None:
    signatures = {
        ("torch", version): file("torch", version, SOURCE, TENSOR, DST) for version in ("2.6.0", "1.13.0", "2.1.0")
    }
    signatures["mindspore", "2.10.0"] = file("mindspore", "2.10.0", NAME, TENSOR, DST)
    body = claim("consistent", version=asked).corresponds
    assert isinstance(body, Corresponds)
    found = source_file(body, signatures)
    assert found
    assert found.version == used
    outcome, facts = judge_correspondence(claim("consistent", version=asked), NAME, record(TENSOR), signatures)
    assert (outcome, evidence_lines(facts, "en")) == (Outcome.REFUTED, [*note, "- dst"])


def test_an_observation_names_its_run_and_needs_signatures() -> None:
    api, run = Api(name=NAME), record(TENSOR)
    context = Context(signatures=files(TENSOR, DST))
    (one,) = observe(claim("consistent"), api, "mindspore-2.10.0/x", run, context)
    assert (one.outcome, one.run, one.probe) == (Outcome.REFUTED, "mindspore-2.10.0/x", "signature")
    assert list(observe(claim("consistent"), api, "x", run, Context())) == []
    assert list(observe(claim("consistent"), Api(name=SOURCE), "x", run, context)) == []


def test_a_release_without_the_api_shows_nothing_of_it() -> None:
    """An AttributeError there is none of a backend or a device."""
    run, here = record(TENSOR), files(TENSOR, DST)
    other = file("mindspore", "2.11.0", NAME, TENSOR, DST)
    without = {**here, ("mindspore", run.framework_version): file("mindspore", run.framework_version, "mindspore.x")}
    seen = [
        list(observe(claim("consistent"), Api(name=NAME), "x", run, Context(signatures=known)))
        for known in ({**here, ("mindspore", "2.11.0"): other}, {**without, ("mindspore", "2.11.0"): other})
    ]
    assert [len(found) for found in seen] == [1, 0]
