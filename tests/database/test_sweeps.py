"""Sweeps: one line of a profile becomes a probe and claims for each dtype and each layout of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from apidiff.database.expansion.origins import ORIGIN, Origin
from apidiff.database.expansion.sweeps import expand_sweeps

HERE = {ORIGIN: Origin(Path("it.yaml"), 1, "record")}
GATHER = {
    "probes": {"sync": {"set": {"out": {"each": {"shape": [2], "fill": "sentinel"}}, "t": {"shape": [2]}}}},
    "claims": {
        "holds-all": {"result": "gathered", "at": "out", "of": "t", "by": ["sync"], "stated": ["a page"], **HERE},
        "length": {"result": "length-world", "at": "out", "by": ["sync"], **HERE},
        "returns": {"returns": "None", "by": ["sync"], **HERE},
    },
    **HERE,
}


def swept(source: dict[str, Any], **sweeps: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The probes and claims that ``sweeps`` add to an API."""
    made = {kind: {"of": ["sync", "to-1"], "over": over} for kind, over in sweeps.items()}
    done = expand_sweeps({"source": source, "targets": {}, "sweeps": made})["source"]
    added = [
        {key: value for key, value in done[part].items() if key not in source[part]} for part in ("probes", "claims")
    ]
    return added[0], added[1]


def test_a_dtype_is_that_of_every_tensor() -> None:
    probes, claims = swept(GATHER, dtype=["int8"])
    (probe,) = probes.values()
    assert probe["set"] == {
        "out": {"each": {"shape": [2], "fill": "sentinel", "dtype": "int8"}},
        "t": {"shape": [2], "dtype": "int8", "fill": "small"},
    }
    assert (probe["like"], probe["world_sizes"], probe["sweep"]) == ("sync", [3], "dtype")
    assert claims == {
        "holds-all-dtype-int8": {"result": "gathered", "at": "out", "of": "t", "by": ["dtype-int8"], **HERE}
    }


def test_one_argument_at_a_time_is_part_of_a_larger_tensor() -> None:
    probes, claims = swept(GATHER, view=["head"])
    assert {name: probe["set"] for name, probe in probes.items()} == {
        "head-out": {"out": {"each": {"shape": [2], "fill": "sentinel", "layout": "head"}}},
        "head-t": {"t": {"shape": [2], "layout": "head"}},
    }
    assert {name: claim.get("keeps_rest") for name, claim in claims.items()} == {
        "holds-all-head-out": None,
        "rest-kept-head-out": "out",
        "holds-all-head-t": None,
    }


def test_tensors_of_a_list_are_parts_of_one_larger_tensor_too() -> None:
    probes, claims = swept(GATHER, view=["chunks", "rows"])
    assert {name: probe["set"]["out"]["each"]["layout"] for name, probe in probes.items()} == {
        "chunks-out": "chunks",
        "rows-out": "rows",
    }
    assert [name for name, claim in claims.items() if "keeps_rest" in claim] == ["rest-kept-rows-out"]


def test_where_the_root_alone_passes_a_list_the_rest_is_its_own() -> None:
    sync = {**GATHER["probes"]["sync"], "on_rank": {"others": {"out": None}}}
    _, claims = swept({**GATHER, "probes": {"sync": sync}}, view=["slice"])
    assert claims["rest-kept-slice-out"] == {"keeps_rest": "out", "ranks": "root", "by": ["slice-out"], **HERE}


def test_tensors_in_listed_calls_get_dtype_and_layout() -> None:
    ops = {"list": [{"call": {"api": "torch.distributed.P2POp", "set": {"tensor": {"shape": [2]}, "peer": 1}}}]}
    source = {
        "probes": {"sync": {"set": {"ops": ops}}},
        "claims": {"arrives": {"result": "sent", "at": "ops[0].tensor", "of": "ops[0].tensor", "by": ["sync"], **HERE}},
        **HERE,
    }
    probes, claims = swept(source, dtype=["int8"], view=["slice", "chunks"])
    given = {name: probe["set"]["ops"]["list"][0]["call"]["set"] for name, probe in probes.items()}
    assert given == {
        "dtype-int8": {"tensor": {"shape": [2], "dtype": "int8", "fill": "small"}, "peer": 1},
        "slice-ops": {"tensor": {"shape": [2], "layout": "slice"}, "peer": 1},
    }, "one tensor has no parts to share a larger one with"
    assert "rest-kept-slice-ops" in claims


def test_a_transposed_matrix_has_two_dimensions_and_nothing_around_it() -> None:
    probes, claims = swept(GATHER, view=["transposed"])
    assert probes["transposed-t"]["set"] == {
        "out": {"each": {"shape": [2, 2], "fill": "sentinel"}},
        "t": {"shape": [2, 2], "layout": "transposed"},
    }
    assert not any("keeps_rest" in claim for claim in claims.values())


def test_the_partner_of_a_send_gets_the_dtype_and_no_layout() -> None:
    partner = {"api": "torch.distributed.recv", "ranks": [1], "set": {"tensor": {"shape": [2], "fill": "sentinel"}}}
    source = {
        "probes": {"to-1": {"set": {"tensor": {"shape": [2]}, "dst": 1}, "ranks": [0], "partner": partner}},
        "claims": {
            "arrives": {"result": "sent", "at": "tensor", "of": "tensor", "ranks": "partners", "by": ["to-1"], **HERE}
        },
        **HERE,
    }
    probes, _ = swept(source, dtype=["int8"], view=["slice"])
    assert probes["dtype-int8"]["partner"]["set"]["tensor"]["dtype"] == "int8"
    assert "partner" not in probes["slice-tensor"]


def test_a_probe_of_the_record_stays() -> None:
    own = {"like": "sync", "set": {"t": {"shape": [4], "layout": "strided"}}}
    source = {**GATHER, "probes": {**GATHER["probes"], "strided-t": own}}
    probes, claims = swept(source, view=["strided"])
    assert set(probes) == {"strided-out", "strided-t-part"}
    assert claims["holds-all-strided-t-part"]["by"] == ["strided-t-part"]


def test_an_api_without_a_result_of_the_plain_call_has_none() -> None:
    assert swept({**GATHER, "claims": {}}, dtype=["int8"], view=["slice"]) == ({}, {})
