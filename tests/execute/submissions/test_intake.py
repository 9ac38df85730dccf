"""Run records made elsewhere: rows of (what is done to a good one, what the refusal says); and what is taken in."""

from __future__ import annotations

import base64
import errno
import json
import lzma
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from minisign_keys import Key, needs_minisign

from apidiff.cli.runs import list_own
from apidiff.database import ApidiffError, Data, DataError, InvalidData, load, own_records, with_runs_of_now
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.own_records import add_own_records, load_own_records, own_records_path, without_measurer
from apidiff.database.paths import DATA, examples_folder
from apidiff.database.record_gate import refuse_repeated_keys
from apidiff.database.runs import (
    MAX_UNSIGNED,
    digest_of,
    load_runs,
    read_run,
    record_path,
    room_of,
    run_id,
    runs_meant,
    short_id,
    signature_path,
    whole_digest,
)
from apidiff.database.signing import Signer, SignerKind, id_of, sign
from apidiff.errors import Damage
from apidiff.execute.record import encode, write_record
from apidiff.execute.submissions import sent_files as module
from apidiff.execute.submissions.intake import accepted, take_in
from apidiff.execute.submissions.known_probes import specs_of_today
from apidiff.execute.submissions.record_validation import Accepted, foreign_record, record_errors
from apidiff.execute.submissions.sent_files import read_sent
from apidiff.judge import make_context
from apidiff.judge.recorded_values import show
from apidiff.lookup.record_trial import record_trial
from apidiff.model.claim_probes import Examples
from apidiff.model.sample_run import SINGLE_SCHEMA, SingleRecord
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.model.trust import Trust

BACKENDS = load_backends()


@pytest.fixture(scope="module")
def examples() -> Examples:
    return shown_by_path(load_examples(examples_folder()))


@pytest.fixture(scope="module")
def whole(database: Data) -> Data:
    return database


@pytest.fixture(scope="module")
def fits(whole: Data, examples: Examples) -> Accepted:
    return accepted(whole, BACKENDS, examples)


@pytest.fixture(scope="module")
def record(whole: Data) -> RunRecord:
    """A small good record: a few probes of a recorded run, measured by somebody else."""
    real = next(one for key, one in whole.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    return msgspec.structs.replace(real, probes=real.probes[:5], measured_by="a cluster elsewhere")


NOTHING = Accepted(BACKENDS, frozenset(), {}, frozenset())


def read_foreign(path: Path, fits: Accepted) -> RunRecord:
    [(_, content, _)] = read_sent(path)
    return foreign_record(path, content, fits)


def sent(folder: Path, content: bytes, name: str = "gloo-cpu-2", *, whole: bool = False) -> Path:
    """Writes a record as somebody sends it, under twelve digits as earlier versions did, or under the whole digest."""
    path = folder / f"{name}-{whole_digest(content) if whole else digest_of(content)}.json"
    path.write_bytes(content)
    return path


def edited(record: RunRecord, change: Callable[[dict[str, Any]], object]) -> bytes:
    plain = json.loads(encode(record))
    change(plain)
    return json.dumps(plain).encode()


def put(*keys: str | int) -> Callable[[object], Callable[[dict[str, Any]], None]]:
    def with_value(value: object) -> Callable[[dict[str, Any]], None]:
        def change(plain: Any) -> None:
            for key in keys[:-1]:
                plain = plain[key]
            plain[keys[-1]] = value

        return change

    return with_value


def nested(depth: int) -> object:
    value: object = {"t": "scalar", "value": 1}
    for number in range(depth):
        value = {"t": "sequence", "type": "list", "items": [value], "object": number}
    return value


TENSOR = {"t": "tensor", "type": "Tensor", "dtype": "float32", "shape": [3], "values": [1], "storage": 0, "object": 0}


def returned(**parts: object) -> Callable[[dict[str, Any]], None]:
    """Has the first rank of the first probe return a tensor of which ``parts`` are otherwise."""
    return put("probes", 0, "ranks", 0, "returned")(TENSOR | {"values": [1, 2, 3]} | parts)


def raised(**parts: object) -> Callable[[dict[str, Any]], None]:
    """Has the first rank of the first probe raise an error of which ``parts`` are otherwise."""
    error = {"stage": "call", "type": "RuntimeError", "bases": ["Exception"], "message": "no"}
    return put("probes", 0, "ranks", 0, "error")(error | parts)


PARAMETER = {"name": "tensor", "kind": "positional or keyword"}
LATER = datetime.now(UTC) + timedelta(days=2)
REFUSED = [
    (put("schema")(9), "is a run record of schema 9. This version reads schema 1"),
    (put("framework_version")("../../etc"), "names the version '../../etc'"),
    (put("framework_version")("2.13"), "names the version '2.13'. A version is written as 2.13.0"),
    (put("framework_version")("2.13.0.1"), "names the version '2.13.0.1'"),
    (put("framework_version")("99.9.9"), "is of torch 99.9.9, a release that this project does not know. Ask which"),
    (put("framework_version")("2.12.0"), "is of torch 2.12.0, but lists the package's version 2.13.0"),
    (put("backend")("nccl"), "names the backend nccl (torch, cpu). Described are: gloo (torch, cpu)"),
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
    (put("suite_version")("the newest"), "was made by apidiff 'the newest', which is no version"),
    (put("cores")(0), "was made on 0 cores"),
    (put("probes")([]), "holds no probe"),
    (
        put("signatures", 0, "api")("torch.distributed.exfiltrate"),
        "holds signatures of APIs that this project does not",
    ),
    (put("os")("x" * 200_000), "holds a text longer than 100000 characters"),
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
    (returned(type="Tensor\nforged"), "names a class 'Tensor\\nforged', which is no word of a program"),
    (returned(type=""), "names a class '', which is no word of a program"),
    (raised(type="Error\n  forged"), "names a class 'Error\\n  forged', which is no word of a program"),
    (raised(bases=["Exception", "a b"]), "names a class 'a b'"),
    (raised(bases=["Exception"] * 51), "a class derives from 51 others"),
    (raised(stage="later\nforged"), "an error came at the stage 'later\\nforged'; the stages are call, gradient"),
    (put("signatures", 0, "parameters")([PARAMETER | {"name": "a b"}]), "has a parameter 'a b', which is no word"),
    (put("signatures", 0, "parameters")([PARAMETER | {"kind": "any"}]), "has a parameter that is 'any'; known are"),
    (put("signatures", 0, "parameters")([PARAMETER] * 1001), "has 1001 parameters"),
    (put("signatures", 0, "members")(["x"] * 1001), "has 1001 members"),
    (put("surprise")(1), "is no run record: Object contains unknown field `surprise`"),
    (lambda plain: plain["probes"].append(plain["probes"][0]), "holds a probe twice"),
    (put("signatures")([{"api": f"a{number}"} for number in range(20_001)]), "holds 20001 signatures. At most 20000"),
    (lambda plain: plain["signatures"].append(plain["signatures"][0]), "holds a signature twice"),
]


# As minisign writes it, by a key that nobody knows.
UNKNOWN_SIGNATURE = (
    "untrusted comment: a comment\n"
    f"{base64.b64encode(b'ED' + bytes(72)).decode()}\n"
    "trusted comment: nothing\n"
    f"{base64.b64encode(bytes(64)).decode()}\n"
)


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
        with pytest.raises(DataError, match=r"an object has `(schema|backend)` twice"):
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
    with pytest.raises(ValueError, match="`199999` twice"):
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


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Data:
    """The collectives of the data and one record of ours, where records can be taken in."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "data"
    shutil.copytree(
        DATA, root, ignore=shutil.ignore_patterns("runs", "schema", "samples", "mappings", "writing_rules.yaml")
    )
    for folder in ("distributed", "utils"):
        shutil.copytree(DATA / "mappings" / "torch" / folder, root / "mappings" / "torch" / folder)
    ours = next((DATA / "runs" / "torch-2.13.0").glob("gloo-cpu-2-*.json"))
    (root / "runs" / "torch-2.13.0").mkdir(parents=True)
    shutil.copy(ours, root / "runs" / "torch-2.13.0")
    return load(root)


def test_a_record_is_taken_in_beside_ours_and_once(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    path = sent(tmp_path, encode(record))
    ((written, new, *_),) = take_in([path], data, BACKENDS, examples, {})
    assert new
    assert written.read_bytes() == path.read_bytes()
    assert len(load_runs(data.root / "runs")) == 2
    assert take_in([path], load(data.root), BACKENDS, examples, {}) == [(written, False, Signed(), 0, 5)]
    assert len(load_runs(data.root / "runs")) == 2
    # Recording anew takes the place of our own record, not of theirs.
    (_, mine) = next(one for one in data.runs)
    write_record(msgspec.structs.replace(mine, date="2026-01-01T00:00:00Z"), data.root / "runs")
    assert sorted(one.measured_by or "" for _, one in load_runs(data.root / "runs")) == ["", "a cluster elsewhere"]


def test_a_record_that_lies_there_packed_is_not_written_again(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    path = sent(tmp_path, encode(record))
    ((written, *_),) = take_in([path], data, BACKENDS, examples, {})
    packed = written.with_suffix(".json.xz")
    packed.write_bytes(lzma.compress(written.read_bytes()))
    signature_path(packed).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    written.unlink()
    ((again, new, found, *_),) = take_in([path], load(data.root), BACKENDS, examples, {})
    assert (again, new, found.state) == (packed, False, State.UNKNOWN_KEY)
    assert not written.exists()


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("signed", [(), (0,), (1,), (0, 1)])
def test_a_record_that_is_given_twice_is_taken_once(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, signed: tuple[int, ...]
) -> None:
    paths = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        paths.append(sent(tmp_path / str(number), encode(record)))
        if number in signed:
            signature_path(paths[-1]).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    ((written, new, found, *_),) = take_in(paths, data, BACKENDS, examples, {})
    assert (new, found.state) == (True, State.UNKNOWN_KEY if signed else State.UNSIGNED)
    assert signature_path(written).exists() == bool(signed)


def test_a_record_that_is_given_with_two_signatures_is_refused(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    paths = [sent(tmp_path, encode(record))]
    signature_path(paths[0]).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    (tmp_path / "other").mkdir()
    paths.append(sent(tmp_path / "other", encode(record)))
    signature_path(paths[1]).write_text(UNKNOWN_SIGNATURE.replace("a comment", "another"), encoding="utf-8")
    with pytest.raises(InvalidData, match="is another signature than that of"):
        take_in(paths, data, BACKENDS, examples, {})
    assert len(load_runs(data.root / "runs")) == 1


def test_a_record_of_a_former_version_is_taken_and_says_what_is_asked_otherwise(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, fits: Accepted
) -> None:
    today = set(specs_of_today(data, examples))
    asked = {(api, probe) for api, probe, _ in today}
    api, probe, spec = min(one for one in fits.specs - today if one[:2] in asked)
    former = msgspec.structs.replace(record.probes[0], api=api, probe=probe, spec=spec)
    runs = [former, *record.probes]
    path = sent(tmp_path, encode(msgspec.structs.replace(record, probes=runs)))
    ((*_, changed, probes),) = take_in([path], data, BACKENDS, examples, {})
    assert (changed, probes) == (1, len(runs))


@pytest.mark.parametrize("which", ["the record", "its signature"])
def test_a_pipe_is_not_waited_for(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, which: str
) -> None:
    path = sent(tmp_path, encode(record))
    pipe = path if which == "the record" else signature_path(path)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(InvalidData, match=r"cannot be read \(it is no regular file\)") as caught:
        take_in([path], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [pipe]


def _single(folder: Path, **changes: object) -> Path:
    """Write a record of single calls, and return the path by which the check names it."""
    made = SingleRecord(
        schema=SINGLE_SCHEMA,
        suite_version="0",
        framework="torch",
        framework_version="2.13.0",
        device="cpu",
        date="2026-01-01T00:00:00Z",
        os="Linux",
        python="3.11.7",
        machine="x86_64",
        cores=2,
        packages={"torch": "2.13.0"},
    )
    content = encode(msgspec.structs.replace(made, **changes))
    path = folder / f"single-cpu-{whole_digest(content)}.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        (f"x\n{'1' * 64}  torch-2.13.0", "gloo-cpu-2-{digest}.json"),
        ("torch-2.13.0", "gloo-cpu-2.json"),
        ("torch-2.13.0", "gloo cpu-2-{digest}.json"),
    ],
)
def test_a_name_that_is_none_of_a_record_is_not_listed(
    tmp_path: Path, record: RunRecord, folder: str, name: str
) -> None:
    content = encode(msgspec.structs.replace(record, measured_by=None))
    path = tmp_path / folder / name.format(digest=whole_digest(content))
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"holds the run torch-2\.13\.0/gloo-cpu-2|its name says 2"):
        without_measurer(tmp_path, ())


def test_what_is_listed_already_is_not_read_again(tmp_path: Path, record: RunRecord) -> None:
    path = write_record(msgspec.structs.replace(record, measured_by=None), tmp_path / "runs")
    digest = path.stem.rpartition("-")[2]
    assert without_measurer(tmp_path / "runs", ()) == {digest: run_id(path)}
    path.write_bytes(b"")
    assert without_measurer(tmp_path / "runs", {digest}) == {}


def test_what_lies_in_the_folder_is_checked_by_the_same_rules(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    """Files that were committed and not taken in: each is named, none stops the others."""
    folder = data.root / "runs" / "torch-2.13.0"
    changes = {
        "does not say who measured, and is not in the list": {"measured_by": None},
        "was made on -7 cores": {"cores": -7},
        "has the date 2999-01-01T00:00:00Z": {"date": "2999-01-01T00:00:00Z"},
        "which names nobody": {"measured_by": "this project"},
        "of no known version": {"probes": [msgspec.structs.replace(record.probes[0], spec="0" * 12)]},
    }
    written = {
        message: sent(folder, encode(msgspec.structs.replace(record, **change)), whole=True)
        for message, change in changes.items()
    }
    (folder / "gloo-cpu-2-000000000000.json").write_bytes(b"[" * 100_000)
    os.mkfifo(folder / "gloo-cpu-3-000000000000.json")
    written["which says what only a signature can show"] = _single(folder, measured_by="signed by the lab")
    there = load(data.root)
    errors = list(record_errors(there, accepted(there, BACKENDS, examples)))
    for message, path in written.items():
        assert any(error.path == path and message in str(error) for error in errors), message
    assert {error.path.name for error in there.damaged} >= {
        "gloo-cpu-2-000000000000.json",
        "gloo-cpu-3-000000000000.json",
    }
    # The record of ours is there and has no fault.
    [(ours, _)] = data.runs
    assert there.signed[ours].trust is Trust.PROJECT
    assert not [error for error in errors if error.path.stem in ours]


def test_a_record_under_a_part_of_its_digest_is_not_read(data: Data, record: RunRecord) -> None:
    """Twelve digits can be met by a second record in minutes: under a name that holds no more, none is read."""
    [(ours, _)] = data.runs
    there = data.root / "runs" / f"{ours}.json"
    place, _, digest = ours.rpartition("-")
    former = data.root / "runs" / f"{place}-{digest[:12]}.json"
    there.rename(former)
    read = load(data.root)
    assert (read.runs, read.unsigned_runs) == ([], [])
    [error] = read.damaged
    assert (error.path, error.found) == (former, "its name ends in a part of its digest only")
    assert f"git mv {former.name} {there.name}" in str(error)
    # Another record, however its first digits, is neither read under the whole name nor as ours.
    there.write_bytes(encode(msgspec.structs.replace(record, measured_by=None)))
    assert {error.path for error in load(data.root).damaged} == {there, former}


def test_runs_are_read_anew_with_who_vouches_for_them(data: Data, record: RunRecord) -> None:
    """What `load` would find of them after a run has written its record, without the rest of the data."""
    hers = write_record(record, data.root / "runs")
    ours = write_record(msgspec.structs.replace(record, measured_by=None, world_size=3), data.root / "runs")
    now, anew = with_runs_of_now(data), load(data.root)
    assert (now.runs, now.unsigned_runs, now.signed) == (anew.runs, anew.unsigned_runs, anew.signed)
    assert [key for key, _ in now.unsigned_runs] == [run_id(hers)]
    assert run_id(ours) in dict(now.runs)
    assert now.mappings is data.mappings


def test_records_that_share_twelve_digits_are_told_apart() -> None:
    first, second = (f"torch-2.13.0/gloo-cpu-3-{'0123456789ab' + digit * 52}" for digit in "12")
    other = f"torch-2.13.0/gloo-cpu-13-{'f' * 64}"
    runs = [first, second, other]
    assert runs_meant(first, runs) == runs_meant(first.rpartition("-")[2][:13], runs) == [first]
    assert runs_meant(short_id(first), runs) == runs_meant("0123", runs) == [first, second]
    assert runs_meant(short_id(other), runs) == runs_meant("cpu-13-ffff", runs) == runs_meant("ffff", runs) == [other]
    for nothing in ("", "-", "fff", "3-ffff", "FFFF", "cpu-13", "gloo-cpu-13-", f"{other}0"):
        assert runs_meant(nothing, runs) == []


@pytest.fixture(scope="module")
def pair() -> tuple[Path, Path]:
    """Two records that were made to share twelve digits, by trying 24 million values of ``measured_by``: half a minute."""
    first, second = sorted((Path(__file__).parent / "same_twelve_digits").iterdir())
    assert short_id(run_id(first)) == short_id(run_id(second))
    assert all(whole_digest(path.read_bytes()) in path.name for path in (first, second))
    return first, second


def test_a_record_that_is_shown_by_the_id_of_another_is_refused(
    data: Data, examples: Examples, pair: tuple[Path, Path]
) -> None:
    with pytest.raises(
        InvalidData, match=r"would be shown as torch-2[.]13[.]0/gloo-cpu-2-4b624b11b2e1, as is another"
    ) as both:
        take_in(pair, data, BACKENDS, examples, {})
    assert [error.path for error in both.value.errors] == [pair[1]]
    assert len(list((data.root / "runs").glob("*/*"))) == 1
    [taken] = take_in(pair[:1], data, BACKENDS, examples, {})
    there = load(data.root)
    with pytest.raises(InvalidData, match="would be shown as") as second:
        take_in(pair[1:], there, BACKENDS, examples, {})
    assert str(pair[1]) in str(second.value)
    assert run_id(taken.path) in str(second.value)
    [again] = take_in(pair[:1], there, BACKENDS, examples, {})
    assert not again.new


def test_of_records_that_are_shown_by_one_id_none_is_picked(
    data: Data, examples: Examples, pair: tuple[Path, Path]
) -> None:
    folder = data.root / "runs" / "torch-2.13.0"
    first, second = (Path(shutil.copy(path, folder)) for path in pair)
    there = load(data.root)
    assert [run for run, _ in there.every_run] == [data.runs[0][0]]
    assert {error.path: error.found.rpartition("is ")[2] for error in there.damaged} == {
        first: whole_digest(second.read_bytes()),
        second: whole_digest(first.read_bytes()),
    }
    errors = record_errors(there, accepted(there, BACKENDS, examples))
    assert {first, second} <= {error.path for error in errors}
    # The one that the list of this project's records has keeps its ID.
    add_own_records(data.root, {whole_digest(first.read_bytes()): "torch-2.13.0/gloo-cpu-2"})
    there = load(data.root)
    assert run_id(first) in dict(there.runs)
    assert [error.path for error in there.damaged] == [second]


def test_a_record_with_which_a_command_would_fail_is_not_written(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    context = make_context(BACKENDS, load_examples(examples_folder()), data.signatures)
    trial = record_trial(data, BACKENDS, context)
    path = sent(tmp_path, encode(record))
    trial(path, record)
    tensor = msgspec.convert(TENSOR | {"dtype": "nonsense", "values": [1, 2, 3]}, TensorDump)
    probes = [
        msgspec.structs.replace(
            run,
            ranks=[
                msgspec.structs.replace(trace, returned=tensor, after=dict.fromkeys(trace.after, tensor))
                for trace in run.ranks
            ],
        )
        for run in record.probes
    ]
    with pytest.raises(DataError, match="cannot be judged: KeyError") as caught:
        trial(path, msgspec.structs.replace(record, probes=probes))
    assert caught.value.path == path


def test_all_are_taken_in_or_none(data: Data, examples: Examples, record: RunRecord, tmp_path: Path) -> None:
    good = sent(tmp_path, encode(record))
    bad = sent(tmp_path, edited(record, put("probes", 0, "spec")("0" * 12)))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData) as caught:
        take_in([good, bad, tmp_path / "absent.json"], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [bad, tmp_path / "absent.json"]
    assert load_runs(data.root / "runs") == before


@needs_minisign
def test_what_would_not_be_read_is_not_taken_in(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alice: Key
) -> None:
    """Of the records for which nobody known vouches a part is read only; those that are there keep it."""
    first, second = (sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=f"lab {one}"))) for one in "ab")
    monkeypatch.setitem(MAX_UNSIGNED, RunRecord, int(1.5 * room_of(first.read_bytes())))
    with pytest.raises(InvalidData, match="is one too many") as caught:
        take_in([first, second], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [second]
    take_in([first], data, BACKENDS, examples, {})
    there = load(data.root)
    assert (len(there.unsigned_runs), there.unsigned_room) == (1, room_of(first.read_bytes()))
    with pytest.raises(InvalidData, match="is one too many"):
        take_in([second], there, BACKENDS, examples, {})
    take_in([first], there, BACKENDS, examples, {})  # it is there
    alice.sign(second)
    ((_, new, *_),) = take_in([second], there, BACKENDS, examples, known_as(alice))
    assert new


def test_a_record_that_is_one_too_many_keeps_nobody_from_recording(
    data: Data, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAX_UNSIGNED, RunRecord, 1)
    write_record(record, data.root / "runs")
    there = load(data.root)
    assert [error.damage for error in there.damaged] == [Damage.TOO_MANY]
    assert there.unfit == []


def test_a_stranger_says_who_he_is(data: Data, examples: Examples, record: RunRecord, tmp_path: Path) -> None:
    path = sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=None)))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData, match="does not say who measured"):
        take_in([path], data, BACKENDS, examples, {})
    assert load_runs(data.root / "runs") == before
    # A record of this project that comes back is the one that is here.
    ours = min((data.root / "runs").glob("*/*.json"))
    ((written, new, *_),) = take_in([ours], load(data.root), BACKENDS, examples, {})
    assert (written, new) == (ours, False)


@pytest.fixture
def alice(tmp_path: Path) -> Key:
    return Key(tmp_path, "Alice")


def known_as(key: Key) -> dict[str, Signer]:
    found = id_of(key.signer.key, 42)
    assert found
    return {found: key.signer}


@needs_minisign
def test_a_signature_comes_along(data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key) -> None:
    path = sent(tmp_path, encode(record))
    ((written, _, signed, *_),) = take_in([path], data, BACKENDS, examples, known_as(alice))
    assert (signed.state, signature_path(written).exists()) == (State.UNSIGNED, False)
    bytes_of_it = alice.sign(path)
    # The record is here already; its signature is added.
    for signers, state in (({}, State.UNKNOWN_KEY), (known_as(alice), State.VERIFIED)):
        ((again, new, signed, *_),) = take_in([path], load(data.root), BACKENDS, examples, signers)
        assert (again, new, signed.state) == (written, False, state)
        assert signature_path(written).read_bytes() == bytes_of_it
    # Sent again without its signature, it keeps the one that it has here.
    signature_path(path).unlink()
    ((again, new, signed, *_),) = take_in([path], load(data.root), BACKENDS, examples, known_as(alice))
    assert (again, new, signed.state) == (written, False, State.VERIFIED)
    # A run here that says it has the same measurer leaves both where they are.
    write_record(msgspec.structs.replace(record, date="2026-01-01T00:00:00Z"), data.root / "runs")
    assert written.exists()
    assert signature_path(written).read_bytes() == bytes_of_it


@needs_minisign
def test_a_signature_that_does_not_verify_keeps_all_records_out(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = sent(tmp_path, encode(record))
    bad = sent(tmp_path, encode(msgspec.structs.replace(record, date="2026-01-01T00:00:00Z")))
    signature_path(bad).write_bytes(alice.sign(good))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData, match="is no signature of") as caught:
        take_in([good, bad], data, BACKENDS, examples, known_as(alice))
    assert [error.path for error in caught.value.errors] == [signature_path(bad)]
    with monkeypatch.context() as patch:  # a disk without room for the copies that minisign is given
        patch.setattr("tempfile.TemporaryDirectory", no_room)
        with pytest.raises(InvalidData, match=r"not checked: minisign gave no answer.* has room"):
            take_in([good], data, BACKENDS, examples, known_as(alice))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidData, match="not checked: there is no minisign"):
        take_in([good], data, BACKENDS, examples, known_as(alice))
    assert load_runs(data.root / "runs") == before


def no_room(**_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@needs_minisign
def test_a_second_signature_does_not_take_the_place_of_the_first(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key
) -> None:
    path = sent(tmp_path, encode(record))
    first = alice.sign(path)
    ((written, *_),) = take_in([path], data, BACKENDS, examples, known_as(alice))
    Key(tmp_path, "Mallory").sign(path)
    with pytest.raises(InvalidData, match="is another signature than the one that the record has here"):
        take_in([path], data, BACKENDS, examples, known_as(alice))
    assert signature_path(written).read_bytes() == first


# (version of the package, refusal)
BUILDS = [
    ("2.13.0+cu130", None),
    ("2.13.0a0+5228986c39.nv25.05", None),
    ("2.13.0.dev20261120+cu130", "lists the package's version 2.13.0.dev20261120"),
    ("2.12.0a0+5228986c39.nv25.05", "lists the package's version 2.12.0a0"),
]


@pytest.mark.parametrize(("build", "refusal"), BUILDS)
def test_a_vendors_build_is_taken_in_and_says_so(
    tmp_path: Path, record: RunRecord, fits: Accepted, build: str, refusal: str | None
) -> None:
    found = {"names": ["NVIDIA H200"], "versions": {"torch": build, "driver": "575.51.03"}}

    def change(plain: dict[str, Any]) -> None:
        plain["packages"]["torch"] = build
        plain["device_found"] = found

    path = sent(tmp_path, edited(record, change))
    if refusal:
        with pytest.raises(DataError, match=refusal):
            read_foreign(path, fits)
        return
    taken = read_foreign(path, fits)
    assert taken.build == (None if build.startswith("2.13.0+") else build)
    assert taken.device_found is not None
    assert taken.device_found.names == ["NVIDIA H200"]


def test_records_made_before_devices_were_kept_are_read(whole: Data) -> None:
    older = [record for _, record in whole.runs if record.device_found is None]
    assert all(record.build is None for record in older)


@needs_minisign
@pytest.mark.parametrize("kind", SignerKind)
def test_a_record_that_ci_signed_is_attested(
    data: Data,
    examples: Examples,
    record: RunRecord,
    tmp_path: Path,
    alice: Key,
    monkeypatch: pytest.MonkeyPatch,
    kind: SignerKind,
) -> None:
    """It names no measurer, and is this project's by the signature; that of somebody does not make it so."""
    path = sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=None)))
    alice.sign(path)
    signers = {key: msgspec.structs.replace(signer, kind=kind) for key, signer in known_as(alice).items()}
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: signers)
    if kind is SignerKind.PERSON:
        with pytest.raises(InvalidData, match="does not say who measured"):
            take_in([path], data, BACKENDS, examples, signers)
        return
    [taken] = take_in([path], data, BACKENDS, examples, signers)
    there = load(data.root)
    assert there.signed[run_id(taken.path)].trust is Trust.ATTESTED
    assert run_id(taken.path) in dict(there.runs)
    assert not [
        error for error in record_errors(there, accepted(there, BACKENDS, examples)) if error.path == taken.path
    ]
    # Of a changed signature nothing is left to stand on.
    content = bytearray(signature_path(taken.path).read_bytes())
    content[-30] ^= 1
    signature_path(taken.path).write_bytes(content)
    again = load(data.root)
    assert again.signed[run_id(taken.path)].trust is Trust.UNSIGNED
    assert run_id(taken.path) in dict(again.unsigned_runs)


# (who has the key that signed a record without a measurer, whether minisign is there; whether it becomes this project's, what
# is said then, and what `check` says before)
SIGNED_BY = [
    (None, True, True, "  {key}", "If this project made it: apidiff runs own"),
    (
        SignerKind.PERSON,
        True,
        False,
        "signed by Alice (verified)",
        "and Alice signed it. Delete it, and ask Alice for one",
    ),
    (SignerKind.PERSON, False, False, "not checked because", "which names the key of Alice, is not checked. Install"),
    (SignerKind.CI, True, True, "  {key}", ""),
]


@needs_minisign
@pytest.mark.parametrize(("kind", "here", "becomes", "said", "checked"), SIGNED_BY)
def test_what_somebody_known_signed_does_not_become_this_projects(
    data: Data,
    examples: Examples,
    record: RunRecord,
    alice: Key,
    monkeypatch: pytest.MonkeyPatch,
    kind: SignerKind | None,
    here: bool,
    becomes: bool,
    said: str,
    checked: str,
) -> None:
    """Where it was put beside the others, and not taken in: `import` refuses it."""
    content = encode(msgspec.structs.replace(record, measured_by=None))
    path = sent(data.root / "runs" / "torch-2.13.0", content, whole=True)
    alice.sign(path)
    signers = {key: msgspec.structs.replace(signer, kind=kind) for key, signer in known_as(alice).items() if kind}
    for place in ("apidiff.database.data", "apidiff.cli.runs"):
        monkeypatch.setattr(f"{place}.load_signers", lambda: signers)
    if not here:
        monkeypatch.setenv("PATH", "")
    now = load(data.root)
    told = [str(error) for error in record_errors(now, accepted(now, BACKENDS, examples)) if error.path == path]
    assert (len(told), checked in "".join(told)) == (1 if checked else 0, True)
    first, *rest = list_own(data.root)
    assert first == f"{own_records_path(data.root)}: {int(becomes)} added"
    assert said.format(key=run_id(path)) in "".join(rest)
    assert (path.stem.rpartition("-")[2] in load_own_records(data.root)) is becomes


@needs_minisign
def test_a_list_that_was_changed_after_it_was_signed_vouches_for_nothing(
    data: Data, examples: Examples, alice: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: known_as(alice))
    [(ours, _)] = data.runs
    path = own_records_path(data.root)
    assert load(data.root).signed[ours].state is State.LISTED
    sign(path, alice.secret)
    signed = load(data.root).signed[ours]
    assert (signed.state, signed.signer, signed.trust) == (State.IN_SIGNED_LIST, alice.name, Trust.PROJECT)
    with (
        monkeypatch.context() as patch
    ):  # without an answer it is a list that is not signed, and that is kept in no index
        patch.setenv("PATH", "")
        unanswered = load(data.root).signed[ours]
    assert (unanswered.state, unanswered.unchecked, signed.unchecked) == (State.LISTED, True, False)
    with path.open("a") as file:
        file.write(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n")
    changed = load(data.root)
    assert changed.signed[ours].trust is Trust.UNSIGNED
    assert [error for error in changed.unread if error.path == signature_path(path) and "was changed" in str(error)]
    # A record of this project that comes back is told as it stands here.
    there = path.read_text(encoding="utf-8")
    for text, state in (
        (there, State.UNSIGNED),
        (there[: -len(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n")], State.IN_SIGNED_LIST),
    ):
        path.write_text(text, encoding="utf-8")
        [taken] = take_in([record_path(ours, data.root / "runs")], data, BACKENDS, examples, known_as(alice))
        assert (taken.new, taken.signed.state) == (False, state)
    path.write_text(there, encoding="utf-8")
    # Who adds a record takes the signature away, and signs anew.
    assert add_own_records(data.root, {"1" * 64: f"torch-2.13.0/gloo-cpu-2-{'1' * 64}"}) == 1
    assert not signature_path(path).exists()
    assert f"{'1' * 64}  torch-2.13.0/gloo-cpu-2\n" in path.read_text(encoding="utf-8")
    assert load(data.root).signed[ours].state is State.LISTED


@pytest.mark.parametrize("checkout", [True, False])
def test_what_a_user_of_an_installed_package_ran_is_not_listed_as_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: bool
) -> None:
    monkeypatch.setattr(own_records, "DATA", tmp_path)
    monkeypatch.setattr(own_records, "in_checkout", lambda: checkout)
    (tmp_path / "own_records.txt").touch()
    assert (
        add_own_records(tmp_path, {"1" * 64: "torch-2.13.0/gloo-cpu-2"}) == len(load_own_records(tmp_path)) == checkout
    )


@needs_minisign
def test_what_is_no_secret_key_signs_nothing(tmp_path: Path, alice: Key) -> None:
    path = tmp_path / "own_records.txt"
    path.write_text("")
    for key in (alice.public, tmp_path / "absent", tmp_path):
        with pytest.raises(ApidiffError, match="was not signed"):
            sign(path, key)
        assert not signature_path(path).exists()
