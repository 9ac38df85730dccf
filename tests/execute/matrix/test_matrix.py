"""The matrix as data: what a file may say, which cells it has, and which of them are recorded."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from apidiff.database import ApidiffError, Data, InvalidData
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.paths import conf_file, examples_folder
from apidiff.database.runs import run_id, run_path
from apidiff.execute.matrix.cells import Cell, cells_of, read_matrix, standing
from apidiff.execute.matrix.run import exclusive
from apidiff.execute.record import encode, write_record
from apidiff.judge.recorded_inputs import given_otherwise
from apidiff.model.claim_probes import Examples
from apidiff.model.signed import Signed, State
from apidiff.model.trace import ProbeRun, RunRecord

Record = TypeVar("Record", RunRecord, ProbeRun)

GOOD = """\
[[framework]]
name = "torch"
versions = ["2.13.0"]
python = ["3.11", "3.12"]
backends = ["gloo"]
world_sizes = [2, 3]
deadlines = { environment = 600, run = 600 }

[[framework]]
name = "mindspore"
versions = ["2.7.1", "2.10.0"]
python = ["3.11"]
requires = ["numpy<2", "scipy", "mindspore-gs[all]>=1 ; python_version < '3.12'"]
backends = ["mccl", "hccl"]
world_sizes = [2]
deadlines = { environment = 600, run = 600 }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "matrix.toml"
    path.write_text(text, encoding="utf-8")
    return path


# (what is replaced, by what, the line that is named, what is said)
BAD = [
    ("[[framework]]", "[framework]", 9, "broken TOML"),
    ("[[framework]]", "[[frameworks]]", None, "unknown field `frameworks`"),
    ('name = "torch"', 'name = "jax"', 2, "Invalid enum value 'jax'"),
    ('name = "torch"', 'name = "torch"\nversoins = []', 3, "unknown field `versoins`"),
    ('versions = ["2.13.0"]', 'versions = ["2.13"]', 3, "$.framework[0].versions[0]"),
    ('versions = ["2.13.0"]', f'versions = ["{"1" * 5000}.1.1"]', 3, "$.framework[0].versions[0]"),
    ('versions = ["2.13.0"]', f"versions = {['2.13.0'] * 200}", 3, "$.framework[0].versions"),
    ('versions = ["2.13.0"]', 'versions = ["２.13.0"]', 3, "$.framework[0].versions[0]"),
    ('versions = ["2.13.0"]', 'versions = ["2.13.0\\n"]', 3, "$.framework[0].versions[0]"),
    ('versions = ["2.13.0"]', "versions = []", 3, "length >= 1"),
    ('versions = ["2.13.0"]', "", 1, "missing required field `versions`"),
    ('versions = ["2.7.1", "2.10.0"]', 'versions = ["2.7.1", "2.7.1"]', 11, "mindspore 2.7.1 stands here twice"),
    ('python = ["3.11"]', 'python = ["python3"]', 12, "$.framework[1].python[0]"),
    ('"scipy"', '"--index-url=http://h/"', 13, "$.framework[1].requires[1]"),
    ('"scipy"', '"../scipy"', 13, "$.framework[1].requires[1]"),
    ('"scipy"', '"scipy;\\u0000"', 13, "$.framework[1].requires[1]"),
    ('"scipy"', f'"scipy;{"x" * 1000}"', 13, "$.framework[1].requires[1]"),
    ('backends = ["gloo"]', 'backends = ["mccl"]', 5, "No backend is called 'mccl' of torch. There are: gloo-cpu"),
    ('["mccl", "hccl"]', '["mccl", "mccl"]', 14, "one of backends stands here twice"),
    ("[2, 3]", "[2, 2]", 6, "one of world_sizes stands here twice"),
    ("[2, 3]", "[0]", 6, "$.framework[0].world_sizes[0]"),
    ("environment = 600, run = 600 }\n\n", "environment = 0, run = 1 }\n\n", 7, "$.framework[0].deadlines.environment"),
    ("run = 600 }\n\n", "run = 5e-324 }\n\n", 7, "$.framework[0].deadlines.run"),
    ("run = 600 }\n\n", "run = inf }\n\n", 7, "$.framework[0].deadlines.run"),
]


@pytest.mark.parametrize(
    ("what", "instead", "line", "said"), BAD, ids=[f"{instead[:60]}: {said}" for _, instead, _, said in BAD]
)
def test_a_file_that_does_not_fit_is_refused_with_its_line(
    tmp_path: Path, what: str, instead: str, line: int | None, said: str
) -> None:
    path = written(tmp_path, GOOD.replace(what, instead, 1))
    with pytest.raises(ApidiffError) as raised:
        read_matrix(path, load_backends())
    assert str(raised.value).startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert said in str(raised.value)


def test_of_many_faults_the_first_are_told(tmp_path: Path) -> None:
    """Each is looked for in the whole file."""
    block = GOOD[: GOOD.index("[[framework]]", 1)].replace('["2.13.0"]', f"{['2.13.0'] * 100}")
    with pytest.raises(InvalidData) as raised:
        read_matrix(written(tmp_path, block * 100), load_backends())
    lines = [error.line for error in raised.value.errors]
    assert lines == [3 + number * block.count("\n") for number in range(20)]


def test_a_file_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace("[2, 3]", str([*range(1, 65)])).replace(
        'versions = ["2.13.0"]', f"versions = {[f'2.{n}.0' for n in range(99)]}"
    )
    with pytest.raises(ApidiffError, match=r"has 63\d\d cells; at most 5000 are possible"):
        read_matrix(written(tmp_path, text), load_backends())


def test_a_pipe_in_the_place_of_the_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(ApidiffError, match="it is no regular file"), exclusive(tmp_path):
        pass


def test_what_a_link_in_the_place_of_the_lock_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "lock").symlink_to("mine")
    with (
        pytest.raises(ApidiffError, match=r"/lock: environments cannot be kept here \(it is a link\)"),
        exclusive(tmp_path),
    ):
        pass
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ApidiffError, match="cannot be read"):
        read_matrix(tmp_path / "none.toml", load_backends())
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ApidiffError, match="is not UTF-8"):
        read_matrix(tmp_path / "bytes.toml", load_backends())


# (backends, world sizes, framework, names of the cells)
CHOSEN = [
    (
        None,
        None,
        None,
        [
            "torch-2.13.0/gloo-cpu-2",
            "torch-2.13.0/gloo-cpu-3",
            "mindspore-2.7.1/mccl-cpu-2",
            "mindspore-2.7.1/hccl-npu-2",
            "mindspore-2.10.0/mccl-cpu-2",
            "mindspore-2.10.0/hccl-npu-2",
        ],
    ),
    (["mccl"], None, None, ["mindspore-2.7.1/mccl-cpu-2", "mindspore-2.10.0/mccl-cpu-2"]),
    (None, [3], None, ["torch-2.13.0/gloo-cpu-3"]),
    (["hccl"], None, "mindspore", ["mindspore-2.7.1/hccl-npu-2", "mindspore-2.10.0/hccl-npu-2"]),
    (None, None, "torch", ["torch-2.13.0/gloo-cpu-2", "torch-2.13.0/gloo-cpu-3"]),
]


@pytest.mark.parametrize(("names", "sizes", "framework", "expected"), CHOSEN)
def test_cells(
    tmp_path: Path, names: list[str] | None, sizes: list[int] | None, framework: str | None, expected: list[str]
) -> None:
    backends = load_backends()
    cells = cells_of(read_matrix(written(tmp_path, GOOD), backends), backends, names, sizes, framework)
    assert [cell.name for cell in cells] == expected


def test_no_such_cell(tmp_path: Path) -> None:
    backends = load_backends()
    with pytest.raises(
        ApidiffError,
        match="It has frameworks mindspore, torch; backends gloo-cpu, hccl-npu, mccl-cpu; world sizes 2, 3",
    ):
        cells_of(read_matrix(written(tmp_path, GOOD), backends), backends, ["nccl"])


@pytest.fixture(scope="module")
def known(database: Data) -> tuple[Data, Examples, Cell]:
    """The data, and a cell of the checked-in matrix that is recorded."""
    data, backends = database, load_backends()
    examples = shown_by_path(load_examples(examples_folder()))
    cells = cells_of(read_matrix(conf_file("matrix.toml"), backends), backends, ["gloo"], [2])
    return data, examples, cells[0]


def altered(record: Record, **changes: object) -> Record:
    return msgspec.structs.replace(record, **changes)


def with_other_inputs(run: ProbeRun) -> ProbeRun:
    """The plain call of all_reduce as if rank 1 had been given other numbers; other runs as they are."""
    if (run.api, run.probe) != ("torch.distributed.all_reduce", "sync"):
        return run
    tensor = run.ranks[1].before["tensor"]
    given = {"tensor": msgspec.structs.replace(tensor, values=[7.0, 7.0, 7.0])}
    return altered(run, ranks=[run.ranks[0], msgspec.structs.replace(run.ranks[1], before=given)])


OURS = Signed(state=State.LISTED)
# (what becomes of the record, how the cell stands then)
STANDINGS = [
    (lambda one: one, "recorded"),
    (lambda one: altered(one, measured_by="somebody"), "no record"),
    (lambda one: altered(one, device="cuda"), "no record"),
    (lambda one: altered(one, framework_version="2.12.0"), "no record"),
    (lambda one: altered(one, stopped="a machine went away"), "its record stopped half-way"),
    (lambda one: altered(one, probes=one.probes[1:]), "its record lacks 1 of "),
    (lambda one: altered(one, probes=[altered(one.probes[0], spec="0"), *one.probes[1:]]), "its record lacks 1 of "),
    (lambda one: altered(one, signatures=one.signatures[2:]), "its record lacks 2 of "),
    (lambda one: altered(one, probes=[with_other_inputs(run) for run in one.probes]), "its record lacks 1 of "),
]


@pytest.mark.parametrize(("change", "said"), STANDINGS)
def test_a_cell_is_recorded_where_every_probe_was_asked_as_today(
    known: tuple[Data, Examples, Cell], change: object, said: str
) -> None:
    data, examples, cell = known
    [(key, record)] = [
        (key, one)
        for key, one in data.runs
        if f"{one.framework}-{one.framework_version}/{one.backend}-{one.device}-{one.world_size}" == cell.name
        and one.measured_by is None
    ]
    assert callable(change)
    only = Data(data.root, data.mappings, data.documents, data.frameworks, signed=dict.fromkeys((key, "x"), OURS))
    changed = replace(only, runs=[(key, change(record))])
    found = standing(cell, changed, examples, None, given_otherwise)
    assert found.text.startswith(said)
    assert found.record == (key if said == "recorded" else None)
    if said == "no record":
        return
    beside = replace(only, runs=[(key, record), ("x", change(record))])
    assert standing(cell, beside, examples, None, given_otherwise).record is not None


# (who vouches for a record that names no measurer, how the cell stands then)
VOUCHED_FOR = [
    (State.LISTED, "recorded"),
    (State.IN_SIGNED_LIST, "recorded"),
    (State.ATTESTED, "recorded"),
    (State.VERIFIED, "no record"),
]


@pytest.mark.parametrize(("state", "said"), VOUCHED_FOR)
def test_a_record_without_a_measurer_is_this_projects_where_it_vouches_for_it(
    known: tuple[Data, Examples, Cell], state: State, said: str
) -> None:
    data, examples, cell = known
    signed = replace(data, signed={key: Signed(state=state, signer="Alice") for key in data.signed})
    if state is State.VERIFIED:
        signed = replace(signed, runs=[], signed_runs=data.runs)
    assert standing(cell, signed, examples, None, given_otherwise).text == said


def test_no_unsigned_record_stands_for_one_of_this_project(known: tuple[Data, Examples, Cell]) -> None:
    data, examples, cell = known
    unsigned = replace(data, runs=[], unsigned_runs=data.runs)
    assert standing(cell, data, examples, None, given_otherwise).record is not None
    assert standing(cell, unsigned, examples, None, given_otherwise).text == "no record"


def test_a_name_in_a_record_is_believed_only_if_it_is_vouched_for_or_was_written_here(
    known: tuple[Data, Examples, Cell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else anybody who sends a record could have a measurer leave out a cell."""
    data, examples, cell = known
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    ours = next(record for key, record in data.runs if key.startswith(cell.name))
    record = altered(ours, measured_by="Example Lab")
    sent = run_path(record, encode(record), tmp_path / "runs")
    sent.parent.mkdir(parents=True)
    sent.write_bytes(encode(record))
    hers = [(run_id(sent), record)]
    unsigned = replace(data, root=tmp_path, runs=[], unsigned_runs=hers)
    assert standing(cell, unsigned, examples, "Example Lab", given_otherwise).text == "no record"
    for signer, said in [("Example Lab", "recorded"), ("Another Lab", "no record")]:
        by = {hers[0][0]: Signed(state=State.VERIFIED, signer=signer)}
        signed = replace(data, root=tmp_path, runs=[], signed_runs=hers, unsigned_runs=[], signed=by)
        assert standing(cell, signed, examples, "Example Lab", given_otherwise).text == said
    assert write_record(record, tmp_path / "runs") == sent
    assert standing(cell, unsigned, examples, "Example Lab", given_otherwise).text == "recorded"
    assert standing(cell, signed, examples, "Example Lab", given_otherwise).text == "recorded"  # by another, from here
    assert standing(cell, unsigned, examples, "Another Lab", given_otherwise).text == "no record"
    sent.write_bytes(encode(altered(record, date="2026-01-01T00:00:00Z")))
    assert standing(cell, unsigned, examples, "Example Lab", given_otherwise).text == "no record"
