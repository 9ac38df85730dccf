"""Probes: what ``like``, ``set``, ``drop`` and ``on_rank`` come to, and when two are the same call."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.model.claim import Claim
from apidiff.model.mapping import Api
from apidiff.model.probe import Input
from apidiff.model.probe_resolution import SpecError, callers, digest, is_partial, partner, partners, resolve, root_rank
from tests.factories import collective_api


def api(**probes: dict) -> Api:
    return collective_api({"name": "torch.distributed.x", "root": "dst", "probes": probes})


BASE = {"set": {"tensor": {"shape": [3]}, "dst": 1}}


def test_like_is_followed_to_its_end() -> None:
    one = api(a=BASE, b={"like": "a", "set": {"async_op": True}}, c={"like": "b", "drop": ["dst"]})
    arguments, _ = resolve(one, "c")
    assert list(arguments) == ["tensor", "async_op"]
    assert (root_rank(one, "b"), root_rank(one, "c")) == (1, None)


@pytest.mark.parametrize(
    "probes", [{"a": {"like": "a"}}, {"a": {"like": "b"}, "b": {"like": "a"}}, {"a": {"like": "z"}}]
)
def test_like_that_leads_nowhere(probes: dict) -> None:
    with pytest.raises(SpecError):
        resolve(api(**probes), "a")


RECV = {"api": "torch.distributed.recv", "ranks": [1], "set": {"tensor": {"shape": [3]}}}
# (probes, probe, world size, ranks that call, ranks that make the partner's call)
ENDS = [
    ({"a": BASE}, "a", 3, [0, 1, 2], []),
    ({"a": {"ranks": [2, 0]}}, "a", 3, [0, 2], []),
    ({"a": {"ranks": [0, 7]}}, "a", 3, [0], []),
    ({"a": {"partner": RECV}}, "a", 3, [0, 2], [1]),
    ({"a": {"ranks": [0], "partner": RECV}}, "a", 3, [0], [1]),
    ({"a": {"ranks": [0], "partner": {**RECV, "ranks": [1, 9]}}}, "a", 2, [0], [1]),
    ({"a": {"ranks": [0], "partner": RECV}, "b": {"like": "a", "set": {"tag": 1}}}, "b", 3, [0], [1]),
    ({"a": {"ranks": [0], "partner": RECV}, "b": {"like": "a", "ranks": [2]}}, "b", 3, [2], [1]),
    ({"a": {"ranks": [0], "partner": RECV}, "b": {"like": "a", "ranks": [1]}}, "b", 3, [1], []),
]


@pytest.mark.parametrize(("probes", "probe", "size", "calling", "answering"), ENDS)
def test_who_calls_and_who_answers(probes: dict, probe: str, size: int, calling: list, answering: list) -> None:
    one = api(**probes)
    assert (callers(one, probe, size), partners(one, probe, size)) == (calling, answering)
    assert is_partial(one, probe) is (calling != list(range(size)))


def test_the_partner_of_a_probe_takes_the_place_of_the_one_it_is_like() -> None:
    one = api(a={"partner": RECV}, b={"like": "a", "partner": {**RECV, "set": {}}}, c={"like": "a"})
    found = [partner(one, name) for name in "bc"]
    assert [list(each.set) for each in found if each] == [[], ["tensor"]]


# (arguments, root): 'group_dst' counts within the group that is passed
ROOTS = [
    ({"dst": 1}, 1),
    ({"group_dst": 1}, 1),
    ({"group_dst": 2**63 - 1}, 2**63 - 1),
    ({"group_dst": -1}, None),
    ({"group_dst": 1, "group": {"group": [0, 2]}}, 2),
    ({"dst": 2, "group": {"group": [0, 2]}}, 2),
    ({"group_dst": 2, "group": {"group": [0, 2]}}, None),
    ({"dst": {"rank_plus": 1}}, None),
    ({}, None),
]


@pytest.mark.parametrize(("arguments", "root"), ROOTS)
def test_root(arguments: dict, root: int | None) -> None:
    assert root_rank(api(a={"set": arguments}), "a") == root


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": [0]},
        {"partner": RECV},
        {"set": {"dst": {"rank_plus": 1}}},
        {"set": {"tensor": {"text": "r{rank}"}}},
        {"set": {"dst": 0}},
        {"set": {"tensor": {"shape": [4]}}},
        {"on_rank": {"1": {"dst": 2}}},
        {"inplace_switch": False},
        {"drop": ["dst"]},
    ],
)
def test_digest_follows_what_is_called(change: dict) -> None:
    one = api(a=BASE, b={"like": "a", **change})
    assert digest(one, "a") != digest(one, "b")


# Digests of probes whose runs are recorded: a change of these makes every record worthless.
RECORDED = [
    (BASE, "29bfe6ef38a8"),
    ({**BASE, "on_rank": {"others": {"tensor": None}}, "inplace_switch": False}, "1e225dfcea2d"),
    (
        {"set": {"group": {"group": [0, 1]}, "op": {"reduce_op": "MAX"}, "parts": {"list": [{"shape": [1]}]}}},
        "8bbdde2f9ec0",
    ),
]


@pytest.mark.parametrize(("probe", "recorded"), RECORDED)
def test_digest_stays(probe: dict, recorded: str) -> None:
    assert digest(api(a=probe), "a") == recorded


def test_digest_covers_what_the_partner_does() -> None:
    one = api(a={"partner": RECV}, b={"partner": {**RECV, "ranks": [2]}}, c={"partner": {**RECV, "set": {}}})
    assert len({digest(one, name) for name in "abc"}) == 3


def test_digest_ignores_how_it_is_written() -> None:
    one = api(a=BASE, b={"like": "a"}, c={"like": "a", "world_sizes": [3]})
    assert len({digest(one, name) for name in "abc"}) == 1


@pytest.mark.parametrize("keys", [{}, {"shape": [1], "list": []}, {"group": [], "tuple": [1]}])
def test_an_input_is_exactly_one_thing(keys: dict) -> None:
    with pytest.raises(msgspec.ValidationError, match="exactly one of"):
        msgspec.convert(keys, Input)


@pytest.mark.parametrize("keys", [{}, {"raises": {}, "completes": {}}])
def test_a_claim_has_exactly_one_kind(keys: dict) -> None:
    with pytest.raises(msgspec.ValidationError, match="exactly one kind key"):
        msgspec.convert({"id": "it", **keys}, Claim)
