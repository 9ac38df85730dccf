"""One command for a whole machine, in real processes: what it says without a device, its deadline, the file to send."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from command import read_data

from apidiff.database import Data, DataError
from apidiff.execute.devices import Availability
from apidiff.execute.offline import measure
from apidiff.execute.offline.wheels import CHECKOUT
from apidiff.execute.record import write_record
from apidiff.model.signed import Signed, State
from apidiff.model.trace import DeviceFound, RunRecord

GPU = Availability(
    True, "nccl (torch, cuda): found a GPU", DeviceFound(names=["NVIDIA H200"], versions={"torch": "2.13.0"})
)


def command(*words: str, cwd: Path = CHECKOUT, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "apidiff.execute.offline.measure", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(cwd)} | variables,
        timeout=500,
        check=False,
    )


@pytest.mark.turning(days=3, group="measured")
def test_without_a_gpu_it_says_what_was_looked_for_and_runs_nothing() -> None:
    done = command("nccl-cuda", "gloo-cuda", CUDA_VISIBLE_DEVICES="")
    assert (done.returncode, done.stdout) == (2, "")
    for name in ("nccl", "gloo"):
        assert (
            f"{name} (torch, cuda): looked for torch.cuda.is_available() and torch.distributed.is_{name}" in done.stderr
        )
    assert done.stderr.rstrip().endswith("measure: nothing was run: no device was found.")


@pytest.mark.turning(days=3, group="measured")
@pytest.mark.parametrize(
    "option",
    [["--minutes", text] for text in ("nan", "inf", "0", "-1", "x")]
    + [["--at-once", text] for text in ("0", "-1", "x")]
    + [["--world-size", text] for text in ("0", "-5")],
)
def test_what_would_never_be_over_is_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        measure.main(["gloo-cpu", *option])
    assert ended.value.code == 2
    assert f"argument {option[0]}: {option[1]!r} is no number" in capsys.readouterr().err


def test_what_lies_in_the_way_of_its_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "measured").write_text("no folder")
    monkeypatch.setattr(measure, "CHECKOUT", tmp_path)
    assert measure.main(["gloo-cpu", "--minutes", "0.01", "--world-size", "2", "--by", "a test"]) == 2
    assert f"measure: {tmp_path / 'build' / 'measured'}: File exists." in capsys.readouterr().err


def link(path: Path) -> None:
    (path.parent / "mine").write_text("mine", encoding="utf-8")
    path.symlink_to("mine")


@pytest.mark.parametrize("name", ["report.txt", "records.zip"])
@pytest.mark.parametrize(("put_there", "said"), [(link, "it is a link"), (os.mkfifo, "it is no regular file")])
def test_what_lies_in_the_way_of_what_is_written_last_is_told_first(
    stand_in: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    put_there: Callable[[Path], None],
    said: str,
) -> None:
    folder = stand_in / "build" / "measured"
    folder.mkdir(parents=True)
    put_there(folder / name)
    monkeypatch.setattr(measure, "_run", lambda *_: pytest.fail("ranks were started"))
    monkeypatch.setattr(measure, "measure_calls", lambda *_: pytest.fail("calls were made"))
    assert measure.main(["gloo-cuda", "--world-size", "2", "--by", "a test"]) == 2
    assert f"measure: {folder / name}: {said}. Free space, and remove what lies in the way" in capsys.readouterr().err
    # Nor is it followed or waited for where it was put there meanwhile.
    monkeypatch.setattr(measure, "_output_of", lambda _words: "")
    with pytest.raises(OSError, match=said):
        measure._report([], read_data(), folder) if name == "report.txt" else measure._pack([folder], "", folder)
    assert [path.read_text() for path in folder.glob("mine")] == ["mine"] * (put_there is link)
    assert len(list(folder.iterdir())) == 1 + (put_there is link)


INTERRUPTED = """
import os, signal, sys, zipfile
from pathlib import Path
from apidiff.execute.offline import measure, wheels

def interrupted(archive, folder):
    (folder / "half").touch()
    os.kill(os.getpid(), signal.SIGTERM)

zipfile.ZipFile.extractall = interrupted
measure.CHECKOUT = Path(sys.argv.pop())
measure.supply = lambda into: wheels._unpacked([measure.CHECKOUT / "a.whl"], into)
measure.main()
"""


def test_a_signal_while_wheels_are_unpacked_leaves_nothing_of_them(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w"):
        pass
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, "gloo-cpu", tmp_path], cwd=CHECKOUT, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (143, b"", b"")
    assert list((tmp_path / "build" / "measured").iterdir()) == []


def test_a_backend_of_another_name_is_refused() -> None:
    done = command("glue")
    assert done.returncode == 2
    assert "measure: No backend is called 'glue'. There are: gloo-cpu (torch), " in done.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of this checkout, in which a run may be recorded."""
    for name in ("apidiff", "conf", "executable_examples"):
        shutil.copytree(CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return tmp_path


def alive(folder: Path) -> list[str]:
    """The processes that were started from a checkout."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in (process / "environ").read_bytes().decode(errors="replace"):
                found.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


@pytest.mark.turning(days=3, group="measured")
def test_the_deadline_ends_every_process_and_says_what_was_not_recorded(checkout: Path) -> None:
    state = {"XDG_STATE_HOME": str(checkout / "state")}
    done = command("gloo-cpu", "--world-size", "2", "--minutes", "0.05", "--by", "a test", cwd=checkout, **state)
    assert done.returncode == 1, done.stderr
    assert "torch-gloo-cpu-2: not recorded: the time was over. Give the command again" in done.stdout
    assert "nothing was recorded, so there is nothing to send" in done.stderr
    until = time.monotonic() + 120
    while alive(checkout) and time.monotonic() < until:
        time.sleep(0.2)
    assert alive(checkout) == []
    assert not (checkout / "build" / "measured" / "records.zip").exists()


# where what it prints goes, its exit code, what it says last
UNHEARD = [
    (
        ">/dev/full",
        2,
        "measure: The output cannot be written (No space left on device). Make room, or send it elsewhere.",
    ),
    (">&-", 1, "nothing was recorded, so there is nothing to send"),
    ("2>/dev/full", 1, ""),
    ("2>&-", 1, ""),
]


@pytest.mark.turning(days=3, group="measured")
@pytest.mark.parametrize(("stream", "code", "said"), UNHEARD)
def test_a_report_that_nobody_gets(stream: str, code: int, said: str, checkout: Path) -> None:
    words = "gloo-cpu --world-size 2 --minutes 0.01"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m apidiff.execute.offline.measure {words} {stream}', sys.executable],
        capture_output=True,
        text=True,
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout), "XDG_STATE_HOME": str(checkout / "state")},
        timeout=500,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stderr.splitlines() or [""])[-1] == said


def test_the_report_is_read_as_utf_8_whatever_prints_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.setattr(measure, "_APIDIFF", [sys.executable, "-c"])
    assert measure._output_of(["print('1 \\u2192 2')"]) == "1 \u2192 2"


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, nothing that lacks, and a GPU that is found."""
    monkeypatch.setattr(measure, "CHECKOUT", tmp_path)
    monkeypatch.setattr(measure, "supply", lambda folder: [])
    monkeypatch.setattr("apidiff.execute.devices.look_for", lambda backend: GPU)
    return tmp_path


def records() -> dict[str, RunRecord]:
    found = {}
    for key, record in read_data().runs:
        if key.startswith("torch-2.13.0/gloo-cpu-2-"):
            found["torch-nccl-cuda-1"] = msgspec.structs.replace(
                record, backend="nccl", device="cuda", world_size=1, probes=[]
            )
            found["torch-gloo-cuda-2"] = msgspec.structs.replace(record, device="cuda", probes=[])
    return found


SCRIPT = """
import json, sys
words = sys.argv[1:]
if words[0] == "verify":
    name = "-".join(words[words.index(one) + 1] for one in ("--framework", "--backend", "--world-size"))
    written = json.load(open({paths!r})).get(name)
    if not written:
        sys.exit("apidiff: " + name + " cannot start: port taken")
    print(json.dumps([{{"written": written, "stopped": None}}]))
else:
    print("said:", *words)
"""


@pytest.mark.turning(days=3, group="measured")
def test_what_was_recorded_is_packed_with_a_report(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = read_data()
    paths = {name: str(write_record(record, stand_in / "runs")) for name, record in records().items()}
    (stand_in / "paths.json").write_bytes(msgspec.json.encode(paths))
    script = stand_in / "apidiff.py"
    script.write_text(SCRIPT.format(paths=str(stand_in / "paths.json")), encoding="utf-8")
    monkeypatch.setattr(measure, "_APIDIFF", [sys.executable, str(script)])
    own = [(f"{Path(path).parent.name}/{Path(path).stem}", records()[name]) for name, path in paths.items()]
    latest = next(one for key, one in data.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    latest = msgspec.structs.replace(latest, date="2999-01-01T00:00:00Z", measured_by="me")
    sent = (f"torch-2.13.0/gloo-cpu-2-{'0' * 64}", latest)  # by anybody, and no base of a comparison
    both = replace(data, runs=[*data.runs, *own], unsigned_runs=[sent])
    monkeypatch.setattr("apidiff.database.checks.load_usable", lambda: both)

    assert measure.main(["nccl", "gloo-cuda", "--minutes", "60"]) == 1
    told = capsys.readouterr()
    assert "nccl-cuda (torch): world sizes 2, 3, 4 left out: each rank needs a device of its own" in told.err
    planned = re.search(r"planned, if it goes as in the records: (.*)", told.err)
    assert planned
    assert set(re.findall(r"([a-z0-9-]+) \d+ min", planned[1])) == {
        *("torch-nccl-cuda-1", "mindspore-nccl-cuda-1"),
        *(f"torch-gloo-cuda-{size}" for size in (2, 3, 4)),
    }
    assert "torch-gloo-cuda-3: apidiff: torch-gloo-cuda-3 cannot start: port taken (all of it: " in told.err
    base = next(key for key, _ in data.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    for name in ("torch-gloo-cuda-2", "torch-nccl-cuda-1"):  # one rank is compared with two
        assert f"said: runs diff {base} torch-2.13.0/{Path(paths[name]).stem}" in told.out
    assert told.out.count("runs diff") == 2

    packed = stand_in / "build" / "measured" / "records.zip"
    assert f"send this one file: {packed} (2 records)" in told.err
    with zipfile.ZipFile(packed) as archive:
        assert sorted(archive.namelist()) == sorted([*(Path(path).name for path in paths.values()), "report.txt"])
        for path in paths.values():
            assert archive.read(Path(path).name) == Path(path).read_bytes()

    signature = Path(paths["torch-gloo-cuda-2"] + ".minisig")
    signature.write_bytes(b"a signature")
    assert measure.main(["gloo-cuda", "--world-size", "2", "--minutes", "60"]) == 0
    with zipfile.ZipFile(packed) as archive:
        assert archive.read(signature.name) == b"a signature"

    # What was recorded is sent, whatever else lies in the data by then.
    def unread() -> Data:
        raise DataError("x.yaml", 1, "was broken meanwhile", "Mend it.")

    lost = f"torch-2.13.0/{Path(paths['torch-gloo-cuda-2']).stem} is passed over: apidiff check says why."
    for last, reported in ((lambda: data, lost), (unread, "no report: x.yaml:1: was broken meanwhile. Mend it.")):
        answers = iter([lambda: data, last])
        monkeypatch.setattr("apidiff.database.checks.load_usable", lambda answers=answers: next(answers)())
        packed.unlink()
        assert measure.main(["gloo-cuda", "--world-size", "2", "--minutes", "60"]) == 0
        with zipfile.ZipFile(packed) as archive:
            assert reported in archive.read("report.txt").decode()


@pytest.mark.turning(days=3, group="measured")
def test_a_record_made_before_is_taken_unless_a_probe_has_changed_since(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = read_data()
    key, whole = next((key, one) for key, one in data.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    whole = msgspec.structs.replace(whole, device="cuda", measured_by="me", device_found=GPU.device)
    first, *others = whole.probes
    changed = msgspec.structs.replace(whole, probes=[msgspec.structs.replace(first, spec="0" * 64), *others])
    other = msgspec.structs.replace(whole, measured_by="somebody else")
    monkeypatch.setenv("XDG_STATE_HOME", str(stand_in / "state"))
    here = f"{key.partition('/')[0]}/{write_record(whole, stand_in / 'runs').stem}"
    script = stand_in / "apidiff.py"
    script.write_text("import sys\nsys.exit('started')", encoding="utf-8")
    monkeypatch.setattr(measure, "_APIDIFF", [sys.executable, str(script)])
    signed = [(key, record) for record in (whole, changed, other)]
    cases = [(replace(data, runs=[*data.runs, pair]), pair[1] is whole) for pair in signed]
    # Of those for which nobody vouches one counts that was written here, whoever is said to have measured.
    cases += [
        (replace(data, root=stand_in, unsigned_runs=[(run, whole)]), run == here)
        for run in (here, f"{here[:-64]}{'0' * 64}")
    ]
    # Of those that are signed one counts that who measured signed.
    empty = replace(data, root=stand_in / "elsewhere", runs=[])
    cases += [
        (
            replace(empty, signed_runs=[(key, whole)], signed={key: Signed(state=State.VERIFIED, signer=signer)}),
            signer == "me",
        )
        for signer in ("me", "another")
    ]
    for seen, taken in cases:
        monkeypatch.setattr("apidiff.database.checks.load_usable", lambda seen=seen: seen)
        assert measure.main(["gloo-cuda", "--world-size", "2", "--by", "me"]) == (0 if taken else 1)
        told = capsys.readouterr()
        assert ("torch-gloo-cuda-2: recorded before" in told.err, "torch-gloo-cuda-2: started" in told.err) == (
            taken,
            not taken,
        )
        assert ("torch-gloo-cuda-2: recorded before, signed by me" in told.err) == (taken and bool(seen.signed_runs))


@pytest.mark.parametrize(("version", "says"), [((3, 9, 2), "Python 3.11 or newer is needed, found "), ((3, 11, 0), "")])
def test_make_gpu_names_the_python_it_needs(version: tuple[int, int, int], says: str) -> None:
    line = next(one for one in (CHECKOUT / "Makefile").read_text().splitlines() if one.startswith("NEW_ENOUGH := "))
    code = f"import sys; sys.version_info = {version}; {line.removeprefix('NEW_ENOUGH := ')}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, says in done.stderr) == (1 if says else 0, True)


@pytest.mark.turning(days=3, group="measured")
def test_an_interrupt_ends_the_runs(checkout: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "apidiff.execute.offline.measure", "gloo-cpu", "--world-size", "2", "--by", "a test"],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout), "XDG_STATE_HOME": str(checkout / "state")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "started; its log is" in line:
            break
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert "Traceback" not in process.communicate(timeout=300)[1]
    assert process.returncode == 130
    until = time.monotonic() + 120
    while alive(checkout) and time.monotonic() < until:
        time.sleep(0.2)
    assert alive(checkout) == []
