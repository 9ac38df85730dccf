"""``apidiff verify`` from outside: what it prints, what it writes, how it ends; when it is stopped: see the fault suite."""

from __future__ import annotations

import argparse
import errno
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from command import give

from apidiff.cli import verify as verify_command
from apidiff.cli.verify import _print, _refuse_nightly, _Result, is_unsigned
from apidiff.database import ApidiffError, Data, InvalidData
from apidiff.database.backends import Backend, load_backends
from apidiff.database.own_records import own_records_path
from apidiff.database.runs import load_runs
from apidiff.execute.devices import Availability
from apidiff.execute.record import write_record
from apidiff.execute.submissions.known_probes import load_specs
from apidiff.model.trace import RunRecord
from apidiff.model.version import release_of
from tests.factories import run_record

# With 'each-waits' both ranks wait for the other to send: the probe ends with its deadline.
MAPPING = """
category: collective
summary: {en: Sends to all., zh: 广播。}
source:
  root: src
  probes:
    sync: {set: {tensor: {shape: [2]}, src: 0}}
    each-waits: {like: sync, set: {src: 1}, on_rank: {"1": {src: 0}}}
  claims:
    keeps-tensor: {keeps: tensor, by: sync}
    others-hold-it: {result: input, at: tensor, of: tensor, ranks: root, by: sync}
    roots-must-agree: {raises: any, by: each-waits}
targets:
  mindspore.mint.distributed.broadcast: {since: "2.5"}
"""
MAIN = """
import pathlib, sys
import apidiff.database.data
apidiff.database.data.DATA = pathlib.Path(sys.argv.pop(1))
from apidiff.cli import main
sys.exit(main())
"""
GLOO = ("--backend", "gloo", "--world-size", "2")


@dataclass
class Command:
    """The command on data of its own."""

    folder: Path

    @property
    def runs(self) -> Path:
        return self.folder / "data" / "runs"

    @property
    def journals(self) -> list[Path]:
        return list((self.folder / "state" / "apidiff" / "unfinished").glob("*.jsonl"))

    def keep(self, record: RunRecord) -> Path:
        """Writes a record of this project's own."""
        own_records_path(self.folder / "data").touch()
        return write_record(record, self.runs)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        root = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "CUDA_VISIBLE_DEVICES": "",
            "COLUMNS": "200",
        }
        return subprocess.Popen(
            [sys.executable, "-c", MAIN, str(self.folder / "data"), "verify", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=1000)
        finally:
            process.kill()
            process.wait()
        return process.returncode, out, err


def made(folder: Path) -> Command:
    path = folder / "data" / "mappings" / "torch" / "distributed" / "broadcast.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(MAPPING, encoding="utf-8")
    for name in ("documents.yaml", "frameworks.yaml"):
        (folder / "data" / name).write_text("{}\n", encoding="utf-8")
    return Command(folder)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return made(tmp_path)


@pytest.fixture(scope="module")
def record(gloo: Backend, tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """What ``--record`` writes."""
    one = made(tmp_path_factory.mktemp("record"))
    code, out, err = one(*GLOO, "--record")
    assert (code, one.journals) == (0, []), err
    [(name, found)] = load_runs(one.runs)
    assert load_specs(one.runs.parent) == {(run.api, run.probe, run.spec) for run in found.probes}
    assert f"{name}.json" in out.replace("\n", "")
    assert "What was written is unsigned: it is told beside this project's own records, and decides nothing.\n" in out
    return found


@pytest.mark.parametrize(
    ("measured_by", "has_list", "unsigned"), [(None, True, False), (None, False, True), ("me", True, True)]
)
def test_what_is_written_is_unsigned_unless_it_is_listed(
    tmp_path: Path, measured_by: str | None, has_list: bool, unsigned: bool
) -> None:
    if has_list:
        own_records_path(tmp_path).touch()
    path = write_record(run_record(measured_by=measured_by), tmp_path / "runs")
    assert is_unsigned(tmp_path, [str(path)]) is unsigned
    assert not is_unsigned(tmp_path, [])


def test_a_record_holds_every_probe_and_what_odd_ones_did_twice(record: RunRecord) -> None:
    assert {(run.probe, run.end, run.confirmed) for run in record.probes} == {
        ("sync", "completed", True),
        ("each-waits", "timeout", True),
    }
    assert [signature.api for signature in record.signatures] == ["torch.distributed.broadcast"]


@pytest.mark.turning(days=3, group="compared")
def test_what_is_as_recorded_ends_with_0(command: Command, record: RunRecord) -> None:
    command.keep(record)
    code, out, err = command(*GLOO, "torch.distributed.broadcast")
    assert code == 0, err
    assert "Every verdict is what is recorded." in out
    assert "holds 1" in out
    assert "refuted 1" in out
    assert "timeout 1" in out


@pytest.fixture
def altered(record: RunRecord) -> RunRecord:
    """The record as it would be had no rank's tensor changed."""
    probes = [
        msgspec.structs.replace(run, ranks=[msgspec.structs.replace(trace, after=trace.before) for trace in run.ranks])
        for run in record.probes
    ]
    return msgspec.structs.replace(record, probes=probes)


@pytest.mark.turning(days=3, group="compared")
def test_a_changed_verdict_ends_with_1_and_shows_both(command: Command, altered: RunRecord) -> None:
    written = command.keep(altered)
    code, out, _ = command(*GLOO)
    assert code == 1
    head = "torch.distributed.broadcast#keeps-tensor (torch"
    told = out[out.index(head) :].splitlines()
    assert told[1].startswith("  recorded: holds: rank 0: tensor [1, 2] =")
    assert told[1].endswith(f"[{written.parent.name}/{written.stem}]")
    assert told[2] == "  now:      refuted: rank 1: tensor [10, 20] → [1, 2]"
    assert list(command.runs.rglob("*.json")) == [written]


@pytest.mark.turning(days=3, group="compared")
def test_json(command: Command, altered: RunRecord) -> None:
    command.keep(altered)
    code, out, _ = command(*GLOO, "--json")
    [found] = json.loads(out)
    assert (code, found["backend"], found["world_size"]) == (1, "gloo", 2)
    assert (found["compared_with"].partition("/")[2][:10], found["recorded_by_others"]) == ("gloo-cpu-2", [])
    assert found["outcomes"] == {"holds": 1, "refuted": 1, "timeout": 1}
    [change] = found["changes"]
    assert change["claim"] == "torch.distributed.broadcast#keeps-tensor"
    assert (change["before"]["outcome"], change["now"]["outcome"]) == ("holds", "refuted")


@pytest.mark.turning(days=3, group="compared")
def test_what_only_others_recorded_changes_no_exit_code_and_stands_by_name(
    command: Command, altered: RunRecord
) -> None:
    own_records_path(command.folder / "data").touch()
    write_record(msgspec.structs.replace(altered, measured_by="Mallory"), command.runs)
    code, out, err = command(*GLOO)
    assert code == 0, err
    assert "compared with: nothing recorded by this project" in out
    assert "recorded by others, which decides nothing: “Mallory” (unsigned)" in out
    assert "recorded: holds" not in out


@pytest.mark.parametrize("lists", [True, False])
def test_a_record_that_is_listed_and_gone_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lists: bool) -> None:
    """Without it a run would be compared with nothing, and all would be well."""
    own_records_path(tmp_path).write_text(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n" if lists else "")
    monkeypatch.setattr(verify_command, "load_usable", lambda: Data(tmp_path, {}, {}, {}))
    monkeypatch.setattr(verify_command, "choose", _end)
    parser = argparse.ArgumentParser()
    verify_command.add_arguments(parser)
    with pytest.raises(InvalidData, match=r"no listed record of .* is there") if lists else pytest.raises(KeyError):
        verify_command.run(parser.parse_args([]))
    with pytest.raises(KeyError):  # so it can be recorded anew
        verify_command.run(parser.parse_args(["--record"]))


def _end(*_: object, **__: object) -> None:
    raise KeyError("what comes behind it")


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        ([("a/b", True), ("a/c", True)], "Every verdict is what is recorded."),
        ([("a/b", True), (None, False)], "What is recorded is the same. Of 1 of 2 runs this project has no record"),
        ([("a/b", False)], "What is recorded is the same. Of 1 of 1 runs this project has no record"),
        ([(None, False)], None),
    ],
)
def test_of_all_verdicts_it_is_said_where_all_were_compared(
    capsys: pytest.CaptureFixture[str], compared: list[tuple[str | None, bool]], said: str | None
) -> None:
    gloo = next(one for one in load_backends() if one.name == "gloo")
    _print([_Result(gloo, run_record(), {}, [], against, None, [], whole) for against, whole in compared])
    out = capsys.readouterr().out
    assert (said or "nothing recorded by this project") in out
    assert ("recorded." in out) is (said == "Every verdict is what is recorded.")


# (arguments, what the one line on standard error says)
WRONG = [
    (["--backend", "glue"], "No backend is called 'glue'. There are: gloo-cpu (torch), gloo-cuda (torch), "),
    (
        ["torch.distributed.broadcasts"],
        "no mapping 'torch.distributed.broadcasts'. There are: torch.distributed.broadcast.",
    ),
    (["--record", "torch.distributed.broadcast"], "Leave out the IDs."),
    (["--world-size", "none"], "expected numbers of ranks from 1 to 64 such as 2,3,4 but got 'none'"),
    (["--record", "--measured-by", " "], "expected who makes the run: a name, a team, a machine, but got ' '"),
    (["--record", "--measured-by", "This Project"], "expected who makes the run"),
    (["--measured-by=-1"], "but got '-1', which begins with a dash"),
    (["--measured-by=--record"], "but got '--record', which begins with a dash"),
    (["--measured-by="], "but got '', which names nobody"),
    (["--world-size", "0"], "expected numbers of ranks"),
    (["--backend", "mccl", "--framework", "torch"], "No backend is called 'mccl'. There are: gloo-cpu (torch), "),
    (["--backend", "nccl", "--framework", "mindspore"], "nccl (mindspore, cuda): looked for "),
    (["--backend", "nccl"], "nccl (mindspore, cuda): looked for "),
    (["--backend", "gloo-cuda"], "gloo (torch, cuda): looked for "),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_what_the_user_can_mend_ends_with_2(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr("apidiff.database.data.DATA", command.folder / "data")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("COLUMNS", "200")
    done = give("verify", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[-1]
    assert not command.runs.exists()


RELEASE = f"torch-{release_of(metadata.version('torch'))}"
EXP = """
category: nn
execution: single
summary: {en: Computes powers of e., zh: 计算 e 的幂。}
samples: {plain: {args: {input: {values: [1.0]}}}}
targets: {mindspore.mint.exp: {since: "2.10"}}
"""


@pytest.mark.parametrize("below", [".", RELEASE])
@pytest.mark.parametrize("arguments", [GLOO, ("--execution", "single")])
def test_where_no_record_can_be_written_nothing_is_run(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], below: str
) -> None:
    """Root may write into any folder, so this one is told that it may not."""
    (command.folder / "data" / "mappings" / "torch" / "exp.yaml").write_text(EXP, encoding="utf-8")
    read_only = command.runs / below
    read_only.mkdir(parents=True)

    def refuse(folder: Path) -> None:
        if folder == read_only:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))

    monkeypatch.setattr("apidiff.execute.record.refuse_unwritable", refuse)
    monkeypatch.setattr("apidiff.database.data.DATA", command.folder / "data")
    monkeypatch.setenv("XDG_STATE_HOME", str(command.folder / "state"))
    done = give("verify", *arguments, "--record")
    assert (done.returncode, done.stdout) == (2, "")
    found = "records cannot be written there (Permission denied), so nothing was run"
    remedy = "Make it a folder that you can write to, or leave out --record."
    assert done.stderr == f"apidiff: {read_only}: {found}. {remedy}\n"
    assert not (command.folder / "state").exists()


def test_a_framework_of_which_no_package_tells_the_version_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    gloo = next(one for one in load_backends() if one.name == "gloo")
    with pytest.raises(ApidiffError, match="torch is here, and no package says of what version"):
        _refuse_nightly(gloo, Availability(True, "torch is here"))
