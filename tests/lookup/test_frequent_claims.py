"""What real code calls most has a claim on both sides, and stands on its page before any odd call."""

from __future__ import annotations

import pytest

from apidiff.database import Data
from apidiff.derive.probe_conditions import Disagree, conditions
from apidiff.derive.reach import frequent_first, is_odd, passes_part
from apidiff.model.claim import Claim
from apidiff.model.mapping import Api
from apidiff.model.views import Entry
from tests.factories import collective_api

TORCH, MINT = "torch.distributed.", "mindspore.mint.distributed."
# (how code calls it, the API of both modules, the claim of PyTorch's, the claim of MindSpore's)
PATTERNS = [
    ("get_rank with group", "get_rank", "members-get-rank-in-group", "members-get-rank-of-group"),
    ("get_world_size with group", "get_world_size", "members-get-size-of-group", "members-get-size-of-group"),
    ("all_reduce with op and group", "all_reduce", "max-in-group-holds-maximum", "max-in-group-holds-maximum"),
    ("all_reduce of a slice", "all_reduce", "tensor-holds-sum-slice-tensor", "tensor-holds-sum-slice-tensor"),
    ("what lies beside the slice", "all_reduce", "rest-kept-slice-tensor", "rest-kept-slice-tensor"),
    ("a bucket from its beginning", "all_reduce", "tensor-holds-sum-head-tensor", "tensor-holds-sum-head-tensor"),
    ("broadcast of a row", "broadcast", "all-hold-root-tensor-row-tensor", "all-hold-root-tensor-row-tensor"),
    ("barrier with device_ids", "barrier", "device-list-accepted", "device-list-accepted"),
    ("broadcast from a global rank", "broadcast", "members-hold-root-tensor", "members-hold-root-tensor"),
    ("uneven all_gather", "all_gather", "uneven-gathered", "uneven-refused"),
    ("new_group on every rank", "new_group", "every-rank-may-call", "every-rank-may-call"),
    ("a sum after new_group on every rank", "new_group", "next-call-sums", "next-call-sums"),
    ("a group made on every rank, then used", "new_group", "group-sums", "group-sums"),
    ("two groups made on every rank, then used", "new_group", "two-groups-sum", "two-groups-sum"),
    ("groups made by their own ranks, then used", "new_group", "own-groups-sum", "own-groups-sum"),
    ("new_group with gloo", "new_group", "gloo-accepted", "gloo-refused"),
    ("lists of P2POp", "batch_isend_irecv", "caller-receives-sent", "caller-receives-sent"),
    ("all_to_all_single with splits", "all_to_all_single", "uneven-writes-output", "uneven-writes-output"),
    ("async_op=True and wait", "all_reduce", "tensor-holds-sum", "tensor-holds-sum"),
    ("what async_op=True returns", "all_reduce", "async-returns-work", "async-returns-handle"),
    ("lists of objects", "all_gather_object", "list-holds-objects", "list-holds-objects"),
    ("objects of one rank", "broadcast_object_list", "all-hold-objects-of-root", "all-hold-objects-of-root"),
]


def is_of_odd_call(claim: Claim, api: Api) -> bool:
    found = conditions(claim, api)
    frequent = any(passes_part(each) or (isinstance(each, Disagree) and each.in_shape) for each in found)
    return any(map(is_odd, found)) and not frequent


@pytest.mark.parametrize(("name", "source", "target"), [row[1:] for row in PATTERNS], ids=[row[0] for row in PATTERNS])
def test_a_frequent_call_is_claimed_on_both_sides_and_first(
    database: Data, all_entries: dict[str, Entry], name: str, source: str, target: str
) -> None:
    mapping = database.mappings[TORCH + name]
    apis = {api.name: api for api in [mapping.source, *(target.api for target in mapping.targets)]}
    shown = [claim.id for claim in all_entries[mapping.id].claims]
    for api, claim in ((apis[TORCH + name], source), (apis[MINT + name], target)):
        place = shown.index(f"{api.name}#{claim}")
        odd = [one.id for one in api.claims if one.probes and is_of_odd_call(one, api)]
        assert [one for one in odd if shown.index(f"{api.name}#{one}") < place] == []


def test_odd_calls_and_sweeps_come_last() -> None:
    tensor = {"shape": [2]}
    api = collective_api(
        {
            "name": "torch.distributed.reduce",
            "probes": {
                "sync": {"set": {"tensor": tensor}},
                "empty": {"like": "sync", "set": {"tensor": {"shape": [0]}}},
                "max": {"like": "sync", "set": {"op": {"reduce_op": "MAX"}}},
                "half": {"like": "sync", "set": {"tensor": tensor | {"dtype": "float16"}}, "sweep": "dtype"},
                "slice": {"like": "sync", "set": {"tensor": tensor | {"layout": "slice"}}, "sweep": "view"},
                "turned": {"like": "sync", "set": {"tensor": tensor | {"layout": "transposed"}}, "sweep": "view"},
                "uneven": {"like": "sync", "on_rank": {"0": {"tensor": tensor}, "1": {"tensor": {"shape": [3]}}}},
            },
            "claims": [
                {"id": "swept", "probes": ["half"], "completes": {}},
                {"id": "turned", "probes": ["turned"], "completes": {}},
                {"id": "slice", "probes": ["slice"], "completes": {}},
                {"id": "odd", "probes": ["empty"], "completes": {}},
                {"id": "signature", "parameter": {"name": "op"}},
                {"id": "usual", "probes": ["max"], "completes": {}},
                {"id": "uneven", "probes": ["uneven"], "completes": {}},
            ],
        }
    )
    assert [claim.id for claim in frequent_first(api)] == [
        "slice",
        "usual",
        "uneven",
        "signature",
        "odd",
        "swept",
        "turned",
    ]
