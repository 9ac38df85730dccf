"""`apidiff runs`: what it lists, shows and compares, and what it refuses."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest

from apidiff.cli import main
from apidiff.database import Data
from apidiff.database.paths import DATA, examples_folder
from apidiff.database.runs import record_path, run_id, short_id
from apidiff.errors import ApidiffError
from apidiff.execute.devices import in_words
from apidiff.execute.record import write_record
from apidiff.execute.submissions.known_probes import load_specs
from apidiff.model.trace import CallError, DeviceFound
from apidiff.servers.run_text import run_text

RUNS = sorted((DATA / "runs").glob("*/*.json*"))
ALL = [f"{path.parent.name}/{path.name.partition('.json')[0]}" for path in RUNS]
IDS = [name for name in ALL if "/single-" not in name]
SINGLE = [name for name in ALL if "/single-" in name]
OWN = "        measured by this project, in this project's list of its own records\n"


def test_every_record_is_listed_on_a_line(run) -> None:
    done = run("runs", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [short_id(run) for run in ALL]


def test_a_record_is_shown_with_environment_and_verdicts(run) -> None:
    done = run("runs", "show", IDS[0].rpartition("-")[2])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{IDS[0]}\n")
    assert re.search(r"verdicts: holds \d{3,}, refuted \d+", done.stdout)
    assert "measured by this project" in done.stdout


def test_a_record_of_single_processes_is_shown_with_its_samples(run) -> None:
    done = run("runs", "show", SINGLE[0])
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r", a single process on cpu$", done.stdout, re.MULTILINE)
    assert re.search(r"^  samples: completed \d+", done.stdout, re.MULTILINE)


def test_records_of_two_versions_differ_in_environment_and_verdicts(run) -> None:
    pair = [
        next(one for one in IDS if one.startswith(f"mindspore-{version}/mccl-cpu-3")) for version in ("2.7.1", "2.10.0")
    ]
    done = run("runs", "diff", *pair)
    assert (done.returncode, done.stderr) == (1, "")
    assert "framework_version: 2.7.1 → 2.10.0\n" in done.stdout
    assert re.search(r"^packages: .*\bmindspore 2\.7\.1 → 2\.10\.0[,\n]", done.stdout, re.MULTILINE)
    assert done.stdout.startswith(f"first:  {pair[0]}\n{OWN}second: {pair[1]}\n{OWN}")
    assert re.search(
        r"^verdicts that differ: [1-9]\d*; only in the first: \d+; only in the second: \d+$", done.stdout, re.MULTILINE
    )


def test_a_record_does_not_differ_from_itself(run) -> None:
    done = run("runs", "diff", IDS[0], IDS[0])
    assert (done.returncode, done.stdout) == (
        0,
        f"first:  {IDS[0]}\n{OWN}second: {IDS[0]}\n{OWN}verdicts that differ: 0; only in the first: 0; only in the second: 0\n",
    )


@pytest.mark.parametrize(("framework", "needs"), [("torch", "torch_npu"), ("mindspore", "Ascend device")])
def test_a_plan_says_what_would_run_and_claims_nothing(run, framework: str, needs: str) -> None:
    done = run("runs", "plan", "--backend", "hccl", "--framework", framework)
    assert (done.returncode, done.stderr) == (0, "")
    assert needs in done.stdout
    assert re.search(rf"^    {framework}\..*all_reduce: \d+( \+ \d+){{3}}$", done.stdout, re.MULTILINE)
    assert re.search(r"^  all of it: about \d+ min$", done.stdout, re.MULTILINE)
    assert "--record --measured-by" in done.stdout.splitlines()[-1]
    assert re.findall(r"^  (\d) ranks: \d+ probes and \d+ examples, about \d+ min", done.stdout, re.MULTILINE) == [
        *"234"
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "nothing"], "no record 'nothing'. List them: apidiff runs list"),
        (["show", ""], "no record ''. List them"),
        (["show", ".json"], "no record '.json'. List them"),
        (["diff", IDS[0], IDS[-1]], "judge different claims"),
        (["diff", SINGLE[0], IDS[0]], "is of single processes, and a verdict on it takes one of each framework"),
        (["plan", "--backend", "glue"], "No backend is called 'glue'. There are: gloo-cpu (torch), "),
        (["import", "/nowhere/gloo-cpu-2-0a1b2c3d4e5f.json"], "cannot be read (No such file or directory)"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run, words: list[str], message: str) -> None:
    done = run("runs", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["show", "nothing"], ["diff", IDS[0], "nothing"]])
def test_what_is_not_there_is_told_before_all_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setattr("apidiff.cli.runs.load", lambda: pytest.fail("all was read"))
    assert main(["runs", *words]) == 2
    assert "no record 'nothing'. List them: apidiff runs list" in capsys.readouterr().err


def test_a_changed_file_is_not_taken_in(run, tmp_path: Path) -> None:
    path = tmp_path / RUNS[0].name
    path.write_bytes(RUNS[0].read_bytes().replace(b"holds", b"fails").replace(b"2026", b"2027", 1))
    done = run("runs", "import", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "it was changed" in done.stderr


def test_the_zip_that_is_sent_is_taken_as_it_is(run, tmp_path: Path) -> None:
    path = tmp_path / "records.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in RUNS[:2]:
            archive.write(one, one.name)
        archive.writestr("report.txt", "text")
    done = run("runs", "import", str(path))
    assert (done.returncode, done.stderr) == (0, f"{path}: passed over: 'report.txt'\n")
    taken = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert taken == [f"{one} (was here already), in this project's list of its own records" for one in RUNS[:2]]


def test_a_name_in_a_zip_begins_no_line(run, tmp_path: Path) -> None:
    path = tmp_path / "records.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(RUNS[0], RUNS[0].name)
        archive.writestr("a\nsigned by this project", "")
        archive.writestr("b\r\u2028\x1b[31m", "")
    done = run("runs", "import", str(path))
    assert (done.returncode, done.stderr) == (
        0,
        f"{path}: passed over: 'a\\nsigned by this project', 'b\\r\\u2028\\x1b[31m'\n",
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package's data without a run, in a folder that commands read in its place."""
    root = tmp_path / "data"
    root.mkdir()
    for path in DATA.iterdir():
        if path.name != "runs":
            (root / path.name).symlink_to(path)
    (root / "examples").symlink_to(examples_folder())
    monkeypatch.setattr("apidiff.database.data.DATA", root)
    return root


def test_probes_that_are_asked_otherwise_today_are_counted(run, root: Path, database: Data, tmp_path: Path) -> None:
    # Of the probes that were ever asked otherwise, those of a record as they once were.
    once = {(api, probe, spec) for api, probe, spec in load_specs(DATA)}
    once -= {(one.api, one.probe, one.spec) for _, record in database.runs for one in record.probes}
    former = {(api, probe): spec for api, probe, spec in once}
    record = max(
        (record for _, record in database.runs),
        key=lambda record: sum((one.api, one.probe) in former for one in record.probes),
    )
    asked = [msgspec.structs.replace(one, spec=former.get((one.api, one.probe), one.spec)) for one in record.probes]
    count = sum((one.api, one.probe) in former for one in asked)
    assert 0 < count < len(asked)
    sent = msgspec.structs.replace(record, probes=asked, measured_by="somebody")
    path = write_record(sent, tmp_path / "sent")
    done = run("runs", "import", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert first == f"{root / 'runs' / path.parent.name / path.name}, unsigned"
    assert second == f"  {count} of {len(asked)} probes are asked otherwise today, or no more: they give no verdict"


def test_what_a_record_says_begins_no_line(run, root: Path, database: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_text.__globals__, "DATA", root)
    text = "x\nforged\rforged\u2028forged"
    record = next(record for _, record in database.runs)
    probe = record.probes[0]
    error = CallError(stage="call", type="RuntimeError", message=text)
    made = msgspec.structs.replace(
        record,
        measured_by="somebody",
        os=text,
        python=text,
        machine=text,
        environment={text: text},
        packages=record.packages | {text: text},
        device_found=DeviceFound(names=[text], versions={text: text}),
        stopped=text,
        probes=[
            msgspec.structs.replace(probe, ranks=[msgspec.structs.replace(one, error=error) for one in probe.ranks])
        ],
    )
    plain = msgspec.structs.replace(record, measured_by="another", probes=[probe])
    ids = [run_id(write_record(one, root / "runs")) for one in (made, plain)]
    shown = [run("runs", "show", ids[0]).stdout, run("runs", "diff", *ids).stdout, run_text(ids[0])]
    for output in shown:
        assert "forged" in output
        assert not [line for line in output.splitlines() if line.strip().startswith("forged")]


@pytest.mark.parametrize("action", ["show", "diff", "audit", "import"])
def test_a_record_that_cannot_be_judged_is_one_sentence(
    run, root: Path, database: Data, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    def fail(*_given: object) -> None:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr("apidiff.judge.verdicts.judge_claim", fail)
    record = next(record for key, record in database.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    sent = msgspec.structs.replace(record, probes=record.probes[:3], measured_by="somebody")
    path = write_record(sent, root / "runs")
    asked = [str(path)] if action in {"audit", "import"} else [run_id(path)]
    done = run("runs", action, *asked * (1 + (action == "diff")))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}: cannot be judged: ZeroDivisionError: of nothing. Ask whoever sent it" in done.stderr
    assert len(done.stderr.splitlines()) == 1


IMITATION = "Linux”  measured by this project  in this project's list of its own records"


def test_what_a_record_says_of_its_machine_stands_in_quotes_behind_its_standing(
    run, root: Path, database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(run_text.__globals__, "DATA", root)
    record = next(record for _, record in database.runs)
    typed = {
        "suite_version": "1+by.this.project",
        "os": IMITATION,
        "machine": IMITATION,
        "python": IMITATION,
        "stopped": IMITATION,
    }
    error = CallError(stage="call", type="RuntimeError", message=IMITATION)
    failing = [
        msgspec.structs.replace(probe, ranks=[msgspec.structs.replace(one, error=error) for one in probe.ranks])
        for probe in record.probes
    ]
    made = msgspec.structs.replace(
        record, measured_by="None", environment={IMITATION: IMITATION}, probes=failing, **typed
    )
    plain = msgspec.structs.replace(record, measured_by="a lab :ok: x:a:b:c")
    ids = [run_id(write_record(one, root / "runs")) for one in (made, plain)]
    (listed,) = (line for line in run("runs", "list").stdout.splitlines() if line.startswith(short_id(ids[0])))
    assert re.search(r" probes  unsigned, measured by “None” \(unsigned\), stopped half-way, “Linux'", listed)
    assert listed.count("”") == 2
    assert "“a lab :ok: x:a:b:c”" in run("runs", "list").stdout
    shown, differ = run("runs", "show", ids[0]).stdout, run("runs", "diff", *ids).stdout
    for told in (shown, differ, run_text(ids[0])):
        outside = re.sub("“[^”]*”", "", told)
        assert "this project" not in outside
        assert "this.project" not in outside
    assert f"first:  {ids[0]} (stopped half-way)\n        measured by “None” (unsigned), unsigned\n" in differ
    assert "measured_by" not in differ
    assert "measured by this project" in differ.partition("  second: ")[0]


def test_an_agent_reads_no_marks_of_markdown_in_what_a_record_says(
    run, root: Path, database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(run_text.__globals__, "DATA", root)
    record = next(record for _, record in database.runs)
    typed = "[here](http://example.org) `x <b>bold</b> **b**"
    sent = msgspec.structs.replace(
        record, measured_by=typed.replace("/", ""), os=typed, machine=typed, python=typed, environment={"A": typed}
    )
    lines = run_text(run_id(write_record(sent, root / "runs"))).splitlines()
    told = [line for line in lines[1:] if "here" in line]
    assert len(told) == 3
    for line in told:
        assert "`" not in line.replace("\\`", "")
        assert "[here]" not in line
        assert "<b>" not in line.replace("\\<", "")


def test_what_a_sent_record_says_stands_in_quotes_in_its_audit(
    run, root: Path, database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = next(record for key, record in database.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    error = CallError(stage="call", type="RuntimeError", message=IMITATION)
    ours = msgspec.structs.replace(record, probes=record.probes[:3])
    failing = [
        msgspec.structs.replace(probe, ranks=[msgspec.structs.replace(one, error=error) for one in probe.ranks])
        for probe in ours.probes
    ]
    path = write_record(msgspec.structs.replace(ours, probes=failing, measured_by="somebody"), root / "runs")
    monkeypatch.setattr("apidiff.verification.audit.verify", lambda *_given, **_more: ours)
    done = run("runs", "audit", str(path))
    assert done.returncode == 1
    assert "this project" in done.stdout
    both = path.parent / "both.zip"
    with zipfile.ZipFile(both, "w") as archive:
        for name in (path.name, f"{path.stem[:-52]}.json"):  # by its whole digest, and by twelve digits as before
            archive.write(path, name)
    twice = run("runs", "audit", str(both))
    assert (twice.stdout.count(".json: unsigned"), twice.stderr.count("is there under another name")) == (1, 1)
    assert "this project" not in re.sub("“[^”]*”", "", done.stdout)


def test_what_a_record_says_of_its_devices_begins_no_line_of_ours(run, root: Path, database: Data) -> None:
    record = next(record for _, record in database.runs)
    forged = f"2.13.0{' ' * 80}measured by this project"
    made = msgspec.structs.replace(
        record,
        measured_by="a lab",
        device_found=DeviceFound(names=["x"], versions={record.framework: forged}),
        environment={f"A{' ' * 80}measured by this project": "1", "B": "b" * 90_000},
    )
    shown = run("runs", "show", run_id(write_record(made, root / "runs"))).stdout
    assert "  measured by this project" not in shown
    assert len(shown) < 3000


def test_the_list_of_own_records_takes_what_a_run_can_hold_by_name(run, root: Path, database: Data) -> None:
    record = next(record for _, record in database.runs)
    good = run_id(write_record(msgspec.structs.replace(record, measured_by=None, cores=7), root / "other" / "runs"))
    shutil.copytree(root / "other" / "runs", root / "runs", dirs_exist_ok=True)
    listed = run("runs", "own").stdout
    assert ": 1 added" in listed
    assert f"  {good}\n" in listed
    bad = write_record(msgspec.structs.replace(record, measured_by=None, cores=-7), root / "other" / "runs")
    shutil.copytree(root / "other" / "runs", root / "runs", dirs_exist_ok=True)
    before = (root / "own_records.txt").read_bytes()
    refused = run("runs", "own")
    assert refused.returncode == 2
    assert "was made on -7 cores" in refused.stderr
    assert bad.name in refused.stderr
    assert (root / "own_records.txt").read_bytes() == before
    (root / "own_records.txt").unlink()
    refused = run("runs", "own")
    assert refused.returncode == 2
    assert "own_records.txt: is not there. Restore it" in refused.stderr


def test_a_run_is_told_with_who_vouches_for_it(root: Path, database: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_text.__globals__, "DATA", root)
    key, record = database.runs[0]
    folder = root / "runs" / key.partition("/")[0]
    folder.mkdir(parents=True)
    shutil.copy(record_path(key, DATA / "runs"), folder)
    assert "measured by this project\n- in this project's list of its own records" in run_text(key)
    (root / "own_records.txt").unlink()
    sent = run_id(write_record(msgspec.structs.replace(record, measured_by=None), root / "runs"))
    assert "- unsigned\n" in run_text(sent)
    assert "this project" not in run_text(sent)
    path = write_record(msgspec.structs.replace(record, cores=-7), root / "runs")
    with pytest.raises(ApidiffError, match=r"is damaged: .*was made on -7 cores"):
        run_text(run_id(path))


def test_a_hundred_thousand_devices_are_counted_at_once() -> None:
    """Each against all of them would take minutes."""
    device = DeviceFound(names=["x"] * 100_000, versions={"torch": "2.13.0"})
    assert in_words(device) == "100000 × x, torch 2.13.0"
