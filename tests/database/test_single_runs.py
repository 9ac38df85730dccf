"""Records of single calls: what is read, what is refused, and which record's trace counts."""

import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from apidiff.database.runs import MAX_RECORD, Reading, read_bytes, record_path, run_id, signature_path
from apidiff.database.single_runs import SingleTraces, load_single_runs, place_of, single_run_path
from apidiff.errors import DataError
from apidiff.execute.record import encode
from apidiff.execute.single.record import write_record
from apidiff.model.sample_run import SINGLE_SCHEMA, SampleRun, SingleRecord


def made(mapping: str, spec: str = "0") -> SampleRun:
    return SampleRun(mapping=mapping, api="torch.f", sample="plain", spec=spec, end="timeout")


def record(date: str = "2026-01-01T00:00:00Z", *samples: SampleRun, **more: object) -> SingleRecord:
    known = {
        "schema": SINGLE_SCHEMA,
        "suite_version": "0",
        "framework": "torch",
        "framework_version": "2.13.0",
        "device": "cpu",
        "date": date,
        "os": "Linux",
        "python": "3.11.7",
        "machine": "x86_64",
        "cores": 2,
        "packages": {"torch": "2.13.0"},
    }
    return msgspec.convert(known | more | {"samples": msgspec.to_builtins(samples)}, SingleRecord)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = write_record(record("2026-01-01T00:00:00Z", made("torch.f")), tmp_path)
    assert path.parent.name == "torch-2.13.0"
    assert path.name.startswith("single-cpu-")
    assert path.name.endswith(".json.gz")
    [(key, read)] = load_single_runs(tmp_path)
    assert (key, read.samples) == (run_id(path), [made("torch.f")])


@pytest.mark.parametrize(("suffix", "pack"), [("", bytes), (".xz", lzma.compress)])
def test_a_record_packed_otherwise_is_the_same(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = write_record(record("2026-01-01T00:00:00Z", made("torch.f")), tmp_path)
    compressed = load_single_runs(tmp_path)
    path.with_suffix(suffix).write_bytes(pack(read_bytes(path)))
    path.unlink()
    assert load_single_runs(tmp_path) == compressed
    assert record_path(compressed[0][0], tmp_path) == path.with_suffix(suffix)


def test_a_record_that_lies_there_packed_in_three_ways_counts_once(tmp_path: Path) -> None:
    path = write_record(record("2026-01-01T00:00:00Z", made("torch.f")), tmp_path)
    alone = load_single_runs(tmp_path)
    for suffix, pack in [("", bytes), (".xz", lzma.compress)]:
        path.with_suffix(suffix).write_bytes(pack(read_bytes(path)))
    reading = Reading()
    assert load_single_runs(tmp_path, reading) == alone
    assert [error.path.suffixes[-1] for error in reading.damaged] == [".gz", ".xz"]
    with pytest.raises(
        DataError, match=r"is the record of single-cpu-\w+\.json packed otherwise\. Delete one of the two"
    ):
        load_single_runs(tmp_path)


@pytest.mark.parametrize("suffix", ["", ".xz"])
def test_of_files_with_one_name_the_intact_one_is_the_record(tmp_path: Path, suffix: str) -> None:
    path = write_record(record("2026-01-01T00:00:00Z", made("torch.f")), tmp_path)
    path.with_suffix(suffix).write_bytes(b"junk")
    assert record_path(run_id(path), tmp_path) == path


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda: lzma.compress(b"{}")[:-9], "cannot be decompressed: it ends before its end was marked"),
        (lambda: b"no such thing", "cannot be decompressed: Input format not supported by decoder"),
        (lambda: lzma.compress(os.urandom(2**17) * 400, preset=0), "is larger than 48 MiB"),
        (lambda: lzma.compress(bytes(MAX_RECORD + 1), preset=0), "is packed to less than a 500th of its size"),
    ],
    ids=["cut", "garbled", "large", "bomb"],
)
def test_what_a_wheel_cannot_have_brought_is_refused(tmp_path: Path, broken: Callable[[], bytes], words: str) -> None:
    path = tmp_path / "torch-2.13.0" / f"single-cpu-{'0' * 64}.json.xz"
    path.parent.mkdir()
    path.write_bytes(broken())
    with pytest.raises(DataError, match=words):
        load_single_runs(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.replace(b"2.13.0", b"2.13.1", 1), "it was changed"),
        (None, "holds the run"),
    ],
)
def test_a_record_is_what_its_name_says(tmp_path: Path, change: object, words: str) -> None:
    content = encode(record())
    path = single_run_path(record(), content, tmp_path)
    if change is None:
        path = path.with_name(path.name.replace("cpu", "npu"))
    path.parent.mkdir()
    path.write_bytes(gzip.compress(change(content) if callable(change) else content))
    with pytest.raises(DataError, match=words) as raised:
        load_single_runs(tmp_path)
    assert str(path) in str(raised.value)


def test_a_record_of_another_schema_is_refused(tmp_path: Path) -> None:
    newer = record(schema=SINGLE_SCHEMA + 1)
    path = single_run_path(newer, encode(newer), tmp_path)
    path.parent.mkdir()
    path.write_bytes(gzip.compress(encode(newer)))
    with pytest.raises(DataError, match="schema 2"):
        load_single_runs(tmp_path)


NONSENSE = {"t": "tensor", "type": "Tensor", "dtype": "nonsense", "shape": [], "values": [1], "storage": 1, "object": 2}
MOMENTS = {"calls": 9, "elements": 9, "mean": 0, "mean_error": 0, "square": 1, "square_error": 0}
CALL: dict[str, object] = {"mapping": "torch.f", "api": "torch.f", "sample": "plain", "spec": "0", "end": "completed"}
CRASHED = CALL | {"end": "crash"}
AGREED = CALL | {"agrees": ["value"], "against": "0" * 12}


FLOAT = NONSENSE | {"dtype": "float32"}
EMPTIED = NONSENSE | {"dtype": "float32", "shape": [5, 5], "values": []}


def drawn(*tries: dict[str, object]) -> dict[str, object]:
    return CALL | {"trace": {"draws": {"repeats": True, "advances": True, "tries": tries}}}


def chained(depth: int) -> dict[str, object]:
    """A graph of a second try of a graph …, deeper than what looks at each can follow."""
    held = CALL | {"trace": {"returned": NONSENSE}}
    for number in range(depth):
        held = CRASHED | {("again" if number % 2 else "graph"): held}
    return held


def many(count: int) -> dict[str, object]:
    return {"t": "sequence", "type": "list", "object": 3, "items": [FLOAT] * count}


SCALAR = {"t": "scalar", "value": 1}
# A trace in which something has a name.
NAMED: list[Callable[[str], dict[str, object]]] = [
    lambda name: {"before": {name: SCALAR}},
    lambda name: {"after": {name: SCALAR}},
    lambda name: {"gradients": {name: FLOAT}},
    lambda name: {"errors": {name: 0.5}},
    lambda name: {"before": {"a": {"t": "object", "type": "state", "object": 1, "tensors": {name: FLOAT}}}},
    lambda name: {"returned": {"t": "object", "type": "Work", "object": 1, "tensors": {name: FLOAT}}},
]


# framework, what a record of it holds, what is said of it; None where it is read
SAMPLES: list[tuple[str, dict[str, object], str | None]] = [
    ("mindspore", CRASHED | {"graph": CRASHED}, None),
    ("mindspore", CRASHED | {"graph": CALL | {"trace": {"returned": NONSENSE}}}, "a tensor is of dtype 'nonsense'"),
    ("mindspore", CRASHED | {"graph": CRASHED | {"again": CALL}}, "it completed without a trace"),
    ("mindspore", CRASHED | {"graph": CRASHED | {"graph": CRASHED}}, "its graph has a graph"),
    ("mindspore", CRASHED | {"again": CRASHED | {"graph": CRASHED}}, "its second try has a second try or a graph"),
    ("mindspore", CRASHED | {"graph": CRASHED | {"again": chained(900)}}, "its second try has a second try or a graph"),
    ("mindspore", CRASHED | {"graph": CALL | {"agrees": ["graph"]}}, None),
    ("mindspore", CRASHED | {"graph": AGREED}, "it agrees in 'value', which is no facet of a graph"),
    ("mindspore", CALL | {"agrees": ["graph"]}, "it agrees in 'graph', which is no facet of a call"),
    ("mindspore", CALL | {"agrees": ["dtype", "value", "value"]}, "it agrees twice in 'value'"),
    ("mindspore", CRASHED | {"agrees": ["value"]}, "it agrees, and has a trace or did not complete"),
    ("mindspore", AGREED | {"trace": {}}, "it agrees, and has a trace or did not complete"),
    ("mindspore", AGREED, None),
    ("mindspore", CRASHED | {"again": AGREED}, "it completed without a trace"),
    ("torch", AGREED, "it completed without a trace"),
    ("torch", CALL | {"trace": {"before": {"out": EMPTIED}, "after": {"self": EMPTIED}}}, None),
    ("torch", CALL | {"trace": {"before": {"out": EMPTIED}, "after": {"out": EMPTIED}}}, "has 0 values"),
    ("torch", CALL | {"trace": {"after": {"a": many(500)}, "returned": many(500)}}, None),
    (
        "torch",
        CALL | {"trace": {"after": {"a": many(500)}, "returned": many(501)}},
        "was given and returned 1001 tensors",
    ),
    ("torch", CALL | {"trace": {"before": {"a": many(1000)}, "after": {"a": many(1000)}}}, None),
    ("torch", CALL | {"trace": {"before": {"a": many(1000), "b": FLOAT}}}, "was given and returned 1001 tensors"),
    *(
        ("torch", CALL | {"trace": named("a" * length)}, words)
        for named in NAMED
        for length, words in ((200, None), (201, "names an argument or attribute with 201 characters; at most 200"))
    ),
    ("torch", CALL | {"trace": {"returned": EMPTIED}}, "a tensor of shape [5, 5] has 0 values"),
    ("torch", CALL | {"trace": {"gradients": {"self": EMPTIED}}}, "a tensor of shape [5, 5] has 0 values"),
    ("torch", drawn(MOMENTS, MOMENTS | {"elements": 0}), None),
    ("torch", drawn(), "the moments of 0 tries"),
    ("torch", drawn(MOMENTS | {"calls": 0}), "of 0 calls"),
    ("torch", drawn(MOMENTS | {"square": -1}), "a moment of what it draws is none that can be"),
    ("torch", drawn(MOMENTS | {"mean": 1e200}), "a moment of what it draws is none that can be"),
]


@pytest.mark.parametrize(("framework", "sample", "words"), SAMPLES)
def test_what_no_call_shows_is_refused(
    tmp_path: Path, framework: str, sample: dict[str, object], words: str | None
) -> None:
    """None of these could be judged."""
    version = {"torch": "2.13.0", "mindspore": "2.10.0"}[framework]
    strange = record(
        "2026-01-01T00:00:00Z",
        msgspec.convert(sample, SampleRun),
        framework=framework,
        framework_version=version,
        packages={framework: version},
        measured_by="somebody",
    )
    path = single_run_path(strange, encode(strange), tmp_path)
    path.parent.mkdir()
    path.write_bytes(gzip.compress(encode(strange)))
    reading = Reading()
    read = load_single_runs(tmp_path, reading)
    assert len(read) == (words is None)
    assert [words in str(error) for error in reading.damaged if words] == [True] * (words is not None)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"device": "timeout"}, "names the device 'timeout'"), ({"framework": "jax"}, "names the framework 'jax'")],
)
def test_a_place_of_which_pages_have_no_name_is_refused(tmp_path: Path, change: dict[str, str], words: str) -> None:
    strange = record(measured_by="somebody", **change)
    path = single_run_path(strange, encode(strange), tmp_path)
    path.parent.mkdir()
    path.write_bytes(gzip.compress(encode(strange)))
    with pytest.raises(DataError, match=words):
        load_single_runs(tmp_path)


@pytest.mark.parametrize(
    ("samples", "apis", "words"),
    [
        ([made("torch.f")] * 2, [], r"holds a sample twice: torch\.f torch\.f plain"),
        ([], ["torch.f"] * 2, r"holds a signature twice: torch\.f"),
        ([], [f"torch.f{number}" for number in range(20_001)], "holds 20001 signatures"),
        ([made("f" * 201)], [], "holds a sample with a name of 201 characters: 'fff"),
        ([made("torch.f g")], [], "holds a sample with the name 'torch.f g'"),
        ([], ["f" * 201], "holds a signature with a name of 201 characters: 'fff"),
    ],
)
def test_what_is_there_twice_too_often_or_under_too_long_a_name_is_refused(
    tmp_path: Path, samples: list[SampleRun], apis: list[str], words: str
) -> None:
    """Repeated, a few bytes pack to nothing."""
    signatures = [{"api": api} for api in apis]
    strange = record("2026-01-01T00:00:00Z", *samples, measured_by="somebody", signatures=signatures)
    path = single_run_path(strange, encode(strange), tmp_path)
    path.parent.mkdir()
    path.write_bytes(gzip.compress(encode(strange)))
    with pytest.raises(DataError, match=words):
        load_single_runs(tmp_path)


def test_a_record_takes_the_place_of_one_whose_mappings_it_has(tmp_path: Path) -> None:
    f, g = made("torch.f"), made("torch.g")
    both = write_record(record("2026-01-01T00:00:00Z", f, g), tmp_path)
    one = write_record(record("2026-01-02T00:00:00Z", f), tmp_path)
    assert both.exists()
    last = write_record(record("2026-01-03T00:00:00Z", f, g), tmp_path)
    assert not both.exists()
    assert not one.exists()
    assert last.exists()


@pytest.mark.parametrize("inputs", ["", "extracted"])
def test_a_signature_goes_with_the_record_that_it_signs(tmp_path: Path, inputs: str) -> None:
    former = write_record(record("2026-01-01T00:00:00Z", made("torch.f"), inputs=inputs), tmp_path)
    other = write_record(record("2026-01-01T00:00:00Z", made("torch.g"), inputs=inputs), tmp_path)
    for path in (former, other):
        signature_path(path).write_bytes(b"a signature")
    last = write_record(record("2026-01-02T00:00:00Z", made("torch.f"), inputs=inputs), tmp_path)
    assert set(last.parent.iterdir()) == {last, other, signature_path(other)}


def test_somebody_elses_record_stays(tmp_path: Path) -> None:
    other = record("2026-01-01T00:00:00Z", made("torch.f"), measured_by="somebody")
    path = single_run_path(other, encode(other), tmp_path)
    path.parent.mkdir()
    path.write_bytes(gzip.compress(encode(other)))
    write_record(record("2026-01-02T00:00:00Z", made("torch.f")), tmp_path)
    assert path.exists()


def test_traces_behind_others_count_where_these_have_none() -> None:
    crashed = msgspec.structs.replace(made("torch.f"), end="crash")
    ours = SingleTraces([("ours", record("2026-01-01T00:00:00Z", made("torch.f"), made("torch.g")))])
    theirs = msgspec.structs.replace(record("2026-01-02T00:00:00Z", crashed), device="cuda")
    traces = SingleTraces([("theirs", record("2026-01-02T00:00:00Z", crashed)), ("cuda", theirs)], ours)
    assert traces.places("torch") == [("2.13.0", "cuda"), ("2.13.0", "cpu")]
    found = [traces.find("torch", "2.13.0", "cpu", name, "0") for name in ("torch.f", "torch.g", "torch.h")]
    assert [one and one[0] for one in found] == ["theirs", "ours", None]


def test_the_last_trace_of_a_call_counts(tmp_path: Path) -> None:
    older, newer = made("torch.f"), msgspec.structs.replace(made("torch.f"), end="crash")
    write_record(record("2026-01-01T00:00:00Z", older, made("torch.g", "1")), tmp_path)
    write_record(record("2026-01-02T00:00:00Z", newer), tmp_path)
    traces = SingleTraces(load_single_runs(tmp_path))
    assert traces.places("torch") == [("2.13.0", "cpu")]
    found = traces.find("torch", "2.13.0", "cpu", "torch.f", "0")
    assert found is not None
    assert found[1].end == "crash"
    assert traces.find("torch", "2.13.0", "cpu", "torch.g", "1") is not None
    assert traces.find("torch", "2.13.0", "cpu", "torch.g", "other") is None


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("inputs", ["", "extracted"])
@pytest.mark.parametrize("version", ["2.13.0", "2.15.0-rc.1"])
def test_the_id_of_a_record_names_its_place(tmp_path: Path, device: str, inputs: str, version: str) -> None:
    made_there = record(framework_version=version, device=device, inputs=inputs)
    path = single_run_path(made_there, encode(made_there), tmp_path)
    assert place_of(run_id(path)) == ("torch", version, device)
