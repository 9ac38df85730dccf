"""Run records made elsewhere: rows of (what is done to a good one, what the refusal says)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sent_records import NOTHING, TENSOR, edited, put, read_foreign, sent

from apidiff.database import DataError
from apidiff.database.record_gate import refuse_repeated_keys
from apidiff.database.runs import (
    digest_of,
    read_run,
    whole_digest,
)
from apidiff.execute.record import encode
from apidiff.execute.submissions import sent_files as module
from apidiff.execute.submissions.record_validation import Accepted
from apidiff.judge.recorded_values import show
from apidiff.model.trace import RunRecord, TensorDump


def nested(depth: int) -> object:
    value: object = {"t": "scalar", "value": 1}
    for number in range(depth):
        value = {"t": "sequence", "type": "list", "items": [value], "object": number}
    return value


def returned(**parts: object) -> Callable[[dict[str, Any]], None]:
    """Has the first rank of the first probe return a tensor of which ``parts`` are otherwise."""
    return put("probes", 0, "ranks", 0, "returned")(TENSOR | {"values": [1, 2, 3]} | parts)


def raised(**parts: object) -> Callable[[dict[str, Any]], None]:
    """Has the first rank of the first probe raise an error of which ``parts`` are otherwise."""
    error = {"stage": "call", "type": "RuntimeError", "bases": ["Exception"], "message": "no"}
    return put("probes", 0, "ranks", 0, "error")(error | parts)


FILLED = TENSOR | {"values": [1, 2, 3]}
FILLED_LIST = {"t": "sequence", "type": "list", "object": 1, "items": [FILLED] * 1000}
WORK = {"t": "object", "type": "Work", "object": 1, "tensors": {"a" * 201: FILLED}}
PARAMETER = {"name": "tensor", "kind": "positional or keyword"}
LATER = datetime.now(UTC) + timedelta(days=2)
REFUSED = [
    (put("schema")(9), "is a run record of schema 9. This version reads schema 1"),
    (put("framework_version")("../../etc"), "names the version '../../etc'"),
    (put("framework_version")("2.13"), "names the version '2.13'. A version is written as 2.13.0"),
    (put("framework_version")("2.13.0.1"), "names the version '2.13.0.1'"),
    (put("framework_version")("99.9.9"), "is of torch 99.9.9, a release that this project does not know. Ask which"),
    (put("framework_version")("2.12.0"), "is of torch 2.12.0, but lists the package's version '2.13.0"),
    (
        put("packages")({"torch": "2.13.0, as it should be” apidiff: taken in"}),
        "the package's version '2.13.0, as it should be” apidiff: taken in'. Record it anew",
    ),
    (put("backend")("nccl"), "names the backend 'nccl' ('torch', 'cpu'). Described are: gloo (torch, cpu)"),
    (put("world_size")(0), "has 0 ranks. From 1 to 64 are possible"),
    (put("world_size")(3), "holds the run gloo-cpu-3, its name says gloo-cpu-2"),
    (put("world_size")(65), "has 65 ranks. From 1 to 64 are possible"),
    (put("date")("yesterday"), "has the date 'yesterday'"),
    (put("date")("2026-1-1T0:0:0Z"), "has the date '2026-1-1T0:0:0Z'"),
    (put("date")("2022-12-31T23:59:59Z"), "has the date 2022-12-31T23:59:59Z. A date is from 2023 on"),
    (put("date")(f"{LATER:%Y-%m-%dT%H:%M:%SZ}"), "and not later than tomorrow"),
    (put("measured_by")("  \u200b "), "which names nobody"),
    (put("measured_by")("This\u3000Project"), "which names nobody"),
    (put("measured_by")(" 本项目。"), "which names nobody"),
    (put("measured_by")("a" * 201), "names a measurer with 201 characters. At most 200 are possible"),
    *(
        (put(name)("x" * (most + 1)), f"has {most + 1} characters under `{name}`. At most {most} are possible")
        for name, most in (("os", 200), ("python", 200), ("machine", 200), ("stopped", 2000))
    ),
    (put("suite_version")("the newest"), "was made by apidiff 'the newest', which is no version"),
    (put("cores")(0), "was made on 0 cores"),
    (put("probes")([]), "holds no probe"),
    (
        put("signatures", 0, "api")("torch.distributed.exfiltrate"),
        "holds signatures of APIs that this project does not",
    ),
    (put("signatures", 0, "text")("x" * 200_000), "holds a text longer than 100000 characters"),
    (put("probes", 0, "spec")("0" * 12), "1 of 5 probes are those of no known version of this project: "),
    (put("probes", 0, "api")("torch.distributed.exfiltrate"), "torch.distributed.exfiltrate"),
    (put("probes", 0, "end")("well"), "it ended 'well'"),
    (put("probes", 0, "ranks")([]), "it completed with 0 of 2 traces"),
    (put("probes", 0, "ranks", 0, "rank")(7), "its traces are of ranks [7, 1], in a world of 2"),
    (put("probes", 0, "ranks", 0, "returned")(TENSOR), "a tensor of shape [3] has 1 values"),
    (put("probes", 0, "ranks", 0, "returned")(TENSOR | {"shape": [1] * 17}), "a tensor has 17 dimensions; at most 16"),
    (put("probes", 0, "ranks", 0, "returned")(nested(9)), "it holds values nested deeper than 8"),
    (put("probes", 0, "ranks", 0, "returned")(nested(200)), "nested"),
    (put("cores")(-7), "was made on -7 cores"),
    (put("date")("2999-01-01T00:00:00Z"), "and not later than tomorrow"),
    (put("probes", 0, "ranks", 0, "seconds")(1e308), "a call took 1e+308 s; from 0 to 86400 are possible"),
    (put("probes", 0, "ranks", 0, "seconds")(-1), "a call took -1 s"),
    (returned(dtype="nonsense"), "a tensor is of dtype 'nonsense'; known are bool, "),
    (returned(values=["abc"] * 3), "a tensor of dtype float32 holds 'abc'"),
    (returned(dtype="int32", values=["nan"] * 3), "a tensor of dtype int32 holds 'nan'"),
    (returned(dtype="int8", values=[1, 2, 128]), "a tensor of dtype int8 holds 128"),
    (returned(dtype="uint8", values=[1, 2, -1]), "a tensor of dtype uint8 holds -1"),
    (returned(dtype="bool", values=[1, 0, 1]), "a tensor of dtype bool holds 1"),
    (returned(dtype="int64", values=[True, 0, 1]), "a tensor of dtype int64 holds True"),
    (returned(dtype="float16", values=[1.0, 2.0, 70_000.0]), "a tensor of dtype float16 holds 70000.0"),
    (returned(dtype="float8_e4m3fn", values=[1.0, 2.0, 449.0]), "a tensor of dtype float8_e4m3fn holds 449.0"),
    (returned(dtype="float16", values=[1.0, 2.0, 65530.0]), "a tensor of dtype float16 holds 65530.0"),
    (returned(dtype="float32", values=[1.0, 2.0, -3.403e38]), "a tensor of dtype float32 holds -3.403e+38"),
    (returned(dtype="complex64", values=["j" * 99, 1, 1]), "a tensor of dtype complex64 holds 'jjj"),
    (returned(dtype="complex64", values=["1e300", 1, 1]), "a tensor of dtype complex64 holds '1e300'"),
    (returned(dtype="complex64", values=["(1+1e39j)", 1, 1]), "a tensor of dtype complex64 holds '(1+1e39j)'"),
    (returned(dtype="complex64", values=[1.0, 1.0, 1e39]), "a tensor of dtype complex64 holds 1e+39"),
    (returned(dtype="complex32", values=["70000j", 1, 1]), "a tensor of dtype complex32 holds '70000j'"),
    (returned(dtype="complex128", values=["1e999j", 1, 1]), "a tensor of dtype complex128 holds '1e999j'"),
    (returned(values=[10**400, 1, 1]), "64 bits"),
    (returned(shape=[10**30, 0], values=[]), "an integer of more than 64 bits"),
    (returned(shape=[2**40, 0], values=[]), "at most 1048576 elements are possible"),
    (returned(shape=[2**20, 2**20, 0], values=[]), "at most 1048576 elements are possible"),
    (returned(shape=[-1, -3]), "with a size below zero"),
    (returned(buffer={"values": [1], "places": [0, 1, 7], "storage": 0}), "lies outside of it"),
    (returned(object=2**70), "an integer of more than 64 bits"),
    (returned(object=-(2**63) - 1), "an integer of more than 64 bits"),
    (returned(shape=[-(2**64) + 1, 0], values=[]), "an integer of more than 64 bits"),
    (returned(shape=[2**20], values=[1.0] * 2**20), "more than 1000000 texts or 800000 numbers"),
    (returned(shape=[2**20], values=["nan"] + [1.0] * (2**20 - 1)), "more than 1000000 texts or 800000 numbers"),
    (put("probes", 0, "log")(["x"] * 1_000_001), "more than 1000000 texts or 800000 numbers"),
    (put("probes", 0, "ranks", 0, "output")(["x"] * 2000), "it holds 2000 lines of output"),
    (put("packages")({f"p{number}": "1" for number in range(1001)} | {"torch": "2.13.0"}), "names 1002 packages"),
    (put("environment")({f"V{number}": "1" for number in range(1001)}), "names 1001 variables"),
    (put("device_found")({"names": ["x"] * 1001}), "names 1001 devices. At most 1000 are possible"),
    (put("probes", 0, "ranks", 0, "before")({"a" * 201: FILLED}), "names an argument or attribute with 201 characters"),
    (put("probes", 0, "ranks", 0, "after")({"a" * 201: FILLED}), "names an argument or attribute with 201 characters"),
    (put("probes", 0, "ranks", 0, "returned")(WORK), "names an argument or attribute with 201 characters; at most 200"),
    (put("probes", 0, "ranks", 0, "before")({"tensor. Signed": FILLED}), "an argument or attribute 'tensor. Signed'"),
    (
        put("probes", 0, "ranks", 0, "after")({"已验证": FILLED}),
        "an argument or attribute '已验证', which is none of a",
    ),
    (put("backend")("gloo.signed"), "names the backend 'gloo.signed', which is no plain word"),
    (put("probes", 0, "ranks", 0, "before")({"a": FILLED_LIST, "b": FILLED}), "was given and returned 1001 tensors"),
    (returned(type="Tensor\nforged"), "names a class 'Tensor\\nforged', which is no word of a program"),
    (
        put("signatures", 0, "members")(["add", "This project verified it"]),
        "has a member 'This project verified it', which is no word of a program",
    ),
    (
        put("x`. It is signed by this project (`y")(1),
        "is no run record: Object contains unknown field 'x`. It is signed by this project (`y'",
    ),
    (raised(type="已验证"), "names a class '已验证', which is no word of a program"),
    (returned(type=""), "names a class '', which is no word of a program"),
    (raised(type="Error\n  forged"), "names a class 'Error\\n  forged', which is no word of a program"),
    (raised(bases=["Exception", "a b"]), "names a class 'a b'"),
    (raised(bases=["Exception"] * 51), "a class derives from 51 others"),
    (raised(stage="later\nforged"), "an error came at the stage 'later\\nforged'; the stages are call, gradient"),
    (put("signatures", 0, "parameters")([PARAMETER | {"name": "a b"}]), "has a parameter 'a b', which is no word"),
    (put("signatures", 0, "parameters")([PARAMETER | {"kind": "any"}]), "has a parameter that is 'any'; known are"),
    (put("signatures", 0, "parameters")([PARAMETER] * 1001), "has 1001 parameters"),
    (put("signatures", 0, "members")(["x"] * 1001), "has 1001 members"),
    *(
        (put("signatures", 0, name)("x" * 4001), f"has 4001 characters under `{name}`; at most 4000 are possible")
        for name in ("text", "error")
    ),
    *((put("signatures", 0, "text")(f"(x,{end}y)"), "has more than one line under `text`") for end in ("\n", "\r")),
    (put("surprise")(1), "is no run record: Object contains unknown field `surprise`"),
    (lambda plain: plain["probes"].append(plain["probes"][0]), "holds a probe twice"),
    (put("probes", 0, "api")("a b"), "holds a probe with the name 'a b'. APIs are named in full, runs in lower case."),
    (put("probes", 0, "api")("torch"), "holds a probe with the name 'torch'"),
    (put("probes", 0, "api")("torch.é"), "holds a probe with the name 'torch.é'"),
    *(
        (put("probes", 0, "probe")(name), f"holds a probe with the name {name!r}")
        for name in ("", "#", "a b", "a--b", "2", "Sum", "sum\n", "example:torch.a/../b.py", "example:b.py")
    ),
    (put("signatures", 0, "api")("torch a"), "holds a signature with the name 'torch a'"),
    (put("signatures")([{"api": f"a{number}"} for number in range(20_001)]), "holds 20001 signatures. At most 20000"),
    (lambda plain: plain["signatures"].append(plain["signatures"][0]), "holds a signature twice"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_what_does_not_fit_is_refused(
    record: RunRecord,
    fits: Accepted,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], object],
    message: str,
) -> None:
    path = sent(tmp_path, edited(record, change))
    with pytest.raises(DataError) as caught:
        read_foreign(path, fits)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_dtype_that_numpy_lacks_is_known_and_judged(tmp_path: Path, record: RunRecord, fits: Accepted) -> None:
    tensor = TENSOR | {"dtype": "float8_e4m3fn", "values": [1.5, "nan", -448.0]}
    taken = read_foreign(sent(tmp_path, edited(record, put("probes", 0, "ranks", 0, "returned")(tensor))), fits)
    dumped = taken.probes[0].ranks[0].returned
    assert isinstance(dumped, TensorDump)
    assert show(dumped) == "[1.5, nan, -448]"


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"{}", "gloo-cpu-2-000000000000.json", "its bytes have digest 44136fa355b3, its name says 000000000000"),
        (b"{}", "record.json", "its name holds no digest"),
        (b"{}", "gloo-cpu-3-0a1b2c3d4e5f.json.gz", "is packed, and records are sent as they were written. Unpack it"),
        (
            b"{}",
            "single-cpu-{}.json",
            r"is a record of single processes, and those of ranks alone are taken in\. Leave it",
        ),
        (b"{}", "single-cpu-{}.json.gz", "is a record of single processes"),
        (b"\x80\x04\x95", "gloo-cpu-2-{}.json", "is no run record"),
        (b"[" * 100_000, "gloo-cpu-2-{}.json", "is no run record"),
        (b"\xff\xfe", "gloo-cpu-2-{}.json", "is no run record"),
        (b"", "gloo-cpu-2-{}.json", "is no run record"),
    ],
)
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, content: bytes, name: str, message: str) -> None:
    path = tmp_path / name.format(digest_of(content))
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_foreign(path, NOTHING)


@pytest.mark.parametrize("again", [b'"schema":7,', b'"b\\u0061ckend":"nccl",', b'"backend":"gloo",'])
def test_a_record_that_says_a_thing_twice_is_refused(
    tmp_path: Path, record: RunRecord, fits: Accepted, again: bytes
) -> None:
    content = encode(record).replace(b"{", b"{" + again, 1)
    path = tmp_path / f"gloo-cpu-2-{digest_of(content)}.json"
    path.write_bytes(content)
    there = tmp_path / f"torch-{record.framework_version}" / f"gloo-cpu-2-{whole_digest(content)}.json"
    there.parent.mkdir()
    there.write_bytes(content)
    for read in (lambda: read_foreign(path, fits), lambda: read_run(there)):
        with pytest.raises(DataError, match=r"an object has '(schema|backend)' twice"):
            read()


@pytest.mark.parametrize("depth", [440, 470, 480, 490, 495, 600, 100_000])
def test_a_record_in_the_data_that_is_nested_too_deep_is_one_error(
    tmp_path: Path, record: RunRecord, depth: int
) -> None:
    trace = encode(record).index(b'"returned":') + len(b'"returned":')
    before, after = encode(record)[:trace], encode(record)[trace:]
    value = b'{"t":"sequence","type":"list","object":0,"items":[' * depth
    content = (
        before + value + b"]}" * depth + after[after.index(b"}") + 1 if after[:1] == b"{" else after.index(b",") :]
    )
    path = tmp_path / f"torch-{record.framework_version}" / f"gloo-cpu-2-{whole_digest(content)}.json"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_run(path)


def test_what_is_said_twice_is_found_at_once() -> None:
    """To look through all keys for each of them would take hours here."""
    keys = b"".join(b'"%d":0,' % number for number in range(200_000))
    with pytest.raises(ValueError, match="'199999' twice"):
        refuse_repeated_keys(b"{" + keys + b'"199999":0}')


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 2**20)
    path = tmp_path / "gloo-cpu-2-000000000000.json"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(DataError, match="is larger than 1 MiB"):
        read_foreign(path, NOTHING)


@settings(max_examples=150)
@given(cut=st.floats(0, 1), flipped=st.integers(0, 255))
def test_a_cut_or_altered_record_is_refused_by_its_digest(
    tmp_path_factory: pytest.TempPathFactory, record: RunRecord, cut: float, flipped: int
) -> None:
    content = encode(record)
    place = int(cut * (len(content) - 1))
    altered = content[:place] if flipped < 128 else content[:place] + bytes([flipped]) + content[place + 1 :]
    if altered == content:
        return
    path = tmp_path_factory.mktemp("cut") / f"gloo-cpu-2-{digest_of(content)}.json"
    path.write_bytes(altered)
    with pytest.raises(DataError, match="it was changed"):
        read_foreign(path, NOTHING)
