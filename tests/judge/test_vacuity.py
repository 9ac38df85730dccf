"""Rows of (claim, probes, faults that nobody would notice): each fault is shown to be noticed, and to be missed."""

from __future__ import annotations

import argparse
import dataclasses

import msgspec
import pytest

from apidiff.cli.check import run as check
from apidiff.database import Data, InvalidData
from apidiff.database.checks import without_unusable
from apidiff.database.checks.claims import claims_stay_few
from apidiff.database.checks.subject import Subject
from apidiff.judge import vacuity
from apidiff.judge.outcome import judge_claim
from apidiff.judge.vacuity import Fault, broken_runs, claims_are_telling, right_run, unnoticed, world_size_of
from apidiff.model.base import Text
from apidiff.model.claim import Claim
from apidiff.model.mapping import Mapping
from apidiff.model.verdict import Outcome
from tests.factories import collective_api, run_record

PAIR, LAST, FIRST = {"group": {"group": [1, 2]}}, {"shape": [2], "fill": "sentinel"}, {"group": {"group": [0, 1]}}
API = collective_api(
    {
        "name": "torch.distributed.reduce",
        "root": "dst",
        "probes": {
            "sync": {"set": {"tensor": {"shape": [3]}, "dst": 0}},
            "dst-1": {"like": "sync", "set": {"dst": 1}},
            "empty": {"like": "sync", "set": {"tensor": {"shape": [0]}}},
            "smaller-last": {"like": "sync", "on_rank": {"2": {"tensor": {"shape": [3], "fill": "sentinel"}}}},
            "pair": {"like": "sync", "set": FIRST},
            "tail": {"like": "sync", "set": {"dst": 1, **PAIR}},
            "list": {"like": "sync", "set": {"parts": {"each": {"shape": [2]}}}},
            "list-alike": {"like": "sync", "set": {"parts": {"each": {"shape": [2], "fill": "sentinel"}}}},
            "output": {"like": "sync", "set": {"out": {"each": {"shape": [3], "fill": "sentinel"}}}},
            "slice": {"like": "sync", "set": {"tensor": {"shape": [3], "layout": "slice"}}},
            "rows": {"like": "sync", "set": {"out": {"each": {"shape": [3], "fill": "sentinel", "layout": "rows"}}}},
            "chunks": {
                "like": "sync",
                "set": {"out": {"each": {"shape": [3], "fill": "sentinel", "layout": "chunks"}}},
            },
            "calls": {
                "set": {
                    "ops": {"list": [{"call": {"api": "torch.clone", "set": {"t": {"shape": [3], "layout": "slice"}}}}]}
                }
            },
            "truth": {"like": "sync", "set": {"tensor": {"shape": [3], "dtype": "bool", "fill": "small"}}},
            "half": {"like": "sync", "set": {"tensor": {"shape": [3], "dtype": "bfloat16", "fill": "small"}}},
            "code": {"set": {"tensor": {"shape": [3]}}, "world_sizes": [4], "code": "make_groups_and_sum(tensor)"},
            "sent": {
                "like": "sync",
                "ranks": [0],
                "partner": {"api": "torch.distributed.recv", "ranks": [1], "set": {"to": LAST}},
            },
        },
    }
)


def result(formula: str, at: str = "tensor", of: str = "tensor", **more: object) -> dict[str, object]:
    return {"result": {"formula": formula, "at": at, "of": of, **more}}


# claim, its probes, what an implementation might do without failing
ROWS: list[tuple[dict[str, object], list[str], list[Fault]]] = [
    (result("sum"), ["sync"], []),
    (result("sum"), ["empty"], [Fault.NOTHING_HAPPENS, Fault.DOUBLED, Fault.ONE_RANK]),
    (result("sum", ranks="members"), ["pair"], []),
    (result("sum"), ["slice"], []),
    (result("sum"), ["truth"], []),
    (result("sum"), ["half"], []),
    (result("sum", among=[[0, 1], [2, 3]]), ["code"], []),
    (result("sum", among=[[0, 1]]), ["code"], []),
    (result("max"), ["sync"], [Fault.ONE_RANK]),
    (result("max"), ["sync", "smaller-last"], []),
    (result("max", ranks="members"), ["tail"], [Fault.ONE_RANK, Fault.WHOLE_WORLD]),
    (result("from-root"), ["sync", "dst-1"], []),
    (result("from-root", ranks="root"), ["sync"], []),
    (result("from-root", ranks="members"), ["pair"], [Fault.ROOT_IN_GROUP]),
    (result("from-root", ranks="members"), ["pair", "tail"], []),
    (result("gathered", at="out"), ["output"], []),
    (result("scattered", of="parts"), ["list"], []),
    (result("scattered", of="parts"), ["list-alike"], [Fault.OTHER_RANK, Fault.OTHER_ROOT]),
    (result("sent", at="to", ranks="partners"), ["sent"], []),
    (result("shape-same", at="return"), ["sync"], []),
    ({"result": {"formula": "rank", "at": "return", "ranks": "members"}}, ["pair"], [Fault.WHOLE_WORLD]),
    ({"result": {"formula": "rank", "at": "return", "ranks": "members"}}, ["pair", "tail"], []),
    ({"result": {"formula": "world", "at": "return", "ranks": "members"}}, ["pair"], []),
    ({"writes": {"argument": "tensor"}}, ["sync"], []),
    ({"keeps": {"argument": "tensor"}}, ["sync"], []),
    ({"keeps": {"argument": "tensor"}}, ["empty"], [Fault.CHANGED]),
    ({"keeps_rest": {"argument": "tensor"}}, ["slice"], []),
    (result("gathered", at="out"), ["rows"], []),
    (result("gathered", at="out"), ["chunks"], []),
    ({"keeps_rest": {"argument": "out"}}, ["rows"], []),
    ({"keeps_rest": {"argument": "out"}}, ["chunks"], [Fault.BEYOND]),
    ({"keeps_rest": {"argument": "ops"}}, ["calls"], []),
    ({"returns": {"structure": "Tensor"}}, ["sync"], []),
    ({"returns": {"structure": "SomethingElse"}}, ["sync"], [Fault.RETURNS_OTHER]),
    ({"equals": {"at": "return", "value": 1}}, ["sync"], []),
    ({"equals": {"at": "return", "value": "something else"}}, ["sync"], [Fault.RETURNS_OTHER]),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "nothing"}}, ["sync"], []),
    ({"aliases": {"slot": "return", "with": "tensor", "share": "object"}}, ["sync"], []),
    ({"raises": {}}, ["sync"], []),
    ({"raises": {"after": 2, "within": 6}}, ["sync"], []),
    ({"raises": {"after": 2, "within": 4000}}, ["sync"], [Fault.OTHER_TIME]),
    ({"completes": {}}, ["sync"], []),
    ({"parameter": {"name": "dst"}}, [], []),
]


def claim(body: dict[str, object], probes: list[str]) -> Claim:
    return msgspec.convert({"id": "it", "probes": probes, **body}, Claim)


@pytest.mark.parametrize(("body", "probes", "faults"), ROWS)
def test_which_faults_no_probe_shows(body: dict[str, object], probes: list[str], faults: list[Fault]) -> None:
    assert unnoticed(claim(body, probes), API) == faults


def test_every_fault_is_both_noticed_and_missed_above() -> None:
    missed = {fault for _, _, faults in ROWS for fault in faults}
    always_seen = {
        Fault.REVERSED,
        Fault.IN_A_COPY,
        Fault.NO_EXCEPTION,
        Fault.EXCEPTION,
        Fault.BROKEN_CODE,
    }
    assert missed == set(Fault) - always_seen


@pytest.mark.parametrize(
    ("body", "probe", "fault"),
    [
        (result("gathered", at="out"), "output", Fault.REVERSED),
        (result("sum"), "sync", Fault.DOUBLED),
        (result("sum"), "slice", Fault.IN_A_COPY),
        ({"keeps_rest": {"argument": "tensor"}}, "slice", Fault.BEYOND),
        ({"raises": {}}, "sync", Fault.NO_EXCEPTION),
        ({"completes": {}}, "sync", Fault.EXCEPTION),
    ],
)
def test_the_judge_refutes_what_is_broken(body: dict[str, object], probe: str, fault: Fault) -> None:
    given = claim(body, [probe])
    (broken,) = broken_runs(given, API, probe, fault)
    outcome, facts = judge_claim(given, API, probe, broken, (), run_record(world_size=3, probes=[broken]))
    assert outcome is Outcome.REFUTED
    assert facts


def test_broken_code_neither_shows_nor_refutes_a_refusal() -> None:
    refused = claim({"raises": {}}, ["sync"])
    (broken,) = broken_runs(refused, API, "sync", Fault.BROKEN_CODE)
    outcome, facts = judge_claim(refused, API, "sync", broken, (), run_record(world_size=3, probes=[broken]))
    assert outcome is Outcome.ERROR
    assert facts


def test_the_judge_agrees_with_what_is_right(database: Data) -> None:
    """What the faults are compared with: made traces in which every result of the database is as the oracle has it."""
    wrong = []
    for mapping in database.mappings.values():
        for api in [mapping.source, *(target.api for target in mapping.targets if not target.api.defined_in)]:
            for one in api.claims:
                for probe in one.probes if one.result else ():
                    made = right_run(one, api, probe)
                    record = run_record(world_size=world_size_of(api, probe), probes=[made] if made else [])
                    if made is None or judge_claim(one, api, probe, made, (), record)[0] is not Outcome.HOLDS:
                        wrong.append(f"{api.name}#{one.id} by {probe}")
    assert wrong == []


def test_claims_with_far_too_many_values_are_not_judged(database: Data) -> None:
    """Of 200 probes with 64 ranks, under 20 claims in 31 kB, `check` made traces of 7 GB."""
    names = [f"p{number}" for number in range(200)]
    probe = {"set": {"tensor": {"shape": [1000]}}, "world_sizes": [64]}
    api = collective_api({"name": "torch.distributed.f", "probes": dict.fromkeys(names, probe)})
    source = msgspec.structs.replace(api, claims=[claim({"keeps": {"argument": "tensor"}}, names)])
    mapping = Mapping(id=api.name, category="collective", summary=Text(en="It adds.", zh="求和。"), source=source)
    broken = dataclasses.replace(database, mappings={api.name: mapping})
    [error] = claims_are_telling(Subject(broken, mapping))
    assert "the claims are judged by 819200000 values of all ranks, where 3000000 are the most" in str(error)


def test_claims_of_all_records_are_judged_by_no_more_than_they_need(
    database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile gives dozens of records their probes."""
    probes = {"sync": {"set": {"tensor": {"shape": [2]}}, "world_sizes": [2]}}
    api = collective_api({"name": "torch.distributed.f", "probes": probes})
    source = msgspec.structs.replace(api, claims=[claim({"keeps": {"argument": "tensor"}}, ["sync"])])
    mapping = Mapping(id=api.name, category="collective", summary=Text(en="It adds.", zh="求和。"), source=source)
    subject = Subject(dataclasses.replace(database, mappings={api.name: mapping}), mapping)
    monkeypatch.setattr(vacuity, "_MOST_VALUES_OF_ALL", 200)
    judged = vacuity.JudgedValues()
    told = [[str(error) for error in claims_are_telling(subject, judged)] for _ in range(5)]
    assert judged.values == 300  # those of a probe that passes next to nothing count as 100
    assert [len(one) for one in told] == [0, 0, 1, 0, 0]  # once
    assert "the claims of all records are judged by more than 200 values. Write smaller tensors" in told[2][0]


def test_claims_whose_probes_pass_far_too_much_are_not_worded(database: Data) -> None:
    """A sentence tells what each of them passes: 32 claims by 99 probes with 98 arguments took minutes."""
    probe = {"set": {f"a{number}": number for number in range(98)}}
    names = [f"p{number}" for number in range(99)]
    api = collective_api({"name": "torch.distributed.f", "probes": dict.fromkeys(names, probe)})
    cases = [
        ([names[:10]] * 10, None),
        ([names[:10]] * 11, "the probes of claims pass more than 10000 arguments"),
        ([names[:11]], "the probes of claim 'c0' pass 1078 arguments, where 1000 are the most"),
    ]
    for by, said in cases:
        claims = [claim({"keeps": {"argument": "a0"}}, some) for some in by]
        claims = [msgspec.structs.replace(one, id=f"c{number}") for number, one in enumerate(claims)]
        source = msgspec.structs.replace(api, claims=claims)
        mapping = Mapping(id=api.name, category="collective", summary=Text(en="It adds.", zh="求和。"), source=source)
        data = dataclasses.replace(database, mappings={api.name: mapping})
        assert [said and said in str(error) for error in claims_stay_few(Subject(data, mapping))] == [True] * bool(said)
        assert (api.name in without_unusable(data).mappings) is (said is None)


def test_a_vacuous_claim_fails_the_check(database: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    source = msgspec.structs.replace(API, claims=[claim(result("max"), ["sync"])])
    mapping = Mapping(id=API.name, category="collective", summary=Text(en="It adds.", zh="求和。"), source=source)
    broken = dataclasses.replace(database, mappings={API.name: mapping})
    (error,) = claims_are_telling(Subject(broken, mapping))
    assert "an implementation that copies the input of one rank" in error.found
    monkeypatch.setattr("apidiff.cli.check.load_valid", lambda: broken)
    monkeypatch.setattr("apidiff.cli.check.run_checks", lambda data: [])
    monkeypatch.setattr("apidiff.cli.check.signature_errors", lambda root: [])
    with pytest.raises(InvalidData, match="copies the input of one rank"):
        check(argparse.Namespace(ids=[]))
